// Losses of predicted numbers, a tile of rows at a time. What several losses need of a tile is found once.
#pragma once

#include <algorithm>
#include <cmath>

#include "loss_kinds.hpp"

namespace calipers {

// Beyond this |s|, where one number is more than twice the other, the logarithm itself is taken.
constexpr double near_s = 1.0 / 3;

// artanh(s) - s for |s| <= 1/3, within 2e-16 of it: with s = (p - y) / (p + y), half of log(p / y) is s plus this, so that
// nothing cancels where p is near y. In pairs of terms, because each step of a plain series waits for the one before it.
template <class V>
CALIPERS_INLINE V beyond_s(const V& s) {
    const V q = s * s, q2 = q * q, q4 = q2 * q2;
    const V first = (0.3333333333333333 + 0.20000000000007292 * q) + (0.1428571428355438 + 0.11111111358713932 * q) * q2;
    const V second = (0.09090894718066429 + 0.07692785032479312 * q) + (0.06657072104827468 + 0.06000536404795356 * q) * q2;
    return s * q * ((first + second * q4) + (0.04400369243072337 + 0.08082022805971766 * q) * (q4 * q4));
}

// s = (p - y) / `under` and artanh(s) - s; `more` is what was added to both numbers.
struct Relative {
    template <class V>
    CALIPERS_INLINE static void run(const double* y, const double* p, const double* inverse, std::size_t n, double more,
                                    double* s, double* rest) {
        V farthest = all_lanes<V>(0);
        for (std::size_t i = 0; i < n; i += 8) {
            const V here = (from8<V>(p + i) - from8<V>(y + i)) * from8<V>(inverse + i);
            farthest = more_of(size_of(here), farthest);
            store8(s + i, here), store8(rest + i, beyond_s(here));
        }
        if (-least(-farthest) <= near_s) return;
        for (std::size_t i = 0; i < n; i += 8) {
            const V here = from8<V>(s + i), size = size_of(here);
            if (-least(-size) <= near_s) continue;
            V log = (from8<V>(p + i) + more) / (from8<V>(y + i) + more);
            log8<false>(log);
            store8(rest + i, choose(size <= near_s, from8<V>(rest + i), 0.5 * log - here));
        }
    }
};

inline void relative(const double* y, const double* p, const double* inverse, std::size_t n, double more, double* s,
                     double* rest) {
    on_lanes<Relative>(y, p, inverse, n, more, s, rest);
}

template <Loss::Kind kind, class V>
CALIPERS_INLINE V one_loss(const V& y, const V& p, double a) {
    const V e = p - y, size = size_of(e);
    if constexpr (kind == Loss::absolute) return size;
    if constexpr (kind == Loss::squared) return e * e;
    if constexpr (kind == Loss::pinball) return choose(e < 0.0, -a * e, (1 - a) * e);
    if constexpr (kind == Loss::huber) return choose(size <= a, 0.5 * e * e, a * (size - 0.5 * a));
    if constexpr (kind == Loss::percentage) {  // a > 0: the least whole
        const V whole = size_of(y);
        return size / choose(whole < a, all_lanes<V>(a), whole);
    }
}

template <Loss::Kind kind>
struct Fill {
    template <class V>
    CALIPERS_INLINE static void run(const double* y, const double* p, std::size_t n, double a, double* out) {
        for (std::size_t i = 0; i < n; i += 8) store8(out + i, one_loss<kind>(from8<V>(y + i), from8<V>(p + i), a));
    }
};

template <Loss::Kind kind>
void fill(const double* y, const double* p, std::size_t n, double a, double* out) {
    on_lanes<Fill<kind>>(y, p, n, a, out);
}

CALIPERS_CLONES inline void percentages(const double* y, const double* p, const double* inverse, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::fabs(p[i] - y[i]) * inverse[i];
}

CALIPERS_CLONES inline void symmetric(const double* s, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2 * std::fabs(s[i]);
}

CALIPERS_CLONES inline void squared_logs(const double* s, const double* rest, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 4 * (s[i] + rest[i]) * (s[i] + rest[i]);
}

// Unit deviances of Poisson (power 1), 2(y log(y / p) + p - y), and gamma (2), 2(log(p / y) - (p - y) / p).
CALIPERS_CLONES inline void poisson(const double* y, const double* p, const double* s, const double* rest, std::size_t n,
                                    double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double found = 2 * (s[i] * (p[i] - y[i]) - 2 * y[i] * rest[i]);
        out[i] = y[i] == 0 ? 2 * p[i] : found;
    }
}

CALIPERS_CLONES inline void gamma(const double* y, const double* p, const double* inverse, const double* s,
                                  const double* rest, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2 * (s[i] * ((p[i] - y[i]) * inverse[i]) + 2 * rest[i]);
}

// 4(√y - √p)²/√p, the unit deviance of power 1.5; of predictions, and of one answer for all.
CALIPERS_CLONES inline void between(const double* y, const double* p, const double* root_p, const double* inverse,
                                    std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double part = (p[i] - y[i]) * inverse[i];
        out[i] = 4 * part * part * root_p[i];
    }
}

