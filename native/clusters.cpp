// Kernels of clusterings: the expected mutual information of two sets of margins, and distances between rows by cluster.
#include <algorithm>
#include <cmath>
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

// What is known of one row: the sum of its distances to its own cluster, the least mean distance to another cluster and
// which one that is, its nearest row elsewhere and the farthest of its own.
struct Found {
    double own = 0, other = std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::uint32_t nearest = 0;
};

// Rows to which distances are taken: feature by feature, the rows of one cluster side by side and each cluster padded to
// whole vectors with copies of one of its rows, so that eight distances are found together and none is looked up.
struct Sorted {
    const double* columns;
    std::size_t width, features, clusters;
    const std::int64_t *begins, *sizes;
};

// Plain loops over eight doubles, which GCC turns into vectors of the machine; it takes vector types wider than the
// registers apart into single numbers.
CALIPERS_CLONES void distances(const Sorted& to, const double* rows, const std::uint32_t* own, Found* out) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::size_t features = to.features, width = to.width;
    for (std::size_t c = 0; c < to.clusters; ++c) {
        alignas(64) double sum[at_once][eight] = {}, low[at_once][eight], high[at_once][eight] = {};
        for (auto& each : low) std::fill_n(each, eight, infinite);
        const std::size_t begin = static_cast<std::size_t>(to.begins[c]), size = static_cast<std::size_t>(to.sizes[c]);
        for (std::size_t j = 0; j < size; j += eight) {
            alignas(64) double square[at_once][eight] = {};
            const double* at = to.columns + begin + j;
            for (std::size_t f = 0; f < features; ++f, at += width)
                for (std::size_t r = 0; r < at_once; ++r) {
                    const double x = rows[r * features + f];
                    for (std::size_t l = 0; l < eight; ++l) {
                        const double gap = at[l] - x;
                        square[r][l] += gap * gap;
                    }
                }
            const std::size_t real = std::min(eight, size - j);  // the others are copies
            for (std::size_t r = 0; r < at_once; ++r) {
                alignas(64) double d[eight];
                for (std::size_t l = 0; l < eight; ++l) d[l] = std::sqrt(square[r][l]);
                for (std::size_t l = 0; l < eight; ++l) {
                    low[r][l] = d[l] < low[r][l] ? d[l] : low[r][l];
                    high[r][l] = d[l] > high[r][l] ? d[l] : high[r][l];
                }
                for (std::size_t l = real; l < eight; ++l) d[l] = 0;
                for (std::size_t l = 0; l < eight; ++l) sum[r][l] += d[l];
            }
        }
        for (std::size_t r = 0; r < at_once; ++r) {
            double least = infinite, most = 0, total = 0;
            for (std::size_t l = 0; l < eight; ++l) {
                least = std::min(least, low[r][l]), most = std::max(most, high[r][l]);
                total += sum[r][l];
            }
            Found& found = out[r];
            if (c == own[r]) {
                found.own = total, found.most = most;
                continue;
            }
            const double mean = total / double(size);
            if (mean < found.other) found.other = mean, found.nearest = static_cast<std::uint32_t>(c);
            found.least = std::min(found.least, least);
        }
    }
}

nb::object cluster_distances(nb::handle columns, nb::handle begins, nb::handle sizes, nb::handle rows, nb::handle own) {
    const View table(columns, "columns", 2), from(begins, "begins"), count(sizes, "sizes"), x(rows, "rows", 2);
    const View codes(own, "own");
    const bool floats = table.holds<double>() && x.holds<double>();
    if (!floats || !from.holds<std::int64_t>() || !count.holds<std::int64_t>() || !codes.holds<std::uint32_t>())
        table.fail(" and rows must be float64, begins and sizes int64, own uint32");
    if (x.columns != table.n || codes.n != x.n || from.n != count.n) x.fail(" do not fit the columns");
    const auto flat = [](const View& v) {
        return v.across == sizeof(double) && (v.n < 2 || v.stride == static_cast<std::ptrdiff_t>(v.columns * sizeof(double)));
    };
    if (!flat(table) || !flat(x)) table.fail(" and rows must be contiguous");
    const Sorted to{reinterpret_cast<const double*>(table.data), table.columns, table.n, from.n,
                    from.dense<std::int64_t>(), count.dense<std::int64_t>()};
    const double* const points = reinterpret_cast<const double*>(x.data);
    const std::uint32_t* const mine = codes.dense<std::uint32_t>();
    const Fresh own_sums(dtype<double>(), x.n), others(dtype<double>(), x.n), least(dtype<double>(), x.n);
    const Fresh most(dtype<double>(), x.n), nearest(dtype<std::uint32_t>(), x.n);
    {
        nb::gil_scoped_release release;
        for_blocks(x.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<double> four(at_once * to.features);
            for (std::size_t i = begin; i < end; i += at_once) {
                Found found[at_once];
                std::uint32_t of[at_once];
                for (std::size_t r = 0; r < at_once; ++r) {  // the last row again where fewer are left
                    const std::size_t row = std::min(i + r, end - 1);
                    std::copy_n(points + row * to.features, to.features, four.data() + r * to.features);
                    of[r] = mine[row];
                }
                distances(to, four.data(), of, found);
                for (std::size_t r = 0; r < std::min(at_once, end - i); ++r) {
                    own_sums.as<double>()[i + r] = found[r].own, others.as<double>()[i + r] = found[r].other;
                    least.as<double>()[i + r] = found[r].least, most.as<double>()[i + r] = found[r].most;
                    nearest.as<std::uint32_t>()[i + r] = found[r].nearest;
                }
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
    m.def("cluster_distances", &cluster_distances, nb::arg("columns"), nb::arg("begins"), nb::arg("sizes"), nb::arg("rows"),
          nb::arg("own"),
          "(own sum, least mean of another cluster, that cluster, least distance elsewhere, greatest within) of each row.");
}

}  // namespace calipers
