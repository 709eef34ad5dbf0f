// Sums over bins of a sorted sample: what calibration compares is per-bin weight, score and squared score. Beside them, how
// often its values repeat.
#include <algorithm>
#include <vector>

#include <nanobind/stl/vector.h>

#include "array.hpp"
#include "parallel.hpp"
#include "twin.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

struct Sums {
    double weight = 0, squares = 0, total = 0, total2 = 0;
    void add(const Sums& o) {
        weight += o.weight;
        squares += o.squares;
        total += o.total;
        total2 += o.total2;
    }
};

struct Task {
    std::size_t bin, begin, end;
};

struct Unweighted {
    template <class V, class T>
    CALIPERS_INLINE static void run(const T* x, std::size_t n, Sums& out) {
        V one{}, two{}, v;
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8) {
            load8(v, x + i);
            one += v, two += v * v;
        }
        double ones[8], twos[8];
        store8(ones, one), store8(twos, two);
        out.weight = out.squares = static_cast<double>(n);
        for (int j = 0; j < 8; ++j, ++i) {
            const double last = i < n ? x[i] : 0;
            out.total += ones[j] + last, out.total2 += twos[j] + last * last;
        }
    }
};

struct Weighted {
    template <class V, class T>
    CALIPERS_INLINE static void run(const T* x, const double* w, std::size_t n, Sums& out) {
        V weight{}, squares{}, one{}, two{}, v;
        const auto add = [&](const T* at, const double* own) __attribute__((always_inline)) {
            const V by = from8<V>(own);
            load8(v, at);
            const V wv = by * v;
            weight += by, squares += by * by, one += wv, two += wv * v;
        };
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8) add(x + i, w + i);
        T last[8] = {};
        double last_weights[8] = {};
        std::copy(x + i, x + n, last), std::copy(w + i, w + n, last_weights);
        add(last, last_weights);
        out = {total(weight), total(squares), total(one), total(two)};
    }
};

template <class T>
void sum_bins(const T* x, const double* w, const std::vector<Task>& tasks, std::vector<Sums>& parts) {
    const std::size_t rows = tasks.empty() ? 0 : tasks.back().end;
    for_blocks(tasks.size(), 1, [&](std::size_t t, std::size_t, std::size_t) {
        const Task& task = tasks[t];
        const std::size_t n = task.end - task.begin;
        if (w)
            on_lanes<Weighted>(x + task.begin, w + task.begin, n, parts[t]);
        else
            on_lanes<Unweighted>(x + task.begin, n, parts[t]);
    }, rows < (std::size_t{1} << 18) ? tasks.size() + 1 : 0);
}

// cuts: bins + 1 ascending positions in the sample. Rows of the result: weight, squared weight, score, squared score.
nb::object bin_sums(nb::handle values, nb::handle weights, const std::vector<std::size_t>& cuts) {
    const View x(values, "values");
    const Weights w(weights, "weights", x.n);
    if (cuts.empty() || !std::is_sorted(cuts.begin(), cuts.end()) || cuts.back() > x.n)
        throw nb::value_error("cuts must ascend and end within the values");
    const std::size_t bins = cuts.size() - 1;
    std::vector<Task> tasks;
    for (std::size_t b = 0; b < bins; ++b)
        for (std::size_t at = cuts[b]; at < cuts[b + 1]; at += block_rows)
            tasks.push_back({b, at, std::min(cuts[b + 1], at + block_rows)});
    std::vector<Sums> parts(tasks.size());
    x.floats([&](auto zero) {
        const auto* rows = x.dense<decltype(zero)>();
        nb::gil_scoped_release release;
        sum_bins(rows, w.data, tasks, parts);
    });
    const Fresh out(dtype<double>(), nb::make_tuple(4, bins));
    double* rows = out.as<double>();
    std::fill_n(rows, 4 * bins, 0.0);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::size_t b = tasks[t].bin;
        rows[b] += parts[t].weight;
        rows[bins + b] += parts[t].squares;
        rows[2 * bins + b] += parts[t].total;
        rows[3 * bins + b] += parts[t].total2;
    }
    return out.array;
}

constexpr std::size_t repeat_rows = 64;

// Whether one of so many values is the one before it.
template <class T>
CALIPERS_CLONES bool any_repeats(const T* x) {
    int any = 0;
    for (std::size_t k = 0; k < repeat_rows; ++k) any |= x[k] == *(x + k - 1);
    return any != 0;
}

// How many distinct values of an ascending column occur 0, 1, ... `most` times; the last number is of those and more.
nb::object count_repeats(nb::handle values, std::size_t most) {
    const View view(values, "values");
    const Fresh out(dtype<std::int64_t>(), most + 1);
    std::int64_t* const counts = out.as<std::int64_t>();
    std::fill_n(counts, most + 1, 0);
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const T* const x = view.dense<T>();
        std::size_t begin = 0, k = 1;  // where the present value began, and the next row
        for (; k + repeat_rows <= view.n; k += repeat_rows) {
            if (!any_repeats(x + k)) {  // most columns have none, which takes no branch to see
                ++counts[std::min(k - begin, most)], counts[1] += repeat_rows - 1;
                begin = k + repeat_rows - 1;
                continue;
            }
            for (std::size_t r = k; r < k + repeat_rows; ++r)
                if (x[r] != x[begin]) ++counts[std::min(r - begin, most)], begin = r;
        }
        for (; k <= view.n; ++k)
            if (k == view.n || x[k] != x[begin]) ++counts[std::min(k - begin, most)], begin = k;
    });
    return out.array;
}

}  // namespace

void init_bins(nb::module_& m) {
    m.def("bin_sums", &bin_sums, nb::arg("values"), nb::arg("weights").none(), nb::arg("cuts"),
          "Weight, squared weight, score and squared score by bin of a contiguous sorted sample.");
    m.def("count_repeats", &count_repeats, nb::arg("values"), nb::arg("most"),
          "How many distinct values of an ascending column occur 0, 1, ... `most` times; the last is of those and more.");
}

}  // namespace calipers
