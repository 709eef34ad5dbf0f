// Two numbers a row: their means and joint central sums to the fourth order, of fixed blocks that are merged in order. A
// block's means are taken before its central sums, so that 1e9 with errors of 1e-3 keeps its digits.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "array.hpp"
#include "twin.hpp"

namespace calipers {

// Means, and the central sums of order (j, k) with 2 <= j + k <= 4.
struct Joint {
    double n = 0, w = 0, w2 = 0, x = 0, y = 0;
    double sums[5][5] = {};
    double q1 = 0, q2 = 0;  // the sums of order one and two of the second number, with squared weights

    // The sums about another point, by the binomial theorem.
    void move(double to_x, double to_y) {
        static constexpr double choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
        double by_x[5] = {1}, by_y[5] = {1}, old[5][5];
        for (int i = 1; i < 5; ++i) by_x[i] = by_x[i - 1] * (x - to_x), by_y[i] = by_y[i - 1] * (y - to_y);
        std::copy(&sums[0][0], &sums[0][0] + 25, &old[0][0]);
        old[0][0] = w;
        for (int j = 0; j < 5; ++j)
            for (int k = 0; j + k < 5; ++k) {
                if (j + k < 2) continue;
                double s = 0;
                for (int a = 0; a <= j; ++a)
                    for (int b = 0; b <= k; ++b) s += choose[j][a] * choose[k][b] * by_x[j - a] * by_y[k - b] * old[a][b];
                sums[j][k] = s;
            }
        q2 += by_y[1] * (2 * q1 + by_y[1] * w2), q1 += by_y[1] * w2;
        x = to_x, y = to_y;
    }

    void merge(Joint o) {
        if (o.w == 0) return;
        if (w == 0) {
            *this = o;
            return;
        }
        const double share = o.w / (w + o.w), to_x = x + (o.x - x) * share, to_y = y + (o.y - y) * share;
        move(to_x, to_y), o.move(to_x, to_y);
        for (int j = 0; j < 5; ++j)
            for (int k = 0; j + k < 5; ++k) sums[j][k] += o.sums[j][k];
        n += o.n, w += o.w, w2 += o.w2, q1 += o.q1, q2 += o.q2;
    }

    nb::tuple tuple() const {
        const Fresh found(dtype<double>(), 14);
        double* at = found.as<double>();
        *at++ = x, *at++ = y;
        for (int order = 2; order < 5; ++order)
            for (int k = 0; k <= order; ++k) *at++ = sums[order - k][k];
        return nb::make_tuple(std::size_t(n), w, w2, found.array, q1, q2);
    }
};

// Which two numbers of two columns: these themselves, the truth and the error of a prediction, or the sizes of those. Of
// sizes only ratios of their means are asked, whose spread is of the second order: higher sums are NaN.
enum class Of { both, errors, sizes };

template <Of of, class V>
CALIPERS_INLINE void pair_of(const double* first, const double* second, V& x, V& y) {
    x = lanes<V>(first), y = lanes<V>(second);
    if constexpr (of != Of::both) y -= x;
    if constexpr (of == Of::sizes) x = size_of(x), y = size_of(y);
}

// The sums over one block, of every eighth row for each lane.
template <Of of, bool weighted, class V>
struct LaneSums {
    V x{}, y{}, w{}, w2{}, q1{}, q2{};
    V s20{}, s11{}, s02{}, s30{}, s21{}, s12{}, s03{}, s40{}, s31{}, s22{}, s13{}, s04{};

    // Weights, and sums about a first row.
    CALIPERS_INLINE void add_first_order(const double* first, const double* second, const double* weights, std::size_t n,
                                         double about_x, double about_y) {
        V a, b;
        for (std::size_t i = 0; i < n; i += 8) {
            pair_of<of>(first + i, second + i, a, b);
            const V each = weighted ? lanes<V>(weights + i) : V{} + 1;
            if constexpr (weighted) w += each, w2 += each * each;
            x += each * (a - about_x), y += each * (b - about_y);
        }
    }

