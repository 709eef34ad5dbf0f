// The walk with row weights: the same sums in doubles. Fixed blocks of rows are walked on all threads and folded in
// their order: first their weights, which say where each begins, then areas and thresholds, then the variances.
#include <cmath>
#include <vector>

#include "curve_points.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

using Result = WalkResult<double>;
constexpr std::size_t block_rows = 1 << 14;

struct Class {
    double weight = 0, square = 0, fourth = 0;
    CALIPERS_INLINE void add(double w) { weight += w, square += w * w, fourth += (w * w) * (w * w); }
};

// The rows [from, to) of n. Which class a group's row has is as good as random, so the first one is taken without a
// branch.
CALIPERS_INLINE Class take(const double* w, std::size_t from, std::size_t to, std::size_t n) {
    Class sum;
    if (n == 0) return sum;
    const double here[2] = {0, w[std::min(from, n - 1)]};
    sum.add(here[from < to]);
    for (++from; from < to; ++from) sum.add(w[from]);
    return sum;
}

// A compensated sum (Neumaier): the weight above a high threshold is a small difference of large sums.
struct Sum {
    double sum = 0, lost = 0;

    CALIPERS_INLINE void operator+=(double x) {
        const double t = sum + x;
        lost += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
        sum = t;
    }
    void operator+=(const Sum& o) { *this += o.sum, lost += o.lost; }
    double value() const { return sum + lost; }
    double operator-(const Sum& o) const { return (sum - o.sum) + (lost - o.lost); }
};

Sum sum_of(const double* w, std::size_t from, std::size_t to) {
    Sum sum;
    for (; from < to; ++from) sum += w[from];
    return sum;
}

// One group, and the weights of each class at or above it.
struct Group {
    double threshold, tp, fp;
    Class a, b;

    CALIPERS_INLINE double precision() const { return tp + fp > 0 ? tp / (tp + fp) : 1; }
};

// The rows in fixed blocks that cut no tie, with the weights below each.
template <class T>
class Blocks {
public:
    Blocks(const TwoSamples<T>& s, const double* pw, const double* nw) : s_(s), pw_(pw), nw_(nw) {
        const std::size_t count = block_count(s.size(), block_rows);
        for (std::size_t c = 0; c <= count; ++c) cuts_.push_back(s.group_of(c * block_rows));
        std::vector<Sum> pos(count), neg(count);
        for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) {
            pos[b] = sum_of(pw, cuts_[b].i, cuts_[b + 1].i), neg[b] = sum_of(nw, cuts_[b].j, cuts_[b + 1].j);
        });
        for (std::size_t b = 0; b < count; ++b) {
            below_pos_.push_back(pos_), below_neg_.push_back(neg_);
            pos_ += pos[b], neg_ += neg[b];
        }
    }

    std::size_t count() const { return cuts_.size() - 1; }
    double positives() const { return pos_.value(); }
    double negatives() const { return neg_.value(); }

    // Calls f(group) for each group of a block, ascending, then f.next(group) with where the next block begins. Above
    // the highest score, exactly nothing is positive.
    template <class F>
    CALIPERS_INLINE void each_group(std::size_t b, F& pass) const {
        F f = pass;  // sums that neighbouring blocks do not share a cache line with
        Sum below_pos = below_pos_[b], below_neg = below_neg_[b];
        Merge<T> merge(s_, cuts_[b], cuts_[b + 1]);
        while (!merge.done()) {
            const std::size_t groups = merge.next();
            for (std::size_t k = 0; k < groups; ++k) {
                const State at{std::size_t(merge.si[k]), std::size_t(merge.sj[k])};
                const Class a = take(pw_, at.i, std::size_t(merge.si[k + 1]), s_.positives);
                const Class b = take(nw_, at.j, std::size_t(merge.sj[k + 1]), s_.negatives);
                f(Group{double(s_.value(at)), pos_ - below_pos, neg_ - below_neg, a, b});
                below_pos += a.weight, below_neg += b.weight;
            }
        }
        if (b + 1 < count() && !s_.at_end(cuts_[b + 1]))
            f.next(Group{0, pos_ - below_pos_[b + 1], neg_ - below_neg_[b + 1], {}, {}});
        else
            f.next(Group{infinity, 0, 0, {}, {}});
        pass = f;
    }

