// Kernels of clusterings: the expected mutual information of two sets of margins, and distances between rows by cluster.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "array.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

// The mean of k/n log(nk / ab) where k, the rows that a class of a rows and a cluster of b rows have in common, is
// hypergeometric. The terms go out from the mode, each from the one before, until they no longer count; divided by their
// own sum, so that no factorial is needed and no digit is lost in one.
double expected_cell(double a, double b, double n) {
    const double least = std::max(0.0, a + b - n), most = std::min(a, b);
    const double mode = std::min(most, std::max(least, std::floor((a + 1) * (b + 1) / (n + 2))));
    constexpr double negligible = 1e-19;
    const double scale = n / (a * b);
    double weight = 1, sum = 0, total = 0;
    for (double k = mode; k <= most && weight > negligible; ++k) {
        total += weight;
        if (k > 0) sum += weight * k * std::log(k * scale);
        weight *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1));
    }
    weight = mode * (n - a - b + mode) / ((a - mode + 1) * (b - mode + 1));
    for (double k = mode - 1; k >= least && weight > negligible; --k) {
        total += weight;
        if (k > 0) sum += weight * k * std::log(k * scale);
        weight *= k * (n - a - b + k) / ((a - k + 1) * (b - k + 1));
    }
    return sum / total / n;
}

double expected_information(nb::handle sizes_a, nb::handle times_a, nb::handle sizes_b, nb::handle times_b) {
    const View va(sizes_a, "sizes"), wa(times_a, "times"), vb(sizes_b, "sizes"), wb(times_b, "times");
    for (const View* view : {&va, &wa, &vb, &wb})
        if (!view->holds<std::int64_t>()) view->fail(" must be int64");
    if (va.n != wa.n || vb.n != wb.n) va.fail(" and times differ in length");
    const std::int64_t *a = va.dense<std::int64_t>(), *ta = wa.dense<std::int64_t>();
    const std::int64_t *b = vb.dense<std::int64_t>(), *tb = wb.dense<std::int64_t>();
    double n = 0;
    for (std::size_t i = 0; i < va.n; ++i) n += double(a[i]) * double(ta[i]);
    std::vector<double> parts(va.n);
    {
        nb::gil_scoped_release release;
        for_blocks(va.n, 1, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = 0; j < vb.n; ++j)
                    parts[i] += double(ta[i]) * double(tb[j]) * expected_cell(double(a[i]), double(b[j]), n);
        }, 4);
    }
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

constexpr std::size_t eight = 8, at_once = 4, block_rows = 32;
constexpr std::size_t near_values = std::size_t{1} << 13;  // of columns that stay in the cache while rows are compared

// What is known of one row: the sum of its distances to its own cluster, the least mean distance to another cluster and
// which one that is, its nearest row elsewhere and the farthest of its own.
struct Found {
    double own = 0, other = std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::uint32_t nearest = 0;
};

// Rows to which distances are taken: the rows of one cluster side by side, in groups of eight that are stored feature by
// feature, so that eight distances are found together and none is looked up. The last group of a cluster is filled with
// copies of one of its rows. begins: the first group of each cluster; sizes: its rows.
struct Groups {
    const double* values;
    std::size_t features, clusters;
    const std::int64_t *begins, *sizes;
};

// Of four rows and the rows of one cluster, in each of eight lanes: sums of distances, least and greatest squares.
struct Lane {
    alignas(64) double sum[at_once * eight], low[at_once * eight], high[at_once * eight];
};

// Half a group: GCC keeps these in registers, and takes vectors that are wider than a register apart.
typedef double F4 __attribute__((vector_size(32)));

CALIPERS_INLINE F4 four(const double* at) {
    F4 v;
    std::memcpy(&v, at, sizeof(v));
    return v;
}

// Differences first, then squares: the shorter |a|^2 + |b|^2 - 2ab loses the digits of rows that are close together.
// rows: feature by feature, four rows side by side. real: rows of the last group that are not copies.
CALIPERS_CLONES void distances(const double* group, std::size_t groups, std::size_t features, const double* rows,
                               std::size_t real, Lane& lane) {
    for (std::size_t g = 0; g < groups; ++g) {
        F4 a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{};
        const double* x = rows;
        for (std::size_t f = 0; f < features; ++f, group += eight, x += at_once) {
            const F4 left = four(group), right = four(group + eight / 2);
            const F4 a = left - x[0], b = left - x[1], c = left - x[2], d = left - x[3];
            a0 += a * a, b0 += b * b, c0 += c * c, d0 += d * d;
            const F4 e = right - x[0], h = right - x[1], k = right - x[2], m = right - x[3];
            a1 += e * e, b1 += h * h, c1 += k * k, d1 += m * m;
        }
        alignas(64) double square[at_once * eight];
        const F4 all[] = {a0, a1, b0, b1, c0, c1, d0, d1};
        std::memcpy(square, all, sizeof(square));
        for (std::size_t i = 0; i < at_once * eight; ++i) {
            lane.low[i] = square[i] < lane.low[i] ? square[i] : lane.low[i];
            lane.high[i] = square[i] > lane.high[i] ? square[i] : lane.high[i];
        }
        if (g + 1 == groups && real < eight)
            for (std::size_t i = 0; i < at_once * eight; ++i) square[i] = i % eight < real ? square[i] : 0;
        for (std::size_t i = 0; i < at_once * eight; ++i) lane.sum[i] += std::sqrt(square[i]);
    }
}

