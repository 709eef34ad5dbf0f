// Groups of weighted rows, a chunk at a time: weights at or above each, areas, influences and the best thresholds.
#pragma once

#include <algorithm>
#include <cmath>

#include "curve_points.hpp"
#include "twin.hpp"

namespace calipers::weighted {

// A compensated sum (Neumaier): the weight above a high threshold is a small difference of large sums.
struct Sum {
    double sum = 0, lost = 0;

    // What an addition loses, without a branch on which number is larger (Knuth).
    CALIPERS_INLINE void operator+=(double x) {
        const double t = sum + x, part = t - sum;
        lost += (sum - (t - part)) + (x - part);
        sum = t;
    }
    void operator+=(const Sum& o) { *this += o.sum, lost += o.lost; }
    double value() const { return sum + lost; }
    double operator-(const Sum& o) const { return (sum - o.sum) + (lost - o.lost); }
};

// Four sums side by side: each addition waits for the one before it.
inline Sum sum_of(const double* w, std::size_t from, std::size_t to) {
    Sum sums[4];
    for (; from + 4 <= to; from += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += w[from + k];
    for (; from < to; ++from) sums[0] += w[from];
    for (std::size_t k = 1; k < 4; ++k) sums[0] += sums[k];
    return sums[0];
}

// Two compensated sums, of positives and of negatives, side by side.
typedef double D2 __attribute__((vector_size(16)));
struct Sums {
    D2 sum, lost;

    Sums(const Sum& pos, const Sum& neg) : sum{pos.sum, neg.sum}, lost{pos.lost, neg.lost} {}

    CALIPERS_INLINE void add(double of_pos, double of_neg) {
        const D2 x{of_pos, of_neg}, t = sum + x, part = t - sum;
        lost += (sum - (t - part)) + (x - part);
        sum = t;
    }
    Sum pos() const { return {sum[0], lost[0]}; }
    Sum neg() const { return {sum[1], lost[1]}; }
};

// The weights of each class below a state.
struct Below {
    Sum pos, neg;

    void operator+=(const Below& o) { pos += o.pos, neg += o.neg; }
};

// The groups of a chunk: the weights of each class in a group, those at or above it, and powers of the weights of rows. So
// few that all columns stay in the nearest cache.
struct Chunk {
    static constexpr std::size_t most = 256, padding = Merge<double>::padding, room = most + 1 + padding;
    double a[room], b[room], tp[room], fp[room];
    double a2[room], a4[room], b2[room], b4[room];

    // No weights after the groups.
    void pad(std::size_t groups) {
        for (double* column : {a, b, a2, b2, a4, b4}) std::fill_n(column + groups, padding, 0.0);
    }
};

// A threshold, the weights of each class at or above it and of its group, and the squared weights below it.
struct Point {
    double threshold = 0, tp = 0, fp = 0, a = 0, b = 0, below2_pos = 0, below2_neg = 0;

    void move(double pos2, double neg2) { below2_pos += pos2, below2_neg += neg2; }
};

struct Best {
    double score = -infinity;
    Point at{};

    // Rounding must not decide between equal scores: within it, the higher threshold wins.
    CALIPERS_INLINE void offer(double s, const Point& point) {
        if (s >= score - 1e-14) score = std::max(s, score), at = point;
    }
};

// Where a line between two states is crossed: the group below it and the one above.
struct Crossing {
    bool met = false;
    Point from{}, to{};

    void offer(const Crossing& o) {
        if (!met) *this = o;
    }
    void move(double pos2, double neg2) { from.move(pos2, neg2), to.move(pos2, neg2); }
};

// Which threshold is best, by four criteria.
struct Criteria {
    double p = 0, n = 0;
    Best youden{}, ks{}, f1{}, corner{};

    // Whether a state from `low` to `high` may come so close to a best that rounding, or a tie, decides. Products instead
    // of the divisions that offers take, which most groups are spared.
    bool may_be_best(const Point& low, const Point& high, const Criteria& floor) const {
        constexpr double close = 1e-13;
        const double tpr = low.tp * (1 / p), fpr = high.fp * (1 / n), miss = 1 - tpr;
        const double fall = low.fp * (1 / n) - high.tp * (1 / p);
        const auto best = [&](const Best Criteria::* which) {
            return std::max((this->*which).score, (floor.*which).score) - close;
        };
        return tpr - fpr >= best(&Criteria::youden) || std::max(tpr - fpr, fall) >= best(&Criteria::ks) ||
               2 * low.tp >= best(&Criteria::f1) * (high.tp + high.fp + p) ||
               -(miss * miss + fpr * fpr) >= best(&Criteria::corner);
    }

    // Offers a threshold to the criteria that nothing positive may win too; returns tpr - fpr.
    double offer(const Point& g) {
        const double tpr = g.tp / p, fpr = g.fp / n, miss = 1 - tpr;
        youden.offer(tpr - fpr, g);
        f1.offer(2 * g.tp / (g.tp + g.fp + p), g);
        corner.offer(-(miss * miss + fpr * fpr), g);
        return tpr - fpr;
    }

    void offer_group(const Point& g) { ks.offer(std::abs(offer(g)), g); }

    // Adds those of the block after this one.
    void operator+=(const Criteria& o) {
        for (const auto best : {&Criteria::youden, &Criteria::ks, &Criteria::f1, &Criteria::corner})
            (this->*best).offer((o.*best).score, (o.*best).at);
    }

    void move(double pos2, double neg2) {
        for (const auto best : {&Criteria::youden, &Criteria::ks, &Criteria::f1, &Criteria::corner})
            (this->*best).at.move(pos2, neg2);
    }
};

// The mean of numbers, from an origin on, and their squared distances from it: exact where one weight outweighs all others,
// which sums about another point are not.
struct Placements {
    double origin = 0, weight = 0, mean = 0, squares = 0;

    // Adds a chunk: the sum of its weights, its mean from the origin, and the squared distances from that.
    void add(double w, double at, double around) {
        if (w == 0) return;
        const double sum = weight + w, d = at - mean;
        squares += around + d * d * (weight * w / sum), mean += d * (w / sum), weight = sum;
    }
    double around(double centre) const {
        const double away = origin + mean - centre;
        return squares + weight * away * away;
    }
};

// The sums of a block. Influences are counted from the block's first state, up to the offsets of the blocks before and less
// `base`: the sums behind them are derived in walk_blocks.hpp. Each row's influence counts times a power of its weight. pos2,
// neg2: the squared weights of each class.
struct BlockSums {
    double pairs2 = 0, ap = 0, trapezoid = 0, base = 0, gain = 0, pull = 0, pos2 = 0, neg2 = 0;
    std::size_t distinct = 0;
    Placements placed{}, above{};   // negatives below each positive, and positives above each negative
    Powers u2{}, u4{}, h2{}, h4{};  // of positives and of negatives, times squared weights and their squares
    Powers rival{};
    Criteria best{};
    Crossing equal{}, even{};
};

// Adds a chunk's areas and influences; through the state after the last group, where the trapezoid of that group ends.
struct AddCurves {
    template <class V>
    CALIPERS_INLINE static void run(const Chunk& c, std::size_t groups, double n, BlockSums& out) {
        V pairs2{}, ap{}, trapezoid{}, last_a{}, x1{}, y1{}, r0{}, r1{}, r2{};
        V u0{}, u1{}, u2{}, v0{}, v1{}, v2{}, v3{}, v4{}, h0{}, h1{}, h2{}, k0{}, k1{}, k2{}, k3{}, k4{};
        V gain = all_lanes<V>(out.gain), pull = all_lanes<V>(out.pull);
        const V zero{}, one = all_lanes<V>(1), base = all_lanes<V>(out.base);
        for (std::size_t k = 0; k <= groups; k += 8) {
            const V a = from8<V>(c.a + k), b = from8<V>(c.b + k), tp = from8<V>(c.tp + k), fp = from8<V>(c.fp + k);
            const V rows = tp + fp, inverse = choose(rows > 0, one / rows, zero);
            // Exactly 1 where nothing is false, and by convention above the highest score.
            const V precision = choose(fp == 0, one, tp * inverse), below = n - fp;
            pairs2 += a * (2 * below + b);
            ap += a * precision;
            trapezoid += (a + moved_up(last_a, a)) * precision;
            last_a = a;
            V h = a * precision * inverse, g = a * inverse - h;
            prefix(g, gain), prefix(h, pull);
            const V a2 = from8<V>(c.a2 + k), b2 = from8<V>(c.b2 + k), a4 = from8<V>(c.a4 + k), b4 = from8<V>(c.b4 + k);
            x1 += a2 * (below + b * 0.5 - out.placed.origin), y1 += b2 * (tp - a * 0.5 - out.above.origin);
            const V u = precision - base + g, uu = u * u, vu = a4 * u, vuu = a4 * uu;
            u0 += a2, u1 += a2 * u, u2 += a2 * uu;
            v0 += a4, v1 += vu, v2 += vuu, v3 += vuu * u, v4 += vuu * uu;
            const V hh = h * h, kh = b4 * h, khh = b4 * hh, rh = a * h;
            h0 += b2, h1 += b2 * h, h2 += b2 * hh;
            k0 += b4, k1 += kh, k2 += khh, k3 += khh * h, k4 += khh * hh;
            r0 += a, r1 += rh, r2 += rh * h;
        }
        out.gain = first_lane(gain), out.pull = first_lane(pull);
        out.pairs2 += total(pairs2), out.ap += total(ap), out.trapezoid += total(trapezoid);
        out.pos2 += total(u0), out.neg2 += total(h0);
        place<V>(c, groups, n, total(u0), total(x1), total(h0), total(y1), out);
        out.u2 += Powers{total(u0), total(u1), total(u2)}, out.h2 += Powers{total(h0), total(h1), total(h2)};
        out.u4 += Powers{total(v0), total(v1), total(v2), total(v3), total(v4)};
        out.h4 += Powers{total(k0), total(k1), total(k2), total(k3), total(k4)};
        out.rival += Powers{total(r0), total(r1), total(r2)};
    }

private:
    // Adds placements, once their means in the chunk are known.
    template <class V>
    CALIPERS_INLINE static void place(const Chunk& c, std::size_t groups, double n, double a2, double x1, double b2,
                                      double y1, BlockSums& out) {
        const double x_mean = a2 > 0 ? x1 / a2 : 0, y_mean = b2 > 0 ? y1 / b2 : 0;
        const double x_origin = out.placed.origin, y_origin = out.above.origin;
        V x2{}, y2{};
        for (std::size_t k = 0; k < groups; k += 8) {
            const V a = from8<V>(c.a + k), b = from8<V>(c.b + k), tp = from8<V>(c.tp + k), fp = from8<V>(c.fp + k);
            const V x = n - fp + b * 0.5 - x_origin - x_mean, y = tp - a * 0.5 - y_origin - y_mean;
            x2 += from8<V>(c.a2 + k) * x * x, y2 += from8<V>(c.b2 + k) * y * y;
        }
        out.placed.add(a2, x_mean, total(x2)), out.above.add(b2, y_mean, total(y2));
    }
};

// Squares and fourth powers of the weights of groups of one row.
struct AddPowers {
    template <class V>
    CALIPERS_INLINE static void run(Chunk& c, std::size_t groups) {
        for (std::size_t k = 0; k <= groups; k += 8) {
            const V a = from8<V>(c.a + k), b = from8<V>(c.b + k), a2 = a * a, b2 = b * b;
            store8(c.a2 + k, a2), store8(c.a4 + k, a2 * a2), store8(c.b2 + k, b2), store8(c.b4 + k, b2 * b2);
        }
    }
};

}  // namespace calipers::weighted
