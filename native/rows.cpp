// One pass over a matrix of scores: what each row says about its class, and label rankings.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "half_lanes.hpp"
#include "parallel.hpp"
#include "table.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_cells = 1 << 16;
constexpr std::size_t chunk_rows = 256;

// Rows a block: from the shape alone.
std::size_t rows_a_block(std::size_t columns) {
    return std::max<std::size_t>(16, block_cells / std::max<std::size_t>(columns, 1));
}

struct RowSums {
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0, square = 0;
};

// Extremes, sum and sum of squares of a row, by vectors and then the rest. NaN is never an extreme.
template <class T>
CALIPERS_INLINE void sum_row(const T* x, std::size_t n, RowSums& out) {
    F8 sums{}, squares{};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8) {
        F8 v;
        load8(v, x + k);
        sums += v, squares += v * v;
    }
    if (k > 0) out.sum = total(sums), out.square = total(squares);
    for (; k < n; ++k) {
        const double v = double(x[k]);
        out.sum += v, out.square += v * v;
    }
    Extremes<T> range;
    const auto see = [&](double v) { out.low = v < out.low ? v : out.low, out.high = v > out.high ? v : out.high; };
    for (k = 0; k + Extremes<T>::step <= n; k += Extremes<T>::step) range.see(x + k);
    if (k > 0) range.add_to(out.low, out.high);
    for (; k < n; ++k) see(double(x[k]));
}

// The first column that holds the row's maximum.
template <class T>
CALIPERS_INLINE std::size_t first_equal(const T* x, std::size_t n, T value) {
    using V = typename HalfLanes<T>::Value;
    using M = typename HalfLanes<T>::Mask;
    constexpr std::size_t half = HalfLanes<T>::width, width = 2 * half;
    std::size_t k = 0;
    for (; n > 2 * width && k + width <= n; k += width) {
        const M same = (lanes<V>(x + k) == value) | (lanes<V>(x + k + half) == value);
        std::int64_t any = 0;
        for (std::size_t l = 0; l < half; ++l) any |= same[l];
        if (any) break;
    }
    // Backwards and without a way out: where the maximum is cannot be predicted.
    const std::size_t end = std::min(n, k + 2 * width);
    std::size_t at = 0;
    for (std::size_t c = end; c-- > k;) at = x[c] == value ? c : at;
    return at;
}

template <class T>
CALIPERS_INLINE std::uint32_t rank_of(const T* x, std::uint32_t n, std::uint32_t own) {
    const T value = x[own];
    std::uint32_t rank = 1;
    for (std::uint32_t k = 0; k < n; ++k) rank += (x[k] > value) | ((x[k] == value) & (k < own));
    return rank;
}

struct Scan {
    double low = std::numeric_limits<double>::infinity(), high = -low, worst_sum = 1;
    std::size_t nans = 0;
    std::ptrdiff_t first_nan = -1, worst_row = -1;

    // Strictly farther, so that the first row wins a tie; a sum that is NaN is left to `nans`.
    void see_sum(double sum, std::ptrdiff_t row) {
        if (worst_row < 0 ? sum == sum : std::abs(sum - 1) > std::abs(worst_sum - 1)) worst_sum = sum, worst_row = row;
    }

    void merge(const Scan& o) {
        low = std::min(low, o.low), high = std::max(high, o.high);
        nans += o.nans;
        if (first_nan < 0) first_nan = o.first_nan;
        if (o.worst_row >= 0) see_sum(o.worst_sum, o.worst_row);
    }
};

// Where the rows' answers go. Chunks hold codes and top classes in 32 bits, whatever their types outside.
struct RowsOut {
    std::uint32_t* rank;
    double *own, *square;
};

// A call of its own, as for gathered rows: almost no row has one.
template <class T>
[[gnu::noinline]] void see_nans(const T* x, std::size_t n, std::size_t row, Scan& scan) {
    const std::size_t nans = std::count_if(x, x + n, [](T v) { return v != v; });
    if (nans > 0 && scan.first_nan < 0) scan.first_nan = std::ptrdiff_t(row);
    scan.nans += nans;
}

// Where `ranked`, also the top class of each row and the rank of its own.
template <bool ranked, class T>
CALIPERS_CLONES void scan_chunk(const Table<T>& table, const std::uint32_t* codes, std::size_t begin, std::size_t end,
                                T* spare, std::uint32_t* top, RowsOut out, Scan& scan) {
    const std::size_t n = table.columns;
    for (std::size_t r = begin; r < end; ++r) {
        const T* x = table.row(r, spare);
        RowSums sums;
        sum_row(x, n, sums);
        if (sums.sum != sums.sum) see_nans(x, n, r, scan);
        if constexpr (ranked) top[r - begin] = std::uint32_t(first_equal(x, n, T(sums.high)));
        out.square[r] = sums.square;
        scan.low = std::min(scan.low, sums.low), scan.high = std::max(scan.high, sums.high);
        scan.see_sum(sums.sum, std::ptrdiff_t(r));
        if (codes != nullptr) {
            const std::uint32_t own = codes[r - begin];
            if constexpr (ranked) out.rank[r] = rank_of(x, std::uint32_t(n), own);
            out.own[r] = double(x[own]);
        }
    }
}

