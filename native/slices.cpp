// The rows of slices, out of scores with a code each.
#include <memory>
#include <vector>

#include "parallel.hpp"
#include "radix.hpp"
#include "split.hpp"

namespace calipers {
namespace {

// Few scores, in place: keys that fit the cache are sorted fastest without a sample.
template <class T>
void sort_values(T* values, std::size_t n) {
    const std::unique_ptr<Key<T>[]> keys(new Key<T>[2 * n]);
    for (std::size_t k = 0; k < n; ++k) keys[k] = key_of(values[k]);
    radix_sort(keys.get(), n, keys.get() + n);
    for (std::size_t k = 0; k < n; ++k) values[k] = value_of<T>(keys[k]);
}

// The codes of rows, one for each score.
const std::uint16_t* codes_of(const View& codes, const View& scores) {
    if (!codes.holds<std::uint16_t>()) codes.fail(" must be uint16");
    if (scores.n != codes.n) throw nb::value_error("scores and codes differ in length");
    return codes.dense<std::uint16_t>();
}

// Where the rows of each code below `count` begin if they are in the order of codes, and the end.
std::vector<std::int64_t> starts_of(const std::uint16_t* codes, std::size_t n, std::size_t count) {
    std::vector<std::int64_t> begin(count + 1);
    for (std::size_t k = 0; k < n; ++k) {
        if (codes[k] >= count) throw nb::value_error("a code is too large");
        ++begin[codes[k] + 1];
    }
    for (std::size_t c = 0; c < count; ++c) begin[c + 1] += begin[c];
    return begin;
}

nb::object array_of(const std::vector<std::int64_t>& values) {
    const Fresh out(dtype<std::int64_t>(), values.size());
    std::copy(values.begin(), values.end(), out.as<std::int64_t>());
    return out.array;
}

// Scores by the code of their row, each code's in the order of its rows or ascending: (values, where each code begins,
// and the end).
nb::tuple group_scores(nb::handle scores, nb::handle codes, std::size_t count, bool ascending) {
    const View view(scores, "scores"), code_view(codes, "codes");
    const std::uint16_t* const of = codes_of(code_view, view);
    const std::vector<std::int64_t> begin = starts_of(of, view.n, count);
    return view.floats([&](auto zero) {
        using T = decltype(zero);
        const Fresh out(dtype<T>(), view.n);
        std::vector<std::int64_t> at(begin);
        const T* const from = view.dense<T>();
        for (std::size_t k = 0; k < view.n; ++k) out.as<T>()[at[of[k]]++] = from[k];
        if (ascending) {
            nb::gil_scoped_release release;
            for_blocks(count, 1, [&](std::size_t c, std::size_t, std::size_t) {
                sort_values(out.as<T>() + begin[c], std::size_t(begin[c + 1] - begin[c]));
            });
        }
        return nb::make_tuple(out.array, array_of(begin));
    });
}

// Scores and their codes in one word per row, the score in front, so that one sort serves all rows and each code. Scores
// that differ in few of their bits leave room for the code. Words are positive doubles, which the sort of scores takes.
class CodedScores {
public:
    CodedScores(nb::handle scores, nb::handle codes, std::size_t count) : words(nb::none()) {
        const View view(scores, "scores"), code_view(codes, "codes");
        const std::uint16_t* const of = codes_of(code_view, view);
        begin_ = starts_of(of, view.n, count), code_bits_ = bit_length(count == 0 ? 0 : count - 1);
        view.floats([&](auto zero) {
            using T = decltype(zero);
            const T* const x = view.dense<T>();
            is_double_ = sizeof(T) == sizeof(double);
            const Span<Key<T>> span = find_span(x, view.n);
            const int bits = bit_length(span.high - span.low) + code_bits_;
            if (bits > most_bits) return;
            low_ = span.low, base_ = bits <= one_binade ? bits_of_one : least_normal;
            const Fresh out(dtype<double>(), view.n);
            pack(x, of, view.n, out.as<double>());
            words = out.array;
        });
    }

    // Of the words in ascending order: all scores, and those of each code, ascending; and where each code begins.
    nb::tuple part(nb::handle sorted) const {
        const View view(sorted, "words");
        if (!view.holds<double>() || std::int64_t(view.n) != begin_.back()) view.fail(" must be those that were made, sorted");
        const double* const x = view.dense<double>();
        return is_double_ ? part_of<double>(x, view.n) : part_of<float>(x, view.n);
    }

