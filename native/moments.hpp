// One number a row: mean and central sums to the third order; and what a second number beside it needs for the second.
#pragma once

#include <cmath>

#include "joint.hpp"

namespace calipers {

// Weighted central sums. Zero exactly where every number is the same: all shifts are then zero.
struct Moments {
    double n = 0, w = 0, w2 = 0, mean = 0, m2 = 0, m3 = 0;
    double q1 = 0, q2 = 0;  // the sums of order one and two with squared weights

    void merge(const Moments& o) {
        if (o.w == 0) return;
        if (w == 0) {
            *this = o;
            return;
        }
        const double sum = w + o.w, d = o.mean - mean, share = o.w / sum;
        m3 += o.m3 + d * d * d * w * share * (w - o.w) / sum + 3 * d * (w * o.m2 - o.w * m2) / sum;
        m2 += o.m2 + d * d * w * share;
        const double mine = -d * share, theirs = d + mine;  // how far the means lie from the common one
        q2 += 2 * mine * q1 + mine * mine * w2 + o.q2 + 2 * theirs * o.q1 + theirs * theirs * o.w2;
        q1 += mine * w2 + o.q1 + theirs * o.w2;
        // Without a clip a log loss can be infinite: the mean is then, and the spread is no number.
        mean = std::isfinite(d) ? mean + d * share : mean + o.mean;
        n += o.n, w = sum, w2 += o.w2;
    }

    nb::tuple tuple() const { return nb::make_tuple(std::size_t(n), w, w2, mean, m2, m3, q1, q2); }
};

// Sums about a point near the mean, of one block, a tile of rows at a time: rows, weights, their squares, and the powers.
struct MomentSums {
    double rows = 0, w = 0, w2 = 0, s1 = 0, s2 = 0, s3 = 0, q1 = 0, q2 = 0, about = 0;
    int tiles = 0;  // since it was started

    Moments moments() const {
        Moments out;
        out.n = rows, out.w = w, out.w2 = w2;
        if (w == 0) return out;
        const double by = s1 / w;
        out.mean = tiles > 1 ? about + by : about;  // of one tile, that is its mean in whatever order the rows are
        out.m2 = s2 - w * by * by, out.m3 = s3 - 3 * by * s2 + 2 * w * by * by * by;
        out.q1 = q1 - by * w2, out.q2 = q2 - 2 * by * q1 + by * by * w2;
        return out;
    }
};

// The mean of a tile, where it has weight: the point to sum about, which is that of all where all are the same.
template <bool weighted>
struct StartSums {
    template <class V>
    CALIPERS_INLINE static void run(const double* x, const double* weights, std::size_t n, MomentSums& to) {
        double first = x[0];
        for (std::size_t i = 0; weighted && i < n; ++i)
            if (weights[i] != 0) {
                first = x[i];
                break;
            }
        V s = all_lanes<V>(0), sw = s;
        for (std::size_t i = 0; i < n; i += 8) {
            const V w = weighted ? from8<V>(weights + i) : all_lanes<V>(1);
            s += w * (from8<V>(x + i) - first), sw += w;
        }
        const double weight = total(sw), beyond = total(s);
        if (weight == 0) return;
        to.tiles = 1;
        to.about = beyond == 0 ? first : (first * weight + beyond) / weight;  // one rounding where values are whole
    }
};

// The sums of every other vector: one addition to a sum has to wait for the one before it.
template <class V>
struct PowerSums {
    V s1 = all_lanes<V>(0), s2 = s1, s3 = s1;

