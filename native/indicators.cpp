// Two 0/1 matrices against each other: rows that may carry any number of labels.
#include <algorithm>
#include <vector>

#include "parallel.hpp"
#include "table.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_cells = 1 << 17;
constexpr std::size_t narrow_rows = 255;  // the most ones that a byte can count

struct Pair {
    View left, right;
    Table<std::uint8_t> truth, pred;  // bool has the same bytes
    std::size_t rows, columns;

    Pair(nb::handle y, nb::handle p)
        : left(y, "truth", 2), right(p, "pred", 2), truth(left), pred(right), rows(left.n), columns(left.columns) {
        for (const View* view : {&left, &right})
            if (view->kind != 'b' && !view->holds<std::uint8_t>()) view->fail(" must be bool, or uint8 of 0 and 1");
        if (rows != right.n || columns != right.columns) throw nb::value_error("truth and pred differ in shape");
    }

    std::size_t block(std::size_t least) const {
        return std::max(least, block_cells / std::max<std::size_t>(columns, 1));
    }
};

// TP, FP, FN and TN one after the other, one column each.
template <class S>
struct Four {
    explicit Four(std::size_t columns) : all(4 * columns) {}
    std::vector<S> all;
};

// Counted in bytes first, because eight times as many fit into one instruction. TN are the rest.
void count_rows(const Pair& pair, std::size_t begin, std::size_t end, std::uint8_t* spare, Four<std::uint8_t>& bytes,
                Four<std::int64_t>& out) {
    const std::size_t n = pair.columns;
    for (std::size_t from = begin; from < end; from += narrow_rows) {
        std::fill(bytes.all.begin(), bytes.all.end(), std::uint8_t{0});
        std::uint8_t *__restrict tp = bytes.all.data(), *__restrict fp = tp + n, *__restrict fn = fp + n;
        const std::size_t to = std::min(end, from + narrow_rows);
        for (std::size_t r = from; r < to; ++r) {
            const std::uint8_t *t = pair.truth.row(r, spare), *p = pair.pred.row(r, spare + n);
            for (std::size_t k = 0; k < n; ++k) tp[k] += t[k] & p[k], fp[k] += ~t[k] & p[k], fn[k] += t[k] & ~p[k];
        }
        for (std::size_t i = 0; i < 3 * n; ++i) out.all[i] += bytes.all[i];
        for (std::size_t k = 0; k < n; ++k) out.all[3 * n + k] += std::int64_t(to - from) - tp[k] - fp[k] - fn[k];
    }
}

// Each outcome has its own sum: as a difference, a weight of 0 would come out as a rounding error.
void weigh_rows(const Pair& pair, const double* weights, std::size_t begin, std::size_t end, std::uint8_t* spare,
                Four<double>& out) {
    const std::size_t n = pair.columns;
    double *__restrict tp = out.all.data(), *__restrict fp = tp + n, *__restrict fn = fp + n, *__restrict tn = fn + n;
    for (std::size_t r = begin; r < end; ++r) {
        const std::uint8_t *t = pair.truth.row(r, spare), *p = pair.pred.row(r, spare + n);
        const double w = weights[r];
        for (std::size_t k = 0; k < n; ++k) {
            tp[k] += w * (t[k] & p[k]), fp[k] += w * (~t[k] & p[k]), fn[k] += w * (t[k] & ~p[k]);
            tn[k] += w * (1 ^ (t[k] | p[k]));
        }
    }
}

template <class S, class Count>
nb::object by_column(const Pair& pair, const Count& count) {
    const std::size_t block = pair.block(narrow_rows), cells = 4 * pair.columns;
    std::vector<Four<S>> parts(block_count(pair.rows, block), Four<S>(pair.columns));
    {
        nb::gil_scoped_release release;
        const auto task = [&](std::size_t b, std::size_t begin, std::size_t end) { count(begin, end, parts[b]); };
        for_blocks(pair.rows, block, task, 2 * block);
    }
    const Fresh out(dtype<S>(), nb::make_tuple(4, pair.columns));
    std::fill_n(out.as<S>(), cells, S{0});
    for (const Four<S>& part : parts)
        for (std::size_t i = 0; i < cells; ++i) out.as<S>()[i] += part.all[i];
    return out.array;
}

nb::object label_counts(nb::handle truth, nb::handle pred, nb::handle weights) {
    const Pair pair(truth, pred);
    const Weights w(weights, "weights", pair.rows);
    if (w.data != nullptr)
        return by_column<double>(pair, [&](std::size_t begin, std::size_t end, Four<double>& out) {
            std::vector<std::uint8_t> spare(2 * pair.columns);
            weigh_rows(pair, w.data, begin, end, spare.data(), out);
        });
    return by_column<std::int64_t>(pair, [&](std::size_t begin, std::size_t end, Four<std::int64_t>& out) {
        std::vector<std::uint8_t> spare(2 * pair.columns);
        Four<std::uint8_t> bytes(pair.columns);
        count_rows(pair, begin, end, spare.data(), bytes, out);
    });
}

