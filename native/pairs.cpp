// Pair counts between classes in each score column: one-vs-one and one-vs-rest areas of any number of classes. Only a
// column's own class is sorted; all other rows are looked up in it, which is far cheaper than sorting n keys a column.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "lanes.hpp"
#include "parallel.hpp"
#include "table.hpp"

namespace calipers {
namespace {

constexpr std::size_t batch_rows = 512;
constexpr std::size_t at_once = 16;  // searches in flight: enough to hide the latency of one step

// One class's scores in its own column: ascending, with the weight at or above each place and the end of each tie.
template <class T>
struct Own {
    std::vector<T> values;
    std::vector<double> above;
    std::vector<std::uint32_t> tie_end;
    std::vector<std::int32_t> starts;
    T low = 0, scale = 0;

    explicit Own(std::vector<std::pair<T, double>> rows) : above(rows.size() + 1), tie_end(rows.size() + 1) {
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        const std::size_t n = rows.size();
        values.reserve(n);
        for (const auto& row : rows) values.push_back(row.first);
        for (std::size_t k = n; k-- > 0;) {
            above[k] = above[k + 1] + rows[k].second;
            tie_end[k] = k + 1 < n && values[k] == values[k + 1] ? tie_end[k + 1] : std::uint32_t(k + 1);
        }
        tie_end[n] = std::uint32_t(n);
        if (n > 0) tabulate();
    }

    // Equal slices of the range. Rounding keeps the order of values, so slices never disagree with the search.
    std::size_t bucket(T v) const {
        const T x = (v - low) * scale, last = T(starts.size() - 2);
        return std::size_t(x > 0 ? (x < last ? x : last) : T(0));
    }

    // The weight of own rows above v, plus half of those that tie.
    double placement(T v, std::uint32_t at) const {
        const std::uint32_t end = at < values.size() && values[at] == v ? tie_end[at] : at;
        return (above[at] + above[end]) / 2;
    }

private:
    void tabulate() {
        const std::size_t slices = std::max<std::size_t>(1, values.size() / 2);
        starts.assign(slices + 1, 0);
        const T range = values.back() - values.front();
        // Infinite or constant scores fall into one slice, and the search does it all.
        if (range > 0 && range <= std::numeric_limits<T>::max() && std::isfinite(T(slices) / range))
            low = values.front(), scale = T(slices) / range;
        for (const T v : values) ++starts[bucket(v) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
    }
};

// First places not below v[0..count): the table gives a range, a search finishes it. Sixteen searches take the same
// steps, so that they overlap (and vectorise): each range is stretched to the longest of them.
template <class T>
CALIPERS_CLONES void find_places(const Own<T>& own, const T* v, std::size_t count, std::uint32_t* out) {
    const T* values = own.values.data();
    const std::int32_t n = std::int32_t(own.values.size());
    for (std::size_t r = 0; r < count; r += at_once) {
        std::int32_t at[at_once], left = 1;
        for (std::size_t l = 0; l < at_once; ++l) {
            const std::size_t b = own.bucket(v[r + l]);
            at[l] = own.starts[b];
            left = std::max(left, own.starts[b + 1] - own.starts[b]);
        }
        for (std::size_t l = 0; l < at_once; ++l) at[l] = std::min(at[l], n - left);
        for (; left > 1; left -= left / 2)
            for (std::size_t l = 0; l < at_once; ++l) at[l] += values[at[l] + left / 2 - 1] < v[r + l] ? left / 2 : 0;
        for (std::size_t l = 0; l < at_once; ++l) out[r + l] = std::uint32_t(at[l] + (values[at[l]] < v[r + l]));
    }
}

// Columns [begin, end): neighbours share cache lines, so a batch of rows serves all of them while it is near.
template <class T>
void pair_columns(const Table<T>& scores, const Codes& codes, const double* weights, std::size_t begin, std::size_t end,
                  double* out) {
    T values[batch_rows];
    std::uint32_t places[batch_rows], code[batch_rows];
    std::vector<std::vector<std::pair<T, double>>> mine(end - begin);
    for (std::size_t first = 0; first < scores.rows; first += batch_rows) {
        const std::size_t count = std::min(batch_rows, scores.rows - first);
        codes.read(first, count, code);
        for (std::size_t r = 0; r < count; ++r) {
            if (code[r] >= scores.columns) throw nb::value_error("a code has no column");
            if (code[r] >= begin && code[r] < end)
                mine[code[r] - begin].emplace_back(scores.at(first + r, code[r]), weights ? weights[first + r] : 1.0);
        }
    }
    const std::vector<Own<T>> own(mine.begin(), mine.end());
    for (std::size_t first = 0; first < scores.rows; first += batch_rows) {
        const std::size_t count = std::min(batch_rows, scores.rows - first);
        codes.read(first, count, code);
        for (std::size_t k = begin; k < end; ++k) {
            const Own<T>& o = own[k - begin];
            if (o.values.empty()) continue;
            for (std::size_t r = 0; r < count; ++r) values[r] = scores.at(first + r, k);
            std::fill(values + count, values + batch_rows, T(0));
            find_places(o, values, count, places);
            double* row = out + k * scores.columns;
            for (std::size_t r = 0; r < count; ++r)
                row[code[r]] += (weights ? weights[first + r] : 1.0) * o.placement(values[r], places[r]);
        }
    }
    for (std::size_t k = begin; k < end; ++k) out[k * scores.columns + k] = 0;
}

nb::object pair_counts(nb::handle scores, nb::handle codes, nb::handle weights) {
    const View view(scores, "scores", 2), code_view(codes, "codes");
    const Codes column(code_view);
    const Weights w(weights, "weights", view.n);
    if (code_view.n != view.n) throw nb::value_error("scores and codes differ in length");
    const std::size_t classes = view.columns;
    const Fresh out(dtype<double>(), nb::make_tuple(classes, classes));
    view.floats([&](auto zero) {
        const Table<decltype(zero)> table(view);
        nb::gil_scoped_release release;
        std::fill_n(out.as<double>(), classes * classes, 0.0);
        // Few classes go one by one, so that every thread has some.
        const std::size_t tile = classes < 16 ? 1 : 4;
        for_blocks(classes, tile, [&](std::size_t, std::size_t begin, std::size_t end) {
            pair_columns(table, column, w.data, begin, end, out.as<double>());
        }, table.rows * classes > 20'000 ? 2 : classes + 1);
    });
    return out.array;
}

}  // namespace

void init_pairs(nb::module_& m) {
    m.def("pair_counts", &pair_counts, nb::arg("scores"), nb::arg("codes"), nb::arg("weights").none() = nb::none(),
          "U[k, j]: pairs of class k over class j in column k, half a tie each.");
}

}  // namespace calipers
