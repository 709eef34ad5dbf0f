"""Texts as documents of tokens: read once, coded into the words of topics a part at a time."""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.data.topics import Vocabulary
from calipers.errors import InputError

Array = npt.NDArray[Any]
BLOCKS = 64  # of documents, of which one at a time is left out for an interval
TOKENS = 1 << 20  # tokens of a part that is counted at once
OTHER = 0xFFFFFFFF  # the code of a token that is no word of a topic
APART = "\x1f"


class Document(NamedTuple):
    """The tokens of a document, and its log-likelihood where it is known."""

    tokens: Any
    log_likelihood: float | None = None


@dataclass(frozen=True)
class TextPart:
    """Some documents: the code of each token, where each document ends, the block that it is in, how many tokens a
    log-likelihood is of, and the log-likelihood, NaN where it is not known.

    The block follows from the tokens alone, so that parts of the texts can be counted in any order and merged. Copies
    of a document are in one block: they are not independent of each other.
    """

    vocabulary: Vocabulary
    codes: Array
    ends: Array
    blocks: Array
    scored_tokens: Array
    log_likelihood: Array

    def __len__(self) -> int:
        return len(self.ends)


def documents(texts: Any, likelihoods: Iterable[Any] | None = None) -> Iterator[Document]:
    """The documents of an iterable of lists of tokens, with the log-likelihood of each where these are passed."""
    if texts is None or isinstance(texts, (bytes, Mapping)) or not isinstance(texts, Iterable):
        raise InputError("topics.not_texts", kind=type(texts).__name__)
    if hasattr(type(texts), "columns"):
        raise InputError("topics.texts_in_a_frame", kind=type(texts).__name__)
    if likelihoods is None:
        yield from (each if isinstance(each, Document) else Document(each) for each in texts)
        return
    given, count = iter(likelihoods), 0
    for each in texts:
        value = next(given, None)
        if value is None:
            raise InputError("topics.too_few_likelihoods", count=count)
        yield Document(each, value)
        count += 1
    if next(given, None) is not None:
        raise InputError("topics.too_many_likelihoods", count=count)


def parts(
    vocabulary: Vocabulary,
    texts: Iterable[Document],
    analyzer: Callable[[str], list[str]] | None = None,
    scored_tokens: Iterable[Any] | None = None,
    size: int = TOKENS,
) -> Iterator[TextPart]:
    """The documents as coded parts of about this number of tokens.

    >>> [part] = parts(Vocabulary((("cat", "dog"),)), documents([["a", "dog"], ["cat"]]))
    >>> (part.codes == OTHER).tolist(), part.ends.tolist()
    ([True, False, False], [2, 3])
    """
    find, counts = vocabulary.codes.get, None if scored_tokens is None else iter(scored_tokens)
    codes, ends, blocks, of, likelihoods = array("I"), array("q"), array("B"), array("d"), array("d")
    for number, document in enumerate(texts):
        tokens = _tokens(document.tokens, number, analyzer)
        blocks.append(_block(tokens, number))
        codes.extend(map(find, tokens, repeat(OTHER)))
        ends.append(len(codes))
        likelihoods.append(_likelihood(document.log_likelihood, number))
        of.append(len(tokens) if counts is None else _count(next(counts, None), number))
        if len(codes) >= size:
            yield _part(vocabulary, codes, ends, blocks, of, likelihoods)
            codes, ends, blocks, of, likelihoods = array("I"), array("q"), array("B"), array("d"), array("d")
    if len(ends):
        yield _part(vocabulary, codes, ends, blocks, of, likelihoods)


def _part(vocabulary: Vocabulary, codes: Any, ends: Any, blocks: Any, of: Any, likelihoods: Any) -> TextPart:
    kinds = (np.uint32, np.int64, np.uint8, np.float64, np.float64)
    columns = (np.frombuffer(x, kind) for x, kind in zip((codes, ends, blocks, of, likelihoods), kinds, strict=True))
    return TextPart(vocabulary, *columns)


def _tokens(document: Any, number: int, analyzer: Callable[[str], list[str]] | None) -> list[str]:
    if isinstance(document, list):
        return document
    if isinstance(document, str) and analyzer is not None:
        return analyzer(document)
    if isinstance(document, (str, bytes)):
        raise InputError("topics.document_is_text", number=number + 1, value=document)
    if isinstance(document, Mapping) or not isinstance(document, Iterable):
        raise InputError("topics.document_not_a_list", number=number + 1, value=document)
    return list(document)


def _block(tokens: list[str], number: int) -> int:
    """The block of a document, a hash of its tokens."""
    try:
        text = APART.join(tokens)
    except TypeError:
        wrong = next(each for each in tokens if not isinstance(each, str))
        kind = type(wrong).__name__
        raise InputError("topics.not_a_token", number=number + 1, value=wrong, kind=kind) from None
    mixed = zlib.crc32(text.encode("utf-8", "surrogatepass")) * 0x9E3779B1
    return (mixed >> 20) % BLOCKS  # the low bits of a product depend on few bits of the sum


def _likelihood(value: Any, number: int) -> float:
    if value is None:
        return math.nan
    try:
        known = float(value)
    except (TypeError, ValueError):
        known = math.nan
    if isinstance(value, (bool, str, bytes)) or not known <= 0 or math.isinf(known):
        raise InputError("topics.not_a_likelihood", number=number + 1, value=value)
    return known


def _count(value: Any, number: int) -> float:
    whole = isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and float(value).is_integer()
    if not whole or value < 0:
        raise InputError("topics.not_a_token_count", number=number + 1, value=value)
    return float(value)
