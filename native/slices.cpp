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

// Scores by the code of their row, each code's in the order of its rows or ascending: (values, where each code begins,
// and the end).
nb::tuple group_scores(nb::handle scores, nb::handle codes, std::size_t count, bool ascending) {
    const View view(scores, "scores"), code_view(codes, "codes");
    if (!code_view.holds<std::uint16_t>()) code_view.fail(" must be uint16");
    if (view.n != code_view.n) throw nb::value_error("scores and codes differ in length");
    const std::uint16_t* const of = code_view.dense<std::uint16_t>();
    const Fresh starts(dtype<std::int64_t>(), count + 1);
    std::int64_t* const begin = starts.as<std::int64_t>();
    std::fill_n(begin, count + 1, 0);
    for (std::size_t k = 0; k < view.n; ++k) {
        if (of[k] >= count) throw nb::value_error("a code is too large");
        ++begin[of[k] + 1];
    }
    for (std::size_t c = 0; c < count; ++c) begin[c + 1] += begin[c];
    return view.floats([&](auto zero) {
        using T = decltype(zero);
        const Fresh out(dtype<T>(), view.n);
        std::vector<std::int64_t> at(begin, begin + count);
        const T* const from = view.dense<T>();
        for (std::size_t k = 0; k < view.n; ++k) out.as<T>()[at[of[k]]++] = from[k];
        if (ascending) {
            nb::gil_scoped_release release;
            for_blocks(count, 1, [&](std::size_t c, std::size_t, std::size_t) {
                sort_values(out.as<T>() + begin[c], std::size_t(begin[c + 1] - begin[c]));
            });
        }
        return nb::make_tuple(out.array, starts.array);
    });
}

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
    m.def("count_codes", &count_codes, nb::arg("codes"), nb::arg("truth"), nb::arg("positive"), nb::arg("count"),
          "How many rows of each of the codes below count are positive, and how many are not.");
}

}  // namespace calipers