// How often two labels of a row had these outcomes: TP, FP and FN of every label against TP, FP and FN of every label.
template <class S, class Weight>
nb::object paired_outcomes(const Pair& pair, const Weight& weight) {
    const std::size_t n = pair.columns, side = 3 * n;
    const std::size_t block = std::max<std::size_t>(1 << 15, (pair.rows + 15) / 16);  // each has its own table
    std::vector<std::vector<S>> parts(block_count(pair.rows, block));
    {
        nb::gil_scoped_release release;
        for_blocks(pair.rows, block, [&](std::size_t b, std::size_t begin, std::size_t end) {
            std::vector<S> table(side * side);
            std::vector<std::uint8_t> spare(2 * n);
            std::vector<std::size_t> seen(n);
            for (std::size_t r = begin; r < end; ++r) {
                const std::uint8_t *t = pair.truth.row(r, spare.data()), *p = pair.pred.row(r, spare.data() + n);
                std::size_t many = 0;
                for (std::size_t k = 0; k < n; ++k) {
                    seen[many] = (t[k] & p[k] ? 0 : p[k] ? n : 2 * n) + k;
                    many += t[k] | p[k];
                }
                const S w = weight(r);
                for (std::size_t i = 0; i < many; ++i)
                    for (std::size_t j = i; j < many; ++j) table[seen[i] * side + seen[j]] += w;
            }
            parts[b] = std::move(table);
        }, block + 1);
    }
    const Fresh out(dtype<S>(), nb::make_tuple(side, side));
    std::fill_n(out.as<S>(), side * side, S{0});
    for (const auto& part : parts)
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                out.as<S>()[i * side + j] += part[i * side + j] + (i == j ? S{0} : part[j * side + i]);
    return out.array;
}

nb::object label_pairs(nb::handle truth, nb::handle pred, nb::handle weights) {
    const Pair pair(truth, pred);
    const Weights w(weights, "weights", pair.rows);
    if (w.data != nullptr) return paired_outcomes<double>(pair, [&](std::size_t r) { return w.data[r]; });
    return paired_outcomes<std::int64_t>(pair, [](std::size_t) { return std::int64_t{1}; });
}

nb::object row_counts(nb::handle truth, nb::handle pred) {
    const Pair pair(truth, pred);
    const Fresh out(dtype<std::int64_t>(), nb::make_tuple(4, pair.rows));
    std::int64_t *tp = out.as<std::int64_t>(), *fp = tp + pair.rows, *fn = fp + pair.rows, *tn = fn + pair.rows;
    {  // the GIL is back before the array is handed out
        nb::gil_scoped_release release;
        const std::size_t n = pair.columns, block = pair.block(16);
        for_blocks(pair.rows, block, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<std::uint8_t> spare(2 * n);
            for (std::size_t r = begin; r < end; ++r) {
                const std::uint8_t *t = pair.truth.row(r, spare.data()), *p = pair.pred.row(r, spare.data() + n);
                std::uint32_t both = 0, predicted = 0, positive = 0;
                for (std::size_t k = 0; k < n; ++k) both += t[k] & p[k], predicted += p[k], positive += t[k];
                tp[r] = both, fp[r] = predicted - both, fn[r] = positive - both;
                tn[r] = std::int64_t(n) - predicted - positive + both;
            }
        }, 2 * block);
    }
    return out.array;
}

// Whether cells are other than 0, and whether any is neither 0 nor 1.
template <class T>
bool mark(const Table<T>& table, bool* out) {
    const std::size_t n = table.columns, block = std::max<std::size_t>(16, block_cells / std::max<std::size_t>(n, 1));
    std::vector<std::uint8_t> odd(block_count(table.rows, block));
    for_blocks(table.rows, block, [&](std::size_t b, std::size_t begin, std::size_t end) {
        std::vector<T> spare(table.in_place ? 0 : n);
        bool other = false;
        for (std::size_t r = begin; r < end; ++r) {
            const T* x = table.row(r, spare.data());
            bool* to = out + r * n;
            for (std::size_t k = 0; k < n; ++k) to[k] = x[k] != T{0}, other |= (x[k] != T{0}) & (x[k] != T{1});
        }
        odd[b] = other;
    }, 2 * block);
    return std::any_of(odd.begin(), odd.end(), [](std::uint8_t o) { return o != 0; });
}

nb::tuple marks(nb::handle matrix) {
    const View view(matrix, "matrix", 2);
    const Fresh out(dtype<bool>(), nb::make_tuple(view.n, view.columns));
    const auto run = [&](auto zero) {
        nb::gil_scoped_release release;
        return mark(Table<decltype(zero)>(view), out.as<bool>());
    };
    const bool plain = view.kind == 'b' || view.kind == 'i' || view.kind == 'u';
    bool odd = false;
    if (view.kind == 'f') odd = view.floats(run);
    else if (plain && view.size == 1) odd = run(std::uint8_t{});
    else if (plain && view.size == 2) odd = run(std::uint16_t{});
    else if (plain && view.size == 4) odd = run(std::uint32_t{});
    else if (plain && view.size == 8) odd = run(std::uint64_t{});
    else view.fail(" must hold integers, booleans, float32 or float64");
    return nb::make_tuple(out.array, odd);
}

}  // namespace

void init_indicators(nb::module_& m) {
    m.def("label_counts", &label_counts, nb::arg("truth"), nb::arg("pred"), nb::arg("weights").none() = nb::none(),
          "TP, FP, FN and TN of each label (column), as counts of rows or as sums of their weights.");
    m.def("label_pairs", &label_pairs, nb::arg("truth"), nb::arg("pred"), nb::arg("weights").none() = nb::none(),
          "Rows, or their weights, by the outcomes of two labels: TP, FP, FN of every label in rows and in columns.");
    m.def("row_counts", &row_counts, nb::arg("truth"), nb::arg("pred"), "TP, FP, FN and TN of each row.");
    m.def("marks", &marks, nb::arg("matrix"),
          "(marked, odd): where cells are other than 0, and whether any is neither 0 nor 1.");
}

}  // namespace calipers