    // Sums of higher order, about the means.
    CALIPERS_INLINE void add_central(const double* first, const double* second, const double* weights, std::size_t n,
                                     double mean_x, double mean_y) {
        V a, b;
        for (std::size_t i = 0; i < n; i += 8) {
            pair_of<of>(first + i, second + i, a, b);
            const V each = weighted ? lanes<V>(weights + i) : V{} + 1, dx = a - mean_x, dy = b - mean_y;
            const V xx = dx * dx, xy = dx * dy, yy = dy * dy, wxx = each * xx, wxy = each * xy, wyy = each * yy;
            s20 += wxx, s11 += wxy, s02 += wyy;
            if constexpr (weighted) q1 += each * each * dy, q2 += each * wyy;
            if constexpr (of == Of::sizes) continue;
            s30 += wxx * dx, s21 += wxx * dy, s12 += wyy * dx, s03 += wyy * dy;
            s40 += wxx * xx, s31 += wxx * xy, s22 += wxx * yy, s13 += wyy * xy, s04 += wyy * yy;
        }
    }
};

// The lanes of a block in vectors that fit the registers: eight at once, or the first four of each eight and then the
// others, because the sums of eight lanes would not stay in registers of four.
template <Of of, bool weighted, class V>
struct BlockSums {
    static constexpr int parts = std::is_same_v<V, F8> ? 1 : 2;
    using Part = LaneSums<of, weighted, std::conditional_t<parts == 1, F8, H4>>;
    Part part[parts];

    template <class Sum>
    CALIPERS_INLINE double total(const Sum& sum) const {
        if constexpr (parts == 1) return calipers::total(sum(part[0]));
        else return calipers::total(Twin{sum(part[0]), sum(part[1])});
    }
};

// A block of two columns whose length is padded to whole vectors; padding has weight 0. No weights: all are 1.
template <Of of, bool weighted>
struct JointBlock {
    template <class V>
    CALIPERS_INLINE static void run(const double* first, const double* second, const double* weights, std::size_t n,
                                    std::size_t rows, Joint& out) {
        using Sums = BlockSums<of, weighted, V>;
        Sums sums;
        V x, y;
        x = from8<V>(first), y = from8<V>(second);
        if constexpr (of != Of::both) y -= x;
        if constexpr (of == Of::sizes) x = size_of(x), y = size_of(y);
        const double first_x = first_lane(x), first_y = first_lane(y);
        for (int k = 0; k < Sums::parts; ++k)
            sums.part[k].add_first_order(first + 4 * k, second + 4 * k, weights + (weighted ? 4 * k : 0), n, first_x, first_y);
#define CALIPERS_SUM(name) sums.total([](const auto& part) __attribute__((always_inline)) { return part.name; })
        out.n = double(rows), out.w = weighted ? CALIPERS_SUM(w) : out.n, out.w2 = weighted ? CALIPERS_SUM(w2) : out.n;
        if (out.w == 0) return;
        out.x = first_x + CALIPERS_SUM(x) / out.w, out.y = first_y + CALIPERS_SUM(y) / out.w;
        for (int k = 0; k < Sums::parts; ++k)
            sums.part[k].add_central(first + 4 * k, second + 4 * k, weights + (weighted ? 4 * k : 0), n, out.x, out.y);
        auto& s = out.sums;
        s[2][0] = CALIPERS_SUM(s20), s[1][1] = CALIPERS_SUM(s11), s[0][2] = CALIPERS_SUM(s02);
        out.q1 = weighted ? CALIPERS_SUM(q1) : 0.0, out.q2 = weighted ? CALIPERS_SUM(q2) : s[0][2];
        if constexpr (of == Of::sizes) {
            for (int j = 0; j < 5; ++j)
                for (int k = 0; j + k < 5; ++k)
                    if (j + k > 2) s[j][k] = std::nan("");
        } else {
            s[3][0] = CALIPERS_SUM(s30), s[2][1] = CALIPERS_SUM(s21), s[1][2] = CALIPERS_SUM(s12);
            s[0][3] = CALIPERS_SUM(s03), s[4][0] = CALIPERS_SUM(s40), s[3][1] = CALIPERS_SUM(s31);
            s[2][2] = CALIPERS_SUM(s22), s[1][3] = CALIPERS_SUM(s13), s[0][4] = CALIPERS_SUM(s04);
        }
#undef CALIPERS_SUM
    }
};

template <Of of>
void joint_of(const double* first, const double* second, const double* weights, std::size_t n, std::size_t rows,
              Joint& out) {
    if (weights) return on_lanes<JointBlock<of, true>>(first, second, weights, n, rows, out);
    on_lanes<JointBlock<of, false>>(first, second, weights, n, rows, out);
}

}  // namespace calipers
