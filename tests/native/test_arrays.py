"""What kernels take for an array: any layout that they can read in place, and a clear error for the rest."""

from itertools import pairwise

import numpy as np
import pytest

from calipers import _native

SCORES, CODES = np.array([0.2, 0.7, 0.4]), np.array([0, 1, 1], np.uint8)
MATRIX = np.array([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]])
POS, NEG = np.array([0.3, 0.9]), np.array([0.1, 0.4, 0.5])


def misaligned(x):
    """The same numbers one byte off."""
    raw = np.empty(x.nbytes + 1, np.uint8)
    out = raw[1:].view(x.dtype).reshape(x.shape)
    out[...] = x
    assert not out.flags.aligned
    return out


def refused(error, text, function, *arguments):
    with pytest.raises(error, match=text):
        function(*arguments)


def test_what_is_no_array_is_refused():
    refused(TypeError, "^scores must be an array, not list$", _native.split_scores, [0.5], CODES, 1, False)
    refused(TypeError, "^pos must be an array, not tuple$", _native.walk, (), NEG)
    refused(TypeError, "^codes must be an array, not list$", _native.scan_rows, MATRIX, [0, 1, 1])


def test_other_shapes_and_byte_orders_are_refused():
    text = "^scores must have one dimension and native byte order$"
    refused(TypeError, text, _native.split_scores, MATRIX, CODES, 1, False)
    refused(TypeError, text, _native.split_scores, SCORES.astype(">f8"), CODES, 1, False)
    refused(TypeError, "^scores must have two dimensions and native byte order$", _native.scan_rows, SCORES, None)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.int64, np.complex128])
def test_other_numbers_are_refused(dtype):
    text = "must be float32 or float64$"
    refused(TypeError, "^pos " + text, _native.walk, POS.astype(dtype), NEG.astype(dtype))
    refused(TypeError, "^scores " + text, _native.scan_rows, MATRIX.astype(dtype), None)
    refused(TypeError, "^values " + text, _native.bin_sums, POS.astype(dtype), None, [0, 2])


@pytest.mark.parametrize("function", [_native.walk, lambda *x: _native.losses(*x, None, None, 0.1)])
def test_samples_are_of_one_type_and_contiguous(function):
    refused(TypeError, "^neg must have the type of pos$", function, POS, NEG.astype(np.float32))
    refused(TypeError, "^neg must be contiguous and aligned$", function, POS, NEG[::2])
    refused(TypeError, "^pos must be contiguous and aligned$", function, misaligned(POS), NEG)


@pytest.mark.parametrize("weights", [np.ones(3), np.ones(2, np.float32), np.ones(2, int)])
def test_weights_fit_their_rows(weights):
    text = "weights must be float64, one a row$"
    refused(TypeError, "^pos_" + text, _native.losses, POS, NEG, weights, np.ones(3), 0.1)
    refused(TypeError, "^pos_" + text, _native.walk_weighted, POS, NEG, weights, np.ones(3))
    refused(TypeError, "^weights must be float64, one a row$", _native.bin_sums, POS, weights, [0, 2])


def test_rows_are_of_one_length():
    text = "^scores and codes differ in length$"
    refused(ValueError, text, _native.split_scores, SCORES, CODES[:2], 1, False)
    refused(ValueError, text, _native.scan_rows, MATRIX, CODES[:2])
    refused(ValueError, text, _native.pair_counts, MATRIX, CODES[:2])
    refused(ValueError, "^truth and scores differ in shape$", _native.label_ranking, MATRIX[:2] > 0.5, MATRIX)
    refused(TypeError, "^truth must be bool or uint8$", _native.label_ranking, MATRIX, MATRIX)


@pytest.mark.parametrize("function", [_native.scan_rows, _native.pair_counts])
def test_a_code_without_a_column_is_an_error(function):
    refused(ValueError, "^a code has no column$", function, MATRIX, np.array([0, 2, 1], np.uint8))


def test_any_alignment_gives_the_same():
    codes = CODES.astype(np.uint16)
    np.testing.assert_equal(
        _native.split_scores(misaligned(SCORES), misaligned(codes), 1, False),
        _native.split_scores(SCORES, codes, 1, False),
    )
    np.testing.assert_equal(_native.scan_rows(misaligned(MATRIX), misaligned(codes)), _native.scan_rows(MATRIX, codes))
    np.testing.assert_equal(_native.pair_counts(misaligned(MATRIX), codes), _native.pair_counts(MATRIX, codes))
    np.testing.assert_equal(_native.confusion(misaligned(codes), codes, 2), _native.confusion(codes, codes, 2))
    for numbers in (codes, codes.astype(np.int64) - 5, codes.astype(np.int64) << 40):
        np.testing.assert_equal(_native.encode_integers(misaligned(numbers)), _native.encode_integers(numbers))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_equal_numpy(dtype, weighted):
    rng = np.random.default_rng(1)
    values = np.sort(rng.random(100_000)).astype(dtype)
    w = rng.random(len(values)) if weighted else np.ones(len(values))
    cuts = [0, 0, 7, 40_000, len(values)]
    got = _native.bin_sums(values, w if weighted else None, cuts)
    x = values.astype(float)
    for row, terms in zip(got, (w, w * w, w * x, w * x * x), strict=True):
        np.testing.assert_allclose(row, [terms[a:b].sum() for a, b in pairwise(cuts)])


@pytest.mark.parametrize("cuts", [[], [0, 2, 1], [0, 3]])
def test_bins_end_within_the_values(cuts):
    refused(ValueError, "^cuts must ascend and end within the values$", _native.bin_sums, POS, None, cuts)