    nb::object words;  // None if there is no room for the codes

private:
    static constexpr int one_binade = 52, most_bits = 62;
    static constexpr std::uint64_t bits_of_one = std::uint64_t{0x3ff} << 52, least_normal = std::uint64_t{1} << 52;

    template <class T>
    CALIPERS_CLONES static Span<Key<T>> find_span(const T* __restrict x, std::size_t n) {
        Key<T> low = ~Key<T>{0}, high = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const Key<T> key = key_of(x[k]);
            low = key < low ? key : low, high = key > high ? key : high;
        }
        return {n > 0 ? low : 0, high, false, false};
    }

    template <class T>
    CALIPERS_CLONES void pack(const T* __restrict x, const std::uint16_t* __restrict codes, std::size_t n,
                              double* __restrict out) const {
        const std::uint64_t low = low_, base = base_;
        const int shift = code_bits_;
        for (std::size_t k = 0; k < n; ++k)
            out[k] = bits<double>(base + (((std::uint64_t(key_of(x[k])) - low) << shift) | codes[k]));
    }

    template <class T>
    nb::tuple part_of(const double* words, std::size_t n) const {
        const Fresh all(dtype<T>(), n), grouped(dtype<T>(), n);
        std::vector<std::int64_t> at(begin_);
        const std::uint64_t mask = (std::uint64_t{1} << code_bits_) - 1;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t word = bits<std::uint64_t>(words[k]) - base_, code = word & mask;
            const T value = value_of<T>(Key<T>(low_ + (word >> code_bits_)));
            if (code + 1 >= at.size() || at[code] >= begin_[code + 1])
                throw nb::value_error("words differ from those that were made");
            all.as<T>()[k] = value, grouped.as<T>()[at[code]++] = value;
        }
        return nb::make_tuple(all.array, grouped.array, array_of(begin_));
    }

    bool is_double_ = true;
    int code_bits_ = 0;
    std::uint64_t low_ = 0, base_ = 0;
    std::vector<std::int64_t> begin_;
};

// How many rows of each code below `count` are positive, and how many are not.
nb::object count_codes(nb::handle codes, nb::handle truth, std::uint32_t positive, std::size_t count) {
    const View view(codes, "codes"), truth_view(truth, "truth");
    if (!view.holds<std::uint16_t>()) view.fail(" must be uint16");
    if (view.n != truth_view.n) throw nb::value_error("codes and truth differ in length");
    const std::uint16_t* const of = view.dense<std::uint16_t>();
    const Positives positives{Codes(truth_view), positive};
    std::vector<std::int64_t> even(1 << 17), odd(1 << 17);  // two, since one would wait for itself where codes repeat
    std::int32_t other[chunk_rows];
    for (std::size_t at = 0; at < view.n; at += chunk_rows) {
        const std::size_t n = std::min(chunk_rows, view.n - at);
        positives.mark_others(at, n, other);
        for (std::size_t k = 0; k < n; k += 2) {
            ++even[2 * of[at + k] + (other[k] & 1)];
            if (k + 1 < n) ++odd[2 * of[at + k + 1] + (other[k + 1] & 1)];
        }
    }
    const Fresh out(dtype<std::int64_t>(), nb::make_tuple(count, 2));
    std::int64_t rows = 0;
    for (std::size_t c = 0; c < std::min(2 * count, even.size()); ++c)
        rows += out.as<std::int64_t>()[c] = even[c] + odd[c];
    if (2 * count > even.size() || rows != std::int64_t(view.n)) throw nb::value_error("a code is too large");
    return out.array;
}

}  // namespace

void init_slices(nb::module_& m) {
    m.def("group_scores", &group_scores, nb::arg("scores"), nb::arg("codes"), nb::arg("count"), nb::arg("ascending") = false,
          "(values, starts): scores by the code of their row, in the order of rows or ascending; those of code k are "
          "values[starts[k]:starts[k + 1]].");
    nb::class_<CodedScores>(m, "CodedScores")
        .def(nb::init<nb::handle, nb::handle, std::size_t>(), nb::arg("scores"), nb::arg("codes"), nb::arg("count"))
        .def_ro("words", &CodedScores::words, "Doubles to be sorted; None if scores and codes do not fit into them.")
        .def("part", &CodedScores::part, nb::arg("words"),
             "(scores, values, starts) of sorted words: all scores ascending, and as group_scores has them by code.");
    m.def("count_codes", &count_codes, nb::arg("codes"), nb::arg("truth"), nb::arg("positive"), nb::arg("count"),
          "How many rows of each of the codes below count are positive, and how many are not.");
}

}  // namespace calipers
