// What each row's pairs with all other rows show: whether two columns have the same order (Kendall's tau). Rows come in
// the order of the first column; a Fenwick tree over the second column knows the weights of the rows before them.
#include <algorithm>
#include <vector>

#include "array.hpp"

namespace calipers {
namespace {

struct Row {
    double x, y;
    std::uint32_t index;
    bool operator<(const Row& other) const { return x != other.x ? x < other.x : y < other.y; }
};

// Sums of weights below a code, in logarithmic time for an addition and for a question (Fenwick 1994).
class Tree {
public:
    explicit Tree(std::size_t codes) : sums_(codes + 1, 0.0) {}
    void add(std::size_t code, double weight) {
        for (std::size_t k = code + 1; k < sums_.size(); k += k & (~k + 1)) sums_[k] += weight;
    }
    double below(std::size_t code) const {
        double sum = 0;
        for (std::size_t k = code; k > 0; k &= k - 1) sum += sums_[k];
        return sum;
    }

private:
    std::vector<double> sums_;
};

// Distinct values of a column in ascending order: the code of each row, and the weights below and at each code.
struct Ranked {
    std::vector<std::uint32_t> codes;
    std::vector<double> below, at;

    Ranked(const double* values, const double* weights, std::size_t n) : codes(n) {
        std::vector<std::pair<double, std::uint32_t>> order(n);
        for (std::size_t i = 0; i < n; ++i) order[i] = {values[i], std::uint32_t(i)};
        std::sort(order.begin(), order.end());
        double before = 0;
        for (std::size_t k = 0; k < n; ++k) {
            if (k == 0 || order[k].first != order[k - 1].first) below.push_back(before), at.push_back(0.0);
            const std::uint32_t row = order[k].second;
            codes[row] = std::uint32_t(at.size() - 1);
            at.back() += weights ? weights[row] : 1.0;
            before += weights ? weights[row] : 1.0;
        }
    }
};

// For each row the weights of concordant less discordant rows, and of the rows that differ from it in x and in y.
void count_pairs(const double* x, const double* y, const double* weights, std::size_t n, double* order, double* apart_x,
                 double* apart_y) {
    const Ranked second(y, weights, n);
    std::vector<Row> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {x[i], y[i], std::uint32_t(i)};
    std::sort(rows.begin(), rows.end());
    const auto weight = [&](const Row& row) { return weights ? weights[row.index] : 1.0; };
    double total = 0;
    for (const Row& row : rows) total += weight(row);

    Tree tree(second.at.size());
    std::vector<double> seen(second.at.size(), 0.0);  // the weights of rows with a smaller x, by their code of y
    double left = 0;                                  // and of all of them
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        double same_x = 0;
        for (end = begin; end < n && rows[end].x == rows[begin].x; ++end) same_x += weight(rows[end]);
        double lower = 0;  // the weights of rows with this x and a smaller y
        for (std::size_t first = begin, last = begin; first < end; first = last) {
            double same = 0;
            for (last = first; last < end && rows[last].y == rows[first].y; ++last) same += weight(rows[last]);
            const std::uint32_t code = second.codes[rows[first].index];
            const double both_less = tree.below(code), less_more = left - both_less - seen[code];
            const double more_less = second.below[code] - both_less - lower, upper = same_x - lower - same;
            const double both_more = total - second.below[code] - second.at[code] - less_more - upper;
            for (std::size_t k = first; k < last; ++k) {
                order[rows[k].index] = (both_less + both_more) - (less_more + more_less);
                apart_x[rows[k].index] = total - same_x;
                apart_y[rows[k].index] = total - second.at[code];
            }
            lower += same;
        }
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t code = second.codes[rows[k].index];
            tree.add(code, weight(rows[k])), seen[code] += weight(rows[k]);
        }
        left += same_x;
    }
}

nb::object concordance(nb::handle xs, nb::handle ys, nb::handle weights) {
    const View x(xs, "x"), y(ys, "y");
    if (!x.holds<double>()) x.fail(" must be float64");
    if (!y.holds<double>()) y.fail(" must be float64");
    if (x.n != y.n) throw nb::value_error("x and y differ in length");
    if (x.n >> 32) throw nb::value_error("there are more than 2^32 rows");
    const Weights w(weights, "weights", x.n);
    const double *first = x.dense<double>(), *second = y.dense<double>();
    const Fresh out(dtype<double>(), nb::make_tuple(3, x.n));
    {
        nb::gil_scoped_release release;
        double* const columns = out.as<double>();
        count_pairs(first, second, w.data, x.n, columns, columns + x.n, columns + 2 * x.n);
    }
    return out.array;
}

}  // namespace

void init_concordance(nb::module_& m) {
    m.def("concordance", &concordance, nb::arg("x"), nb::arg("y"), nb::arg("weights").none() = nb::none(),
          "Three rows: for each pair (x, y) the weights of concordant less discordant ones, and of those that differ in x, in y.");
}

}  // namespace calipers