private:
    const TwoSamples<T>& s_;
    const double *pw_, *nw_;
    std::vector<State> cuts_;
    std::vector<Sum> below_pos_, below_neg_;
    Sum pos_, neg_;
};

struct Best {
    double score, threshold;

    // Rounding must not decide between equal scores: within it, the higher threshold wins.
    CALIPERS_INLINE void offer(double s, double t, double scale) {
        if (s >= score - 1e-14 * scale) score = std::max(s, score), threshold = t;
    }
};

// What the next group needs to know of one.
struct Point {
    double threshold, tp, fp, a, b;
};

// Where a line between two states is crossed: the group below it and the one above.
struct Crossing {
    bool met = false;
    Point from{}, to{};

    CALIPERS_INLINE void offer(bool beyond, const Point& below, const Point& above) {
        if (!met && beyond) met = true, from = below, to = above;
    }
};

// Areas and thresholds; the variances need these first.
struct FirstPass {
    double p, n;
    Best youden{-infinity, 0}, ks{-infinity, 0}, f1{-infinity, 0}, corner{-infinity, 0};
    double pairs2 = 0, ap = 0, trapezoid = 0, gain = 0, pull = 0;
    std::size_t distinct = 0;
    bool begun = false;
    Crossing equal{}, even{};
    Point before{};
    double before_precision = 0;

    CALIPERS_INLINE void operator()(const Group& g) {
        const Point here{g.threshold, g.tp, g.fp, g.a.weight, g.b.weight};
        const double precision = g.precision(), rows = g.tp + g.fp, inverse = rows > 0 ? 1 / rows : 0;
        if (may_be_best(here)) ks.offer(std::abs(offer(here)), g.threshold, 1);
        if (begun) segment(here, precision);
        begun = true, before = here, before_precision = precision;
        ++distinct;
        pairs2 += here.a * (2 * (n - g.fp) + here.b);
        ap += here.a * precision;
        gain += here.a * (1 - precision) * inverse, pull += here.a * precision * inverse;
    }

    // Whether some criterion comes so close to its best that rounding, or a tie, may decide: products instead of the
    // divisions that offers take, which most groups are spared.
    CALIPERS_INLINE bool may_be_best(const Point& g) const {
        constexpr double close = 1e-13;
        const double tpr = g.tp * (1 / p), fpr = g.fp * (1 / n), miss = 1 - tpr;
        return tpr - fpr >= youden.score - close || std::abs(tpr - fpr) >= ks.score - close ||
               2 * g.tp >= (f1.score - close) * (g.tp + g.fp + p) || -(miss * miss + fpr * fpr) >= corner.score - close;
    }

    CALIPERS_INLINE void next(const Group& g) {
        if (begun) segment({g.threshold, g.tp, g.fp, 0, 0}, g.precision());
    }

    // Offers a threshold to the criteria that nothing positive may win too; returns tpr - fpr.
    CALIPERS_INLINE double offer(const Point& g) {
        const double tpr = g.tp / p, fpr = g.fp / n, miss = 1 - tpr;
        youden.offer(tpr - fpr, g.threshold, 1);
        f1.offer(2 * g.tp / (g.tp + g.fp + p), g.threshold, 1);
        corner.offer(-(miss * miss + fpr * fpr), g.threshold, 1);
        return tpr - fpr;
    }

    // From the group before to this one.
    CALIPERS_INLINE void segment(const Point& g, double precision) {
        trapezoid += before.a * (before_precision + precision);
        equal.offer((p - g.tp) * n - g.fp * p > 1e-14 * p * n, before, g);
        even.offer(p - (g.tp + g.fp) > 1e-14 * p, before, g);
    }

    // Adds the block after this one.
    void operator+=(const FirstPass& o) {
        for (const auto best : {&FirstPass::youden, &FirstPass::ks, &FirstPass::f1, &FirstPass::corner})
            (this->*best).offer((o.*best).score, (o.*best).threshold, 1);
        pairs2 += o.pairs2, ap += o.ap, trapezoid += o.trapezoid, gain += o.gain, pull += o.pull;
        distinct += o.distinct;
        equal.offer(o.equal.met, o.equal.from, o.equal.to), even.offer(o.even.met, o.even.from, o.even.to);
    }

