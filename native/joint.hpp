// Two numbers a row: their means and joint central sums to the fourth order, of fixed blocks that are merged in order. A
// block's means are taken before its central sums, so that 1e9 with errors of 1e-3 keeps its digits.
#pragma once

#include <algorithm>
#include <cmath>

#include "array.hpp"
#include "lanes.hpp"

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
        nb::list found;
        found.append(x), found.append(y);
        for (int order = 2; order < 5; ++order)
            for (int k = 0; k <= order; ++k) found.append(sums[order - k][k]);
        return nb::make_tuple(std::size_t(n), w, w2, found, q1, q2);
    }
};

// Which two numbers of two columns: these themselves, the truth and the error of a prediction, or the sizes of those. Of
// sizes only ratios of their means are asked, whose spread is of the second order: higher sums are NaN.
enum class Of { both, errors, sizes };

template <Of of>
CALIPERS_INLINE void pair_of(const double* first, const double* second, F8& x, F8& y) {
    x = lanes<F8>(first), y = lanes<F8>(second);
    if constexpr (of != Of::both) y -= x;
    if constexpr (of == Of::sizes) x = size_of(x), y = size_of(y);
}

// A block of two columns whose length is padded to whole vectors; padding has weight 0. No weights: all are 1.
template <Of of, bool weighted>
CALIPERS_CLONES void joint_block(const double* first, const double* second, const double* weights, std::size_t n,
                                 std::size_t rows, Joint& out) {
    F8 sx{}, sy{}, sw{}, sw2{}, x, y, one = F8{} + 1;
    pair_of<of>(first, second, x, y);
    const double first_x = x[0], first_y = y[0];
    for (std::size_t i = 0; i < n; i += 8) {
        pair_of<of>(first + i, second + i, x, y);
        const F8 w = weighted ? lanes<F8>(weights + i) : one;
        if constexpr (weighted) sw += w, sw2 += w * w;
        sx += w * (x - first_x), sy += w * (y - first_y);
    }
    out.n = double(rows), out.w = weighted ? total(sw) : out.n, out.w2 = weighted ? total(sw2) : out.n;
    if (out.w == 0) return;
    out.x = first_x + total(sx) / out.w, out.y = first_y + total(sy) / out.w;
    F8 q1{}, q2{}, s20{}, s11{}, s02{}, s30{}, s21{}, s12{}, s03{}, s40{}, s31{}, s22{}, s13{}, s04{};
    for (std::size_t i = 0; i < n; i += 8) {
        pair_of<of>(first + i, second + i, x, y);
        const F8 w = weighted ? lanes<F8>(weights + i) : one, dx = x - out.x, dy = y - out.y;
        const F8 xx = dx * dx, xy = dx * dy, yy = dy * dy, wxx = w * xx, wxy = w * xy, wyy = w * yy;
        s20 += wxx, s11 += wxy, s02 += wyy;
        if constexpr (weighted) q1 += w * w * dy, q2 += w * wyy;
        if constexpr (of == Of::sizes) continue;
        s30 += wxx * dx, s21 += wxx * dy, s12 += wyy * dx, s03 += wyy * dy;
        s40 += wxx * xx, s31 += wxx * xy, s22 += wxx * yy, s13 += wyy * xy, s04 += wyy * yy;
    }
    out.q1 = weighted ? total(q1) : 0.0, out.q2 = total(weighted ? q2 : s02);
    const F8* const found[5][5] = {{nullptr, nullptr, &s02, &s03, &s04}, {nullptr, &s11, &s12, &s13, nullptr},
                                   {&s20, &s21, &s22, nullptr, nullptr}, {&s30, &s31, nullptr, nullptr, nullptr},
                                   {&s40, nullptr, nullptr, nullptr, nullptr}};
    for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 5; ++k)
            if (found[j][k]) out.sums[j][k] = of == Of::sizes && j + k > 2 ? std::nan("") : total(*found[j][k]);
}

template <Of of>
void joint_of(const double* first, const double* second, const double* weights, std::size_t n, std::size_t rows,
              Joint& out) {
    if (weights) return joint_block<of, true>(first, second, weights, n, rows, out);
    joint_block<of, false>(first, second, weights, n, rows, out);
}

}  // namespace calipers