    CALIPERS_INLINE void add(const V& d, const V& wd) {
        const V wdd = wd * d;
        s1 += wd, s2 += wdd, s3 += wdd * d;
    }
};

template <bool weighted>
struct AddToSums {
    template <class V>
    CALIPERS_INLINE static void run(const double* x, const double* weights, std::size_t n, MomentSums& to) {
        const V zero = all_lanes<V>(0), one = all_lanes<V>(1);
        const double about = to.about;
        PowerSums<V> even, odd;
        V sw = zero, sw2 = zero, q1 = zero, q2 = zero, rows = zero;
        const auto take = [&](std::size_t i, PowerSums<V>& sums) __attribute__((always_inline)) {
            const V d = from8<V>(x + i) - about;
            if constexpr (!weighted) return sums.add(d, d);
            const V w = from8<V>(weights + i), wd = w * d;
            sums.add(d, wd);
            q1 += w * wd, q2 += wd * wd;
            sw += w, sw2 += w * w, rows += where_zero(w, zero, one);
        };
        std::size_t i = 0;
        for (; i + 16 <= n; i += 16) take(i, even), take(i + 8, odd);
        if (i < n) take(i, even);
        to.rows += weighted ? total(rows) : double(n), to.w += weighted ? total(sw) : double(n);
        to.w2 += weighted ? total(sw2) : double(n);
        const double s1 = total(even.s1 + odd.s1), s2 = total(even.s2 + odd.s2);
        to.s1 += s1, to.s2 += s2, to.s3 += total(even.s3 + odd.s3);
        to.q1 += weighted ? total(q1) : s1, to.q2 += weighted ? total(q2) : s2;
    }
};

inline void start_sums(const double* x, const double* weights, std::size_t n, MomentSums& to) {
    weights ? on_lanes<StartSums<true>>(x, weights, n, to) : on_lanes<StartSums<false>>(x, weights, n, to);
}

// Adds a tile whose length is padded to whole vectors; padding has weight 0. No weights: all are 1.
inline void add(MomentSums& to, const double* x, const double* weights, std::size_t n) {
    if (to.tiles) ++to.tiles;
    else start_sums(x, weights, n, to);
    weights ? on_lanes<AddToSums<true>>(x, weights, n, to) : on_lanes<AddToSums<false>>(x, weights, n, to);
}

// What a second number of the same rows adds to the sums of a first: its own, and the products of both.
struct BesideSums {
    MomentSums own;
    double products = 0;

    // Both jointly, to the second order; sums of higher ones are NaN.
    Joint joint(const MomentSums& first) const {
        const Moments x = own.moments(), y = first.moments();
        Joint out;
        out.n = y.n, out.w = y.w, out.w2 = y.w2, out.x = x.mean, out.y = y.mean;
        out.q1 = y.q1, out.q2 = y.q2;
        for (int j = 0; j < 5; ++j)
            for (int k = 0; j + k < 5; ++k) out.sums[j][k] = j + k < 2 ? 0.0 : std::nan("");
        out.sums[2][0] = x.m2, out.sums[0][2] = y.m2;
        out.sums[1][1] = y.w == 0 ? 0.0 : products - own.s1 * first.s1 / y.w;
        return out;
    }
};

template <bool weighted>
struct AddBeside {
    template <class V>
    CALIPERS_INLINE static void run(const double* x, const double* y, const double* weights, std::size_t n, double about_y,
                                    BesideSums& to) {
        const double about_x = to.own.about;
        V s1 = all_lanes<V>(0), s2 = s1, products = s1, sw = s1;
        for (std::size_t i = 0; i < n; i += 8) {
            const V w = weighted ? from8<V>(weights + i) : all_lanes<V>(1);
            const V dx = from8<V>(x + i) - about_x, dy = from8<V>(y + i) - about_y, wdx = w * dx;
            s1 += wdx, s2 += wdx * dx, products += wdx * dy;
            if constexpr (weighted) sw += w;
        }
        to.own.w += weighted ? total(sw) : double(n), to.own.s1 += total(s1), to.own.s2 += total(s2);
        to.products += total(products);
    }
};

// Adds a tile of x beside that of y, which its own sums have already.
inline void add(BesideSums& to, const double* x, const double* y, const double* weights, std::size_t n,
                const MomentSums& of_y) {
    if (to.own.tiles) ++to.own.tiles;
    else start_sums(x, weights, n, to.own);
    weights ? on_lanes<AddBeside<true>>(x, y, weights, n, of_y.about, to)
            : on_lanes<AddBeside<false>>(x, y, weights, n, of_y.about, to);
}

}  // namespace calipers
