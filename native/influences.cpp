// What each row does to the area under the ROC curve and to average precision: both depend on the place of its score
// among sorted ones. The rows are met in ascending order, class by class, so that their places only rise: searching a
// million scores for each row would wait for memory at nearly every step.
#include <algorithm>
#include <vector>

#include "merge.hpp"
#include "scatter.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 14;

// How many of some sorted numbers are less than x, and how many at most x, for an x that never falls.
template <class T>
struct Cursor {
    const T* sorted;
    std::size_t n, less, most = 0;

    Cursor(const T* sorted, std::size_t n, T first)
        : sorted(sorted), n(n), less(static_cast<std::size_t>(std::lower_bound(sorted, sorted + n, first) - sorted)) {}

    CALIPERS_INLINE void rise_to(T x) {
        while (less < n && sorted[less] < x) ++less;
        most = std::max(most, less);
        while (most < n && sorted[most] <= x) ++most;
    }
};

// The rows of each class by score, with their numbers.
template <class T>
struct RowsByScore {
    Pages<Numbered<Key<T>>> items;
    std::size_t positives, n;

    RowsByScore(const View& score, const View& truth) : items(pages<Numbered<Key<T>>>(score.n)), n(score.n) {
        const ScoredRows<T> rows{Column<T>(score), {Codes(truth), 1}};
        const auto sample = sample_for(rows.scores);
        const Buckets<T> buckets(sample ? sample->values : std::vector<T>(), buckets_for(n));
        Split<T> facts;
        const Places places = scatter(rows, nullptr, buckets, items.get(), facts);
        sort_parts(items.get(), places, n, [](std::size_t, const Numbered<Key<T>>*, std::size_t) {});
        positives = places.begins[1];
    }

    // Calls f(row, cursor) for the rows of one class, where the cursor over n sorted numbers stands at the row's score.
    template <class F>
    void among(bool positive, const T* sorted, std::size_t count, const F& f) const {
        const Numbered<Key<T>>* const from = items.get() + (positive ? 0 : positives);
        for_blocks(positive ? positives : n - positives, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Cursor<T> cursor(sorted, count, value_of<T>(from[begin].key));
            for (std::size_t k = begin; k < end; ++k) {
                cursor.rise_to(value_of<T>(from[k].key));
                f(from[k].row, cursor);
            }
        });
    }
};

template <class T>
void check(const View& score, const View& truth) {
    if (!score.holds<T>()) score.fail(" must have the type of the sorted ones");
    if (!truth.holds<std::uint8_t>() || truth.n != score.n) truth.fail(" must be uint8, one per row");
}

// The share of a sorted sample below a place, ties half.
class Share {
public:
    Share(const double* weights, std::size_t n) : total_(double(n)) {
        if (!weights) return;
        below_.resize(n + 1);
        for (std::size_t k = 0; k < n; ++k) below_[k + 1] = below_[k] + weights[k];
        total_ = below_[n];
    }

    template <class T>
    double below(const Cursor<T>& at) const {
        return (below_.empty() ? double(at.less + at.most) : below_[at.less] + below_[at.most]) / (2 * total_);
    }

private:
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
        check<T>(score, truth);
        nb::gil_scoped_release release;
        const RowsByScore<T> rows(score, truth);
        const Share of_pos(pw.data, s.positives), of_neg(nw.data, s.negatives);
        const double total = positives + negatives, up = total / positives, down = total / negatives;
        double* const to = out.as<double>();
        rows.among(true, s.neg, s.negatives,
                   [&](std::size_t row, const Cursor<T>& at) { to[row] = (of_neg.below(at) - area) * up; });
        rows.among(false, s.pos, s.positives,
                   [&](std::size_t row, const Cursor<T>& at) { to[row] = ((1 - of_pos.below(at)) - area) * down; });
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
        check<T>(score, truth);
        const T* from = falling.dense<T>();
        if (m == 0 || !(hits.data[m - 1] > 0)) throw nb::value_error("average precision needs a positive row");
        nb::gil_scoped_release release;
        // Only scores of positives are kept: precision counts there alone.
        std::vector<T> rising;
        std::vector<double> if_true, if_false;
        const auto most = static_cast<std::size_t>(std::min(double(m), hits.data[m - 1]));  // exact without weights
        rising.reserve(most), if_true.reserve(most), if_false.reserve(most);
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
        const RowsByScore<T> rows(score, truth);
        const std::size_t last = rising.size() - 1;
        double* const to = out.as<double>();
        rows.among(true, rising.data(), rising.size(), [&](std::size_t row, const Cursor<T>& at) {
            to[row] = if_true[std::min(at.less, last)];  // the score of a positive is among them, but one of weight 0
        });
        rows.among(false, rising.data(), rising.size(), [&](std::size_t row, const Cursor<T>& at) {
            to[row] = at.most ? if_false[at.most - 1] : 0;
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
