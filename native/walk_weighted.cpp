// The walk with row weights: the same sums in doubles. One thread: sorting with weights costs ten times the walk.
#include <cmath>

#include "curve_points.hpp"

namespace calipers {
namespace {

using Result = WalkResult<double>;

struct Class {
    double weight = 0, square = 0, fourth = 0;
    void operator+=(const Class& o) { weight += o.weight, square += o.square, fourth += o.fourth; }
};

Class take(const double* w, std::size_t from, std::size_t to) {
    Class sum;
    for (; from < to; ++from) {
        const double square = w[from] * w[from];
        sum += {w[from], square, square * square};
    }
    return sum;
}

// A compensated sum (Neumaier): the weight above a high threshold is a small difference of large sums.
struct Sum {
    double sum = 0, lost = 0;

    void operator+=(double x) {
        const double t = sum + x;
        lost += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
        sum = t;
    }
    double value() const { return sum + lost; }
    double operator-(const Sum& o) const { return (sum - o.sum) + (lost - o.lost); }
};

Sum sum_of(const double* w, std::size_t n) {
    Sum sum;
    for (std::size_t k = 0; k < n; ++k) sum += w[k];
    return sum;
}

// One group, and the weights of each class at or above it. Above the highest score it is the end: nothing positive.
struct Group {
    double threshold, tp, fp;
    Class a, b;
};

// Calls f(group) for each group, ascending, then once for the end. The end is exact.
template <class T, class F>
void each_group(const TwoSamples<T>& s, const double* pw, const double* nw, Sum p, Sum n, F&& f) {
    Sum below_pos, below_neg;
    for (State at; !s.at_end(at);) {
        const T t = s.value(at);
        State to = at;
        while (to.i < s.positives && s.pos[to.i] == t) ++to.i;
        while (to.j < s.negatives && s.neg[to.j] == t) ++to.j;
        const Class a = take(pw, at.i, to.i), b = take(nw, at.j, to.j);
        f(Group{double(t), p - below_pos, n - below_neg, a, b});
        below_pos += a.weight, below_neg += b.weight;
        at = to;
    }
    f(Group{infinity, 0, 0, {}, {}});
}

struct Best {
    double score, threshold;

    // Rounding must not decide between equal scores: within it, the higher threshold wins.
    void offer(double s, double t, double scale) {
        if (s >= score - 1e-14 * scale) score = std::max(s, score), threshold = t;
    }
};

double precision(const Group& g) { return g.tp + g.fp > 0 ? g.tp / (g.tp + g.fp) : 1; }

// Areas and thresholds; the variances need these first.
struct FirstPass {
    Result& out;
    double p, n;
    Best youden{-infinity, 0}, ks{-infinity, 0}, f1{-infinity, 0}, corner{-infinity, 0};
    double ap = 0, trapezoid = 0;
    bool begun = false, crossed = false, even = false;
    Group before{};

    void operator()(const Group& g) {
        const bool end = g.threshold == infinity && g.tp == 0 && g.fp == 0 && g.a.weight == 0 && g.b.weight == 0;
        const double tpr = g.tp / p, fpr = g.fp / n, miss = 1 - tpr;
        youden.offer(tpr - fpr, g.threshold, 1);
        f1.offer(2 * g.tp / (g.tp + g.fp + p), g.threshold, 1);
        corner.offer(-(miss * miss + fpr * fpr), g.threshold, 1);
        if (begun) segment(g, tpr, fpr);
        begun = true, before = g;
        if (end) return;
        ++out.distinct;
        ks.offer(std::abs(tpr - fpr), g.threshold, 1);
        out.pairs2 += g.a.weight * (2 * (n - g.fp) + g.b.weight);
        ap += g.a.weight * precision(g);
    }

    // From the group before to this one.
    void segment(const Group& g, double tpr, double fpr) {
        trapezoid += before.a.weight * (precision(before) + precision(g));
        if (!crossed && (p - g.tp) * n - g.fp * p > 1e-14 * p * n) {
            crossed = true;
            out.eer = equal_error(1 - before.tp / p, before.fp / n, 1 - tpr, fpr);
            out.eer_threshold = before.threshold;
        }
        if (!even && p - (g.tp + g.fp) > 1e-14 * p) {
            even = true;
            const double a = before.a.weight, rows = a + before.b.weight;
            out.break_even = (g.tp + a * (p - g.tp - g.fp) / rows) / p;
            out.break_even_threshold = before.threshold;
        }
    }

    void finish() {
        out.ap = ap / p, out.ap_trapezoid = trapezoid / (2 * p);
        out.ks = ks.score, out.ks_threshold = ks.threshold;
        out.youden_threshold = youden.threshold, out.corner_threshold = corner.threshold;
        out.f1_max = f1.score, out.f1_threshold = f1.threshold;
    }
};

// Squared influences, each row's times its squared weight. The sums behind ap_if2 are derived in walk.cpp.
struct SecondPass {
    double p, n, auc, ap;
    double v10 = 0, v01 = 0, if2 = 0, if4 = 0, rival = 0, gain = 0, pull = 0;

    void operator()(const Group& g) {
        const double v = (n - g.fp + g.b.weight / 2) / n - auc, u = (g.tp - g.a.weight / 2) / p - auc;
        v10 += g.a.square * v * v, v01 += g.b.square * u * u;
        const double prec = precision(g), rows = g.tp + g.fp;
        if (rows <= 0) return;
        gain += g.a.weight * (1 - prec) / rows, pull += g.a.weight * prec / rows;
        const double up = (prec - ap + gain) * (prec - ap + gain), down = pull * pull;
        if2 += g.a.square * up + g.b.square * down, if4 += g.a.fourth * up * up + g.b.fourth * down * down;
        rival += g.a.weight * down;
    }
};

template <class T>
Result walk_samples(const TwoSamples<T>& s, const double* pw, const double* nw) {
    Result out;
    const Sum pos = sum_of(pw, s.positives), neg = sum_of(nw, s.negatives);
    const double p = pos.value(), n = neg.value();
    FirstPass first{out, p, n};
    each_group(s, pw, nw, pos, neg, first);
    if (s.positives == 0 || s.negatives == 0) {
        const std::size_t distinct = out.distinct;
        out = Result{};
        out.distinct = distinct;
        return out;
    }
    first.finish();
    SecondPass second{p, n, out.pairs2 / (2 * p * n), out.ap};
    each_group(s, pw, nw, pos, neg, second);
    // Samples that do not overlap have no spread, whatever the rounding of the sums.
    const bool apart = s.pos[0] > s.neg[s.negatives - 1] || s.pos[s.positives - 1] < s.neg[0];
    out.v10 = apart ? 0 : second.v10, out.v01 = apart ? 0 : second.v01;
    const double scale = (p + n) / p, square = scale * scale;
    out.ap_if2 = second.if2 * square, out.ap_if4 = second.if4 * square * square;
    out.ap_rival = second.rival * square / p;
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