    Result result() const {
        Result out;
        out.distinct = distinct, out.pairs2 = pairs2;
        out.ap = ap / p, out.ap_trapezoid = trapezoid / (2 * p);
        out.ks = ks.score, out.ks_threshold = ks.threshold;
        out.youden_threshold = youden.threshold, out.corner_threshold = corner.threshold;
        out.f1_max = f1.score, out.f1_threshold = f1.threshold;
        if (equal.met) {
            const Point &from = equal.from, &to = equal.to;
            out.eer = equal_error(1 - from.tp / p, from.fp / n, 1 - to.tp / p, to.fp / n);
            out.eer_threshold = from.threshold;
        }
        if (even.met) {
            const Point &from = even.from, &to = even.to;
            const double a = from.a, rows = a + from.b;
            out.break_even = (to.tp + a * (p - to.tp - to.fp) / rows) / p;
            out.break_even_threshold = from.threshold;
        }
        return out;
    }
};

// Squared influences, each row's times its squared weight. The sums behind ap_if2 are derived in walk.cpp; gain and pull
// begin with those of the blocks before.
struct SecondPass {
    double p, n, auc, ap, gain, pull;
    double v10 = 0, v01 = 0, if2 = 0, if4 = 0, rival = 0;

    CALIPERS_INLINE void operator()(const Group& g) {
        const double v = (n - g.fp + g.b.weight / 2) * (1 / n) - auc, u = (g.tp - g.a.weight / 2) * (1 / p) - auc;
        v10 += g.a.square * v * v, v01 += g.b.square * u * u;
        const double rows = g.tp + g.fp;
        if (rows <= 0) return;
        const double inverse = 1 / rows, precision = g.tp * inverse, pulled = g.a.weight * precision * inverse;
        gain += g.a.weight * inverse - pulled, pull += pulled;
        const double up = (precision - ap + gain) * (precision - ap + gain), down = pull * pull;
        if2 += g.a.square * up + g.b.square * down, if4 += g.a.fourth * up * up + g.b.fourth * down * down;
        rival += g.a.weight * down;
    }

    CALIPERS_INLINE void next(const Group&) {}
};

template <class T, class Pass>
CALIPERS_CLONES void walk_block(const Blocks<T>& blocks, std::size_t b, Pass& pass) {
    blocks.each_group(b, pass);
}

template <class T>
Result walk_samples(const TwoSamples<T>& s, const double* pw, const double* nw) {
    const Blocks<T> blocks(s, pw, nw);
    const double p = blocks.positives(), n = blocks.negatives();
    std::vector<FirstPass> firsts(blocks.count(), FirstPass{p, n});
    for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) { walk_block(blocks, b, firsts[b]); });
    FirstPass all{p, n};
    std::vector<SecondPass> seconds;
    for (const FirstPass& first : firsts) {
        seconds.push_back({p, n, 0, 0, all.gain, all.pull});
        all += first;
    }
    all.offer({infinity, 0, 0, 0, 0});
    if (s.positives == 0 || s.negatives == 0) {
        Result out;
        out.distinct = all.distinct;
        return out;
    }
    Result out = all.result();
    for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) {
        seconds[b].auc = out.pairs2 / (2 * p * n), seconds[b].ap = out.ap;
        walk_block(blocks, b, seconds[b]);
    });
    // Samples that do not overlap have no spread, whatever the rounding of the sums.
    const bool apart = s.pos[0] > s.neg[s.negatives - 1] || s.pos[s.positives - 1] < s.neg[0];
    const double scale = (p + n) / p, square = scale * scale;
    out.v10 = out.v01 = out.ap_if2 = out.ap_if4 = out.ap_rival = 0;
    for (const SecondPass& b : seconds) {
        if (!apart) out.v10 += b.v10, out.v01 += b.v01;
        out.ap_if2 += b.if2 * square, out.ap_if4 += b.if4 * square * square, out.ap_rival += b.rival * square / p;
    }
    return out;
}

Result walk_weighted(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights) {
    return with_samples(pos, neg, [&](const auto& samples) {
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        nb::gil_scoped_release release;
        return walk_samples(samples, pw.data, nw.data);
    });
}

}  // namespace

void init_walk_weighted(nb::module_& m) {
    bind_walk<double>(m, "WeightedWalk");
    m.def("walk_weighted", &walk_weighted, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights"),
          nb::arg("neg_weights"),
          "The walk with positive weights: values as of repeated rows, powers of influences with those of weights.");
}

}  // namespace calipers
