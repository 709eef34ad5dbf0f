// What each row does to the area under the ROC curve and to average precision: both depend on the place of its score
// among sorted ones. A binary search over a million scores waits for memory at nearly every step; a table of where equal
// steps of the range begin leaves it a few.
#include <algorithm>
#include <cmath>
#include <vector>

#include "merge.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t rows_per_step = 4, most_steps = 1 << 18, block_rows = 1 << 14;

template <class T>
class Steps {
public:
    Steps(const T* sorted, std::size_t n) : sorted_(sorted), n_(n) {
        const double low = n ? double(sorted[0]) : 0, range = n ? double(sorted[n - 1]) - low : 0;
        if (n >= std::uint32_t(-1)) throw nb::value_error("too many sorted numbers");
        steps_ = range > 0 && std::isfinite(range) ? std::min(most_steps, n / rows_per_step + 1) : 1;
        low_ = low, scale_ = steps_ > 1 ? double(steps_) / range : 0;
        begin_.assign(steps_ + 1, static_cast<std::uint32_t>(n));
        for (std::size_t i = n; i-- > 0;) begin_[step(sorted[i])] = static_cast<std::uint32_t>(i);
        for (std::size_t b = steps_; b-- > 0;) begin_[b] = std::min(begin_[b], begin_[b + 1]);
    }

    // How many of the sorted numbers are less than x. Chosen without branches, which would be guessed wrong half the time.
    std::size_t left(T x) const {
        const std::size_t b = step(x);
        std::size_t from = begin_[b], count = begin_[b + 1] - from;
        while (count > 0) {
            const std::size_t half = (count + 1) / 2;
            from += sorted_[from + half - 1] < x ? half : 0;
            count -= half;
        }
        return from;
    }

    // How many are at most x, where `left` are less.
    std::size_t right(T x, std::size_t left) const {
        if (left == n_ || sorted_[left] != x) return left;
        if (left + 1 == n_ || sorted_[left + 1] != x) return left + 1;  // most numbers occur once
        return static_cast<std::size_t>(std::upper_bound(sorted_ + left, sorted_ + begin_[step(x) + 1], x) - sorted_);
    }

private:
    // Rises with x, so that numbers of other steps are less, or greater.
    std::size_t step(T x) const {
        if (steps_ == 1) return 0;
        const double at = (double(x) - low_) * scale_;
        return !(at > 0) ? 0 : at >= double(steps_ - 1) ? steps_ - 1 : static_cast<std::size_t>(at);
    }

    const T* sorted_;
    std::size_t n_, steps_;
    double low_, scale_;
    std::vector<std::uint32_t> begin_;
};

// Rows as the caller has them: scores in any order, and whether each is positive.
template <class T>
struct Rows {
    const T* scores;
    const std::uint8_t* positive;
    std::size_t n;

    Rows(const View& score, const View& truth) : n(score.n) {
        if (!score.holds<T>()) score.fail(" must have the type of the sorted ones");
        if (!truth.holds<std::uint8_t>() || truth.n != n) truth.fail(" must be uint8, one per row");
        scores = score.dense<T>(), positive = truth.dense<std::uint8_t>();
    }
};

// The share of one sorted sample below a score, ties half.
template <class T>
class Share {
public:
    Share(const T* sorted, const double* weights, std::size_t n) : steps_(sorted, n), total_(double(n)) {
        if (!weights) return;
        below_.resize(n + 1);
        for (std::size_t k = 0; k < n; ++k) below_[k + 1] = below_[k] + weights[k];
        total_ = below_[n];
    }

    double below(T x) const {
        const std::size_t left = steps_.left(x), right = steps_.right(x, left);
        return (below_.empty() ? double(left + right) : below_[left] + below_[right]) / (2 * total_);
    }

    double total() const { return total_; }

private:
    Steps<T> steps_;
    double total_;
    std::vector<double> below_;
};

// DeLong's placements as deviations from the area, times all rows over those of the class.
nb::object area_influences(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                           nb::handle scores, nb::handle positive, double area, double positives, double negatives) {
    const View score(scores, "scores"), truth(positive, "positive");
    const Fresh out(dtype<double>(), score.n);
    with_samples(pos, neg, [&](const auto& s) {
        using T = std::decay_t<decltype(s.pos[0])>;
        const Weights pw(pos_weights, "pos_weights", s.positives), nw(neg_weights, "neg_weights", s.negatives);
        const Rows<T> rows(score, truth);
        nb::gil_scoped_release release;
        const Share<T> of_pos(s.pos, pw.data, s.positives), of_neg(s.neg, nw.data, s.negatives);
        const double total = positives + negatives, up = total / positives, down = total / negatives;
        for_blocks(rows.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const T x = rows.scores[k];
                out.as<double>()[k] = rows.positive[k] ? (of_neg.below(x) - area) * up : ((1 - of_pos.below(x)) - area) * down;
            }
        });
    });
    return out.array;
}

// Influences on average precision. `thresholds` fall, with the weights tp and fp at or above each; `ap` is what they give.
nb::object precision_influences(nb::handle thresholds, nb::handle tp, nb::handle fp, nb::handle scores,
                                nb::handle positive, double ap, double positives, double total) {
    const View falling(thresholds, "thresholds"), score(scores, "scores"), truth(positive, "positive");
    const std::size_t m = falling.n;
    const Weights hits(tp, "tp", m), alarms(fp, "fp", m);
    const Fresh out(dtype<double>(), score.n);
    falling.floats([&](auto zero) {
        using T = decltype(zero);
        const Rows<T> rows(score, truth);
        const T* from = falling.dense<T>();
        if (m == 0 || !(hits.data[m - 1] > 0)) throw nb::value_error("average precision needs a positive row");
        nb::gil_scoped_release release;
        // Only scores of positives are kept: precision counts there alone, and less has to be searched.
        std::vector<T> rising;
        std::vector<double> if_true, if_false;
        double gain = 0, harm = 0;  // what a row adds to the precision of those at or below it, and takes from it
        for (std::size_t at = m; at-- > 0;) {
            const double called = hits.data[at] + alarms.data[at], precision = hits.data[at] / called;
            const double own = hits.data[at] - (at ? hits.data[at - 1] : 0);
            if (!(own > 0)) continue;
            gain += own * (1 - precision) * total / called, harm += own * precision * total / called;
            rising.push_back(from[at]);
            if_true.push_back(total / positives * (precision - ap) + gain / positives);
            if_false.push_back(-(harm / positives));
        }
        const Steps<T> steps(rising.data(), rising.size());
        const std::size_t last = rising.size() - 1;
        for_blocks(rows.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const T x = rows.scores[k];
                const std::size_t left = steps.left(x);
                if (rows.positive[k]) {
                    out.as<double>()[k] = if_true[std::min(left, last)];  // the score of a positive is among them
                } else {
                    const std::size_t below = steps.right(x, left);
                    out.as<double>()[k] = below ? if_false[below - 1] : 0;
                }
            }
        });
    });
    return out.array;
}

}  // namespace

void init_influences(nb::module_& m) {
    m.def("area_influences", &area_influences, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("scores"), nb::arg("positive"), nb::arg("area"), nb::arg("positives"),
          nb::arg("negatives"), "Influence of each row on the area under the ROC curve of two sorted samples.");
    m.def("precision_influences", &precision_influences, nb::arg("thresholds"), nb::arg("tp"), nb::arg("fp"),
          nb::arg("scores"), nb::arg("positive"), nb::arg("ap"), nb::arg("positives"), nb::arg("total"),
          "Influence of each row on average precision, from the counts at every score, falling.");
}

}  // namespace calipers