// What a cluster adds to what is known of four rows.
void add(std::size_t cluster, double size, const std::uint32_t* own, const Lane& lane, Found* out) {
    for (std::size_t r = 0; r < at_once; ++r) {
        const double *sum = lane.sum + r * eight, *low = lane.low + r * eight, *high = lane.high + r * eight;
        double total = 0;
        for (std::size_t l = 0; l < eight; ++l) total += sum[l];
        Found& found = out[r];
        if (cluster == own[r]) {
            found.own = total, found.most = std::sqrt(*std::max_element(high, high + eight));
            continue;
        }
        const double mean = total / size;
        if (mean < found.other) found.other = mean, found.nearest = static_cast<std::uint32_t>(cluster);
        found.least = std::min(found.least, std::sqrt(*std::min_element(low, low + eight)));
    }
}

// Some rows, four by four, to all: a part of a cluster stays in the cache while every four are compared with it.
void of_rows(const Groups& to, const double* rows, const std::uint32_t* own, std::size_t fours, Found* out) {
    const std::size_t step = std::max<std::size_t>(1, near_values / (eight * to.features));
    std::vector<Lane> lanes(fours);
    for (std::size_t c = 0; c < to.clusters; ++c) {
        for (Lane& lane : lanes) {
            std::fill_n(lane.sum, at_once * eight, 0.0), std::fill_n(lane.high, at_once * eight, 0.0);
            std::fill_n(lane.low, at_once * eight, std::numeric_limits<double>::infinity());
        }
        const std::size_t size = static_cast<std::size_t>(to.sizes[c]), groups = (size + eight - 1) / eight;
        for (std::size_t g = 0; g < groups; g += step) {
            const std::size_t count = std::min(step, groups - g), real = std::min(eight, size - (g + count - 1) * eight);
            const double* const values = to.values + (static_cast<std::size_t>(to.begins[c]) + g) * eight * to.features;
            for (std::size_t i = 0; i < fours; ++i)
                distances(values, count, to.features, rows + i * at_once * to.features, real, lanes[i]);
        }
        for (std::size_t i = 0; i < fours; ++i) add(c, double(size), own + i * at_once, lanes[i], out + i * at_once);
    }
}

nb::object cluster_distances(nb::handle groups, nb::handle begins, nb::handle sizes, nb::handle rows, nb::handle own) {
    const View table(groups, "groups", 2), from(begins, "begins"), count(sizes, "sizes"), x(rows, "rows", 2);
    const View codes(own, "own");
    const bool floats = table.holds<double>() && x.holds<double>();
    if (!floats || !from.holds<std::int64_t>() || !count.holds<std::int64_t>() || !codes.holds<std::uint32_t>())
        table.fail(" and rows must be float64, begins and sizes int64, own uint32");
    const std::size_t features = x.columns;
    if (!features || table.columns != eight * features || codes.n != x.n || from.n != count.n)
        x.fail(" do not fit the groups");
    const std::int64_t *const first = from.dense<std::int64_t>(), *const each = count.dense<std::int64_t>();
    for (std::size_t c = 0; c < from.n; ++c)
        if (first[c] < 0 || each[c] < 1 || first[c] + (each[c] + 7) / 8 > static_cast<std::int64_t>(table.n))
            count.fail(" do not fit the groups");
    const auto flat = [](const View& v) {
        return v.across == sizeof(double) && (v.n < 2 || v.stride == static_cast<std::ptrdiff_t>(v.columns * sizeof(double)));
    };
    if (!flat(table) || !flat(x)) table.fail(" and rows must be contiguous");
    const Groups to{reinterpret_cast<const double*>(table.data), features, from.n, first, each};
    const double* const points = reinterpret_cast<const double*>(x.data);
    const std::uint32_t* const mine = codes.dense<std::uint32_t>();
    const Fresh own_sums(dtype<double>(), x.n), others(dtype<double>(), x.n), least(dtype<double>(), x.n);
    const Fresh most(dtype<double>(), x.n), nearest(dtype<std::uint32_t>(), x.n);
    {
        nb::gil_scoped_release release;
        for_blocks(x.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<double> packed(block_rows * features);
            std::uint32_t of[block_rows];
            Found found[block_rows];
            const std::size_t fours = (end - begin + at_once - 1) / at_once;
            for (std::size_t i = 0; i < fours * at_once; ++i) {  // the last row again where fewer are left
                const std::size_t row = std::min(begin + i, end - 1);
                of[i] = mine[row];
                double* const to_row = packed.data() + i / at_once * at_once * features + i % at_once;
                for (std::size_t f = 0; f < features; ++f) to_row[f * at_once] = points[row * features + f];
            }
            of_rows(to, packed.data(), of, fours, found);
            for (std::size_t i = begin; i < end; ++i) {
                const Found& row = found[i - begin];
                own_sums.as<double>()[i] = row.own, others.as<double>()[i] = row.other;
                least.as<double>()[i] = row.least, most.as<double>()[i] = row.most;
                nearest.as<std::uint32_t>()[i] = row.nearest;
            }
        }, 2 * block_rows);
    }
    return nb::make_tuple(own_sums.array, others.array, nearest.array, least.array, most.array);
}

}  // namespace

void init_clusters(nb::module_& m) {
    m.def("expected_information", &expected_information, nb::arg("sizes_a"), nb::arg("times_a"), nb::arg("sizes_b"),
          nb::arg("times_b"),
          "The mean mutual information of tables with these margins: sizes, and how many classes or clusters have each.");
    m.def("cluster_distances", &cluster_distances, nb::arg("groups"), nb::arg("begins"), nb::arg("sizes"), nb::arg("rows"),
          nb::arg("own"),
          "(own sum, least mean of another cluster, that cluster, least distance elsewhere, greatest within) of each row.");
}

}  // namespace calipers