CALIPERS_CLONES inline void between(const double* y, double p, const double* inverse, std::size_t n, double* out) {
    const double scale = 4 / std::sqrt(p);
    for (std::size_t i = 0; i < n; ++i) {
        const double gap = (p - y[i]) * inverse[i];
        out[i] = scale * gap * gap;
    }
}

// log cosh of the error; log1p keeps the digits of small errors, and cosh of large ones would overflow.
inline void log_cosh(const double* y, const double* p, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double size = std::fabs(p[i] - y[i]), half = std::sinh(std::min(size, 1.0) / 2);
        out[i] = size < 1 ? std::log1p(2 * half * half) : size + std::log1p(std::exp(-2 * size)) - 0.6931471805599453;
    }
}

inline void any_power(const double* y, const double* p, std::size_t n, double power, double* out) {
    const double a = 1 - power, b = 2 - power;
    for (std::size_t i = 0; i < n; ++i)
        out[i] = 2 * (std::pow(std::max(y[i], 0.0), b) / (a * b) - y[i] * std::pow(p[i], a) / a +
                      std::pow(p[i], b) / b);
}

// True and predicted numbers of a tile, padded to whole vectors, and what has been found of them.
class Tile {
public:
    // `moderate`: all numbers are so far from 0 and infinity that products of divisors are too.
    Tile(const double* y, const double* p, std::size_t padded, const Divisors& divisors, bool moderate)
        : y_(y), p_(p), n_(padded), divisors_(divisors), moderate_(moderate) {}

    // The losses of the predictions.
    void losses(const Loss& loss, double* out) {
        switch (loss.kind) {
            case Loss::absolute: return fill<Loss::absolute>(y_, p_, n_, 0, out);
            case Loss::squared: return fill<Loss::squared>(y_, p_, n_, 0, out);
            case Loss::percentage:
                if (loss.parameter > 0) return fill<Loss::percentage>(y_, p_, n_, loss.parameter, out);
                return percentages(y_, p_, inverse(Divisors::truth), n_, out);
            case Loss::symmetric: return symmetric(ratio().s, n_, out);
            case Loss::squared_log: {
                Ratio of_next;
                relative(y_, p_, inverse(Divisors::next), n_, 1.0, of_next.s, of_next.rest);
                return squared_logs(of_next.s, of_next.rest, n_, out);
            }
            case Loss::pinball: return fill<Loss::pinball>(y_, p_, n_, loss.parameter, out);
            case Loss::huber: return fill<Loss::huber>(y_, p_, n_, loss.parameter, out);
            case Loss::tweedie: return tweedie(loss.parameter, out);
            case Loss::log_cosh: return log_cosh(y_, p_, n_, out);
        }
    }

    // The losses of one answer for all rows.
    void losses_of(double answer, const Loss& loss, double* out) {
        if (loss.power(1.5)) return between(y_, answer, inverse(Divisors::answer), n_, out);
        alignas(64) double same[tile_rows];
        std::fill(same, same + n_, answer);
        Divisors own;
        own.need(loss);
        Tile(y_, same, n_, own, false).losses(loss, out);
    }

private:
    struct Ratio {
        alignas(64) double s[tile_rows], rest[tile_rows];
    };

    const Ratio& ratio() {
        if (!known_) relative(y_, p_, inverse(Divisors::both), n_, 0.0, ratio_.s, ratio_.rest);
        known_ = true;
        return ratio_;
    }

    const double* inverse(Divisors::Kind kind) {
        if (!inverted_) invert_all();
        inverted_ = true;
        return inverse_[kind];
    }

    void invert_all() {
        alignas(64) double root[tile_rows];
        if (divisors_.needed >> Divisors::roots) roots_of(y_, n_, root), roots_of(p_, n_, root_said_);
        const double root_answer = std::sqrt(divisors_.of_answer);
        double* columns[Divisors::kinds];
        int count = 0;
        for (int k = 0; k < Divisors::kinds; ++k) {
            if (!(divisors_.needed >> k & 1)) continue;
            divisors_of(Divisors::Kind(k), y_, p_, root, root_said_, root_answer, n_, inverse_[k]);
            columns[count++] = inverse_[k];
        }
        if (moderate_ && count == 6) return on_lanes<InvertTogether<6>>(columns, n_);
        if (moderate_ && count == 5) return on_lanes<InvertTogether<5>>(columns, n_);
        for (int k = 0; k < count; ++k) invert(columns[k], n_);
    }

    void tweedie(double power, double* out) {
        if (power == 0) return fill<Loss::squared>(y_, p_, n_, 0, out);
        if (power == 1) return poisson(y_, p_, ratio().s, ratio().rest, n_, out);
        if (power == 2) return gamma(y_, p_, inverse(Divisors::predicted), ratio().s, ratio().rest, n_, out);
        if (power == 1.5) return between(y_, p_, root_said_, inverse(Divisors::roots), n_, out);
        any_power(y_, p_, n_, power, out);
    }

    const double *y_, *p_;
    std::size_t n_;
    const Divisors& divisors_;
    Ratio ratio_;
    alignas(64) double inverse_[Divisors::kinds][tile_rows], root_said_[tile_rows];
    bool moderate_, known_ = false, inverted_ = false;
};

}  // namespace calipers