// keep(top, begin, end) takes the top classes of each chunk.
template <bool ranked, class T, class Keep>
Scan scan_table(const Table<T>& table, const Codes* codes, const RowsOut& out, const Keep& keep) {
    const std::size_t block = rows_a_block(table.columns);
    std::vector<Scan> scans(block_count(table.rows, block));
    for_blocks(table.rows, block, [&](std::size_t b, std::size_t begin, std::size_t end) {
        std::vector<T> spare(table.in_place ? 0 : table.columns);
        std::uint32_t top[chunk_rows], own[chunk_rows];
        for (std::size_t at = begin; at < end; at += chunk_rows) {
            const std::size_t to = std::min(end, at + chunk_rows);
            if (codes != nullptr) {
                codes->read(at, to - at, own);
                std::uint32_t most = 0;
                for (std::size_t i = 0; i < to - at; ++i) most = std::max(most, own[i]);
                if (most >= table.columns) throw nb::value_error("a code has no column");
            }
            scan_chunk<ranked>(table, codes ? own : nullptr, at, to, spare.data(), top, out, scans[b]);
            if constexpr (ranked) keep(top, at, to);
        }
    }, 2 * block);
    Scan all;
    for (const Scan& scan : scans) all.merge(scan);
    return all;
}

nb::tuple scan_rows(nb::handle scores, nb::handle codes, bool ranked) {
    const View view(scores, "scores", 2);
    std::optional<View> code_view;
    std::optional<Codes> column;
    if (!codes.is_none()) {
        column.emplace(code_view.emplace(codes, "codes"));
        if (code_view->n != view.n) throw nb::value_error("scores and codes differ in length");
    }
    const std::size_t labelled = column ? view.n : 0;
    // The largest number of the type stays free, for callers that mark "no class" with it.
    const auto code_type = narrowest(view.columns, [](auto zero) { return dtype<decltype(zero)>(); });
    const Fresh top(code_type, ranked ? view.n : 0), rank(dtype<std::uint32_t>(), ranked ? labelled : 0);
    const Fresh own(dtype<double>(), labelled), square(dtype<double>(), view.n);
    const auto keep = [&](const std::uint32_t* from, std::size_t begin, std::size_t end) {
        narrowest(view.columns, [&](auto zero) {
            using C = decltype(zero);
            const auto narrow = [](std::uint32_t c) { return static_cast<C>(c); };
            std::transform(from, from + (end - begin), top.as<C>() + begin, narrow);
        });
    };
    const Scan all = view.floats([&](auto zero) {
        nb::gil_scoped_release release;
        const Table<decltype(zero)> table(view);
        const Codes* of_rows = column ? &*column : nullptr;
        const RowsOut out{rank.as<std::uint32_t>(), own.as<double>(), square.as<double>()};
        return ranked ? scan_table<true>(table, of_rows, out, keep) : scan_table<false>(table, of_rows, out, keep);
    });
    return nb::make_tuple(top.array, rank.array, own.array, square.array, all.low, all.high, all.nans, all.first_nan,
                          all.worst_sum, all.worst_row);
}

// Both lists ascending. Ties count against the ranking, as in scikit-learn.
template <class T>
void rank_labels(const std::vector<T>& yes, const std::vector<T>& no, double& loss, double& lrap) {
    const std::size_t n = yes.size() + no.size();
    loss = 0, lrap = 1;
    if (yes.empty() || no.empty()) return;
    std::size_t first = 0, below = 0, wrong = 0;
    double precision = 0;
    for (std::size_t k = 0; k < yes.size(); ++k) {
        if (yes[k] != yes[first]) first = k;
        while (below < no.size() && no[below] < yes[k]) ++below;
        wrong += no.size() - below;
        precision += double(yes.size() - first) / double(n - first - below);
    }
    loss = double(wrong) / (double(yes.size()) * double(no.size()));
    lrap = precision / double(yes.size());
}

nb::tuple label_ranking(nb::handle truth, nb::handle scores) {
    const View judged(truth, "truth", 2), view(scores, "scores", 2);
    if (judged.kind != 'b' && !judged.holds<std::uint8_t>()) judged.fail(" must be bool or uint8");
    if (judged.n != view.n || judged.columns != view.columns) throw nb::value_error("truth and scores differ in shape");
    const Fresh loss(dtype<double>(), view.n), lrap(dtype<double>(), view.n);
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const Table<T> table(view);
        const Table<std::uint8_t> labels(judged);  // bool has the same bytes
        nb::gil_scoped_release release;
        const std::size_t block = rows_a_block(view.columns);
        for_blocks(view.n, block, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<T> yes, no;
            for (std::size_t r = begin; r < end; ++r) {
                yes.clear(), no.clear();
                for (std::size_t c = 0; c < view.columns; ++c) (labels.at(r, c) ? yes : no).push_back(table.at(r, c));
                std::sort(yes.begin(), yes.end());
                std::sort(no.begin(), no.end());
                rank_labels(yes, no, loss.as<double>()[r], lrap.as<double>()[r]);
            }
        }, 2 * block);
    });
    return nb::make_tuple(loss.array, lrap.array);
}

}  // namespace

void init_rows(nb::module_& m) {
    m.def("scan_rows", &scan_rows, nb::arg("scores"), nb::arg("codes").none(), nb::arg("ranked") = true,
          "(top, rank, own, square, low, high, nans, first_nan, worst_sum, worst_row) of a score matrix; top and rank "
          "are empty where not asked for.");
    m.def("label_ranking", &label_ranking, nb::arg("truth"), nb::arg("scores"),
          "(loss, lrap) of each row; a row with no or all labels has loss 0 and lrap 1.");
}

}  // namespace calipers
