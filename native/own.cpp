// Where the score of a row's own class, or of its own labels, stands among the row's scores.
#include <algorithm>
#include <limits>
#include <vector>

#include "lanes.hpp"
#include "parallel.hpp"
#include "table.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_cells = 1 << 16;

std::size_t rows_a_block(std::size_t columns) {
    return std::max<std::size_t>(16, block_cells / std::max<std::size_t>(columns, 1));
}

template <class T>
constexpr T infinite = std::numeric_limits<T>::infinity();

// The least of f(0) to f(n - 1). Four at a time, because each comparison waits for the one before it.
template <class T, class F>
CALIPERS_INLINE T least_of(std::uint32_t n, const F& f) {
    T least[4] = {infinite<T>, infinite<T>, infinite<T>, infinite<T>};
    std::uint32_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (std::uint32_t l = 0; l < 4; ++l) {
            const T value = f(k + l);
            least[l] = value < least[l] ? value : least[l];
        }
    for (; k < n; ++k) {
        const T value = f(k);
        least[0] = value < least[0] ? value : least[0];
    }
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

// From 1, the highest. Among tied scores the last column ranks first, as a reversed stable sort has it.
template <class T>
CALIPERS_CLONES void rank_rows(const Table<T>& table, const std::uint32_t* own, std::size_t begin, std::size_t end,
                               T* spare, std::uint32_t* out) {
    const std::uint32_t n = std::uint32_t(table.columns);
    for (std::size_t r = begin; r < end; ++r) {
        const T *x = table.row(r, spare), value = x[own[r - begin]];
        const std::uint32_t mine = own[r - begin];
        std::uint32_t rank = 1;
        for (std::uint32_t k = 0; k < n; ++k) rank += (x[k] > value) | ((x[k] == value) & (k > mine));
        out[r] = rank;
    }
}

// The own score less the best of the others.
template <class T>
CALIPERS_CLONES void lead_rows(const Table<T>& table, const std::uint32_t* own, std::size_t begin, std::size_t end,
                               T* spare, double* out) {
    for (std::size_t r = begin; r < end; ++r) {
        const T* x = table.row(r, spare);
        const std::uint32_t mine = own[r - begin], n = std::uint32_t(table.columns);
        const T most = -least_of<T>(n, [=](std::uint32_t k) { return k == mine ? infinite<T> : -x[k]; });
        out[r] = double(x[mine]) - double(most);
    }
}

// Calls f(table, own classes, begin, end, spare, out) for blocks of rows.
template <class Out, class F>
nb::object by_rows(nb::handle scores, nb::handle codes, const F& f) {
    const View view(scores, "scores", 2), code_view(codes, "codes");
    const Codes column(code_view);
    if (code_view.n != view.n) throw nb::value_error("scores and codes differ in length");
    const Fresh out(dtype<Out>(), view.n);
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const Table<T> table(view);
        nb::gil_scoped_release release;
        const std::size_t block = rows_a_block(table.columns);
        for_blocks(table.rows, block, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<T> spare(table.in_place ? 0 : table.columns);
            std::vector<std::uint32_t> own(end - begin);
            column.read(begin, end - begin, own.data());
            if (*std::max_element(own.begin(), own.end()) >= table.columns)
                throw nb::value_error("a code has no column");
            f(table, own.data(), begin, end, spare.data(), out.as<Out>());
        }, 2 * block);
    });
    return out.array;
}

nb::object own_rank(nb::handle scores, nb::handle codes) {
    return by_rows<std::uint32_t>(scores, codes, [](const auto&... given) { rank_rows(given...); });
}

nb::object own_lead(nb::handle scores, nb::handle codes) {
    return by_rows<double>(scores, codes, [](const auto&... given) { lead_rows(given...); });
}

// How many labels score at least as high as the lowest true one; none when no label is true.
template <class T>
CALIPERS_CLONES void cover_rows(const Table<std::uint8_t>& truth, const Table<T>& table, std::size_t begin,
                                std::size_t end, std::uint8_t* spare_truth, T* spare, double* out) {
    const std::uint32_t n = std::uint32_t(table.columns);
    for (std::size_t r = begin; r < end; ++r) {
        const std::uint8_t* held = truth.row(r, spare_truth);
        const T* x = table.row(r, spare);
        const T lowest = least_of<T>(n, [=](std::uint32_t k) { return held[k] ? x[k] : infinite<T>; });
        std::uint32_t labels = 0, as_high = 0;
        for (std::uint32_t k = 0; k < n; ++k) labels |= held[k], as_high += x[k] >= lowest;
        out[r] = labels ? double(as_high) : 0.0;
    }
}

nb::object coverage(nb::handle truth, nb::handle scores) {
    const View judged(truth, "truth", 2), view(scores, "scores", 2);
    if (judged.kind != 'b' && !judged.holds<std::uint8_t>()) judged.fail(" must be bool or uint8");
    if (judged.n != view.n || judged.columns != view.columns) throw nb::value_error("truth and scores differ in shape");
    const Fresh out(dtype<double>(), view.n);
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const Table<T> table(view);
        const Table<std::uint8_t> labels(judged);  // bool has the same bytes
        nb::gil_scoped_release release;
        const std::size_t block = rows_a_block(view.columns);
        for_blocks(view.n, block, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<T> spare(table.in_place ? 0 : view.columns);
            std::vector<std::uint8_t> spare_labels(labels.in_place ? 0 : view.columns);
            cover_rows(labels, table, begin, end, spare_labels.data(), spare.data(), out.as<double>());
        }, 2 * block);
    });
    return out.array;
}

}  // namespace

void init_own(nb::module_& m) {
    m.def("own_rank", &own_rank, nb::arg("scores"), nb::arg("codes"),
          "The rank of each row's own class, from 1; among tied scores the last column ranks first.");
    m.def("own_lead", &own_lead, nb::arg("scores"), nb::arg("codes"),
          "The score of each row's own class less the best of the others.");
    m.def("coverage", &coverage, nb::arg("truth"), nb::arg("scores"),
          "How many labels of each row score at least as high as its lowest true one.");
}

}  // namespace calipers
