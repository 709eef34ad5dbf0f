// Log loss and squared error of a block of rows, eight at a time: power sums, how many rows were wrong, and what the losses
// would have been had every row been of the other class.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "log8.hpp"
#include "moments.hpp"

namespace calipers {

// Power sums of x - pilot, eight lanes wide; the pilot is a loss of the block, so that nothing cancels.
template <class V>
struct Shifted {
    double pilot = 0;
    V s1{}, s2{}, s3{}, q1{}, q2{};

    CALIPERS_INLINE void add(const V& x) {
        const V d = x - pilot, dd = d * d;
        s1 += d, s2 += dd, s3 += dd * d;
    }
    CALIPERS_INLINE void add(const V& x, const V& w) {
        const V d = x - pilot, wd = w * d, wdd = wd * d;
        s1 += wd, s2 += wdd, s3 += wdd * d, q1 += w * wd, q2 += wd * wd;
    }

    CALIPERS_INLINE Moments moments(double n, double w, double w2, bool weighted) const {
        const double t1 = total(s1), t2 = total(s2), t3 = total(s3), d = t1 / w;
        const double u1 = weighted ? total(q1) : t1, u2 = weighted ? total(q2) : t2;
        return {n, w, w2, pilot + d, std::max(0.0, t2 - t1 * d), t3 - 3 * d * t2 + 2 * d * d * t1,
                u1 - d * w2, std::max(0.0, u2 - d * (2 * u1 - d * w2))};
    }
};

struct BothLosses {
    Moments log, square;
    double wrong = 0, other_log = 0, other_square = 0;  // weight of rows predicted wrong; sums of the losses of the other class

    void merge(const BothLosses& o) {
        log.merge(o.log), square.merge(o.square);
        wrong += o.wrong, other_log += o.other_log, other_square += o.other_square;
    }

    nb::tuple beside() const { return nb::make_tuple(wrong, other_log / log.w, other_square / log.w); }
};

// What was promised for what came, and for what did not: eight rows.
template <class V>
struct Promise {
    V right, wrong;
};

template <class V>
CALIPERS_INLINE V clipped(const V& p, double clip) {
    const V least = all_lanes<V>(clip), most = all_lanes<V>(1.0 - clip);
    const V q = choose(p < least, least, p);
    return choose(most < q, most, q);
}

// Eight rows at a time. A row of weight 0 is padding, whose loss (infinite with clip 0) must not be multiplied in.
template <bool normal, class V>
struct LossBlock {
    double clip;
    Shifted<V> log{}, square{};
    V w_sum{}, w2_sum{}, wrong{}, other_log{}, other_square{};
    V product = all_lanes<V>(1);  // of probabilities of the other class: one logarithm for many rows
    int factors = 0;
    double rows = 0;                         // of weight 1 that are not in the sums of weights
    static constexpr int most_factors = 16;  // 16 clipped probabilities of double precision do not underflow

    CALIPERS_INLINE V log_loss(const Promise<V>& p) const {
        V q = clipped(p.right, clip);
        log8<normal>(q);
        return -q;
    }

    CALIPERS_INLINE void start(const Promise<V>& p) {
        const double first = first_lane(log_loss(p));
        log.pilot = std::isfinite(first) ? first : 0, square.pilot = first_lane(p.wrong * p.wrong);
    }

    CALIPERS_INLINE void add(const Promise<V>& p, const V& w) {
        const auto absent = w == 0;
        V o = clipped(p.wrong, clip);
        log8<normal>(o);
        other_log -= choose(absent, V{}, w * o);
        log.add(choose(absent, all_lanes<V>(log.pilot), log_loss(p)), w);
        square.add(choose(absent, all_lanes<V>(square.pilot), p.wrong * p.wrong), w);
        w_sum += w, w2_sum += w * w;
        wrong += choose(p.right < p.wrong, w, V{});
        other_square += w * (p.right * p.right);
    }

    // Eight rows of weight 1.
    CALIPERS_INLINE void add(const Promise<V>& p) {
        product *= clipped(p.wrong, clip);
        if (++factors == most_factors) take_product();
        log.add(log_loss(p)), square.add(p.wrong * p.wrong);
        rows += 8;
        wrong += choose(p.right < p.wrong, all_lanes<V>(1), V{});
        other_square += p.right * p.right;
    }

    CALIPERS_INLINE void take_product() {
        log8<normal>(product);
        other_log -= product;
        product = all_lanes<V>(1), factors = 0;
    }

    CALIPERS_INLINE BothLosses moments(double n, bool weighted) {
        const double w = total(w_sum) + rows, w2 = total(w2_sum) + rows;
        take_product();
        return {log.moments(n, w, w2, weighted), square.moments(n, w, w2, weighted), total(wrong), total(other_log),
                total(other_square)};
    }
};

// Eight rows of one class.
template <class V, class T>
CALIPERS_INLINE Promise<V> promised(const T* p, bool positive) {
    V x;
    load8(x, p);
    return positive ? Promise<V>{x, 1.0 - x} : Promise<V>{1.0 - x, x};
}

// A block of rows of one class.
template <class T>
struct OneClass {
    const T* p;
    const double* weights;
    std::size_t n;
    bool positive;
};

template <bool normal>
struct ClassLosses {
    template <class V, class T>
    CALIPERS_INLINE static void run(const OneClass<T>& rows, double clip, BothLosses& out) {
        const T* const p = rows.p;
        const std::size_t n = rows.n, whole = n - n % 8;
        LossBlock<normal, V> block{clip};
        T tail[8];
        double tail_weights[8] = {};
        std::fill_n(tail, 8, p[0]);
        block.start(promised<V>(tail, rows.positive));
        if (rows.weights)
            for (std::size_t k = 0; k < whole; k += 8)
                block.add(promised<V>(p + k, rows.positive), from8<V>(rows.weights + k));
        else
            for (std::size_t k = 0; k < whole; k += 8) block.add(promised<V>(p + k, rows.positive));
        if (whole < n) {
            std::copy(p + whole, p + n, tail);
            for (std::size_t k = whole; k < n; ++k) tail_weights[k - whole] = rows.weights ? rows.weights[k] : 1;
            block.add(promised<V>(tail, rows.positive), from8<V>(tail_weights));
        }
        out = block.moments(double(n), rows.weights != nullptr);
    }
};

struct LossRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool nan = false;
};

// What lies outside [0, 1] is seen on the way.
template <class V>
struct Seen {
    V lows, highs;
    IntsOf<V> nans{};

    template <class T>
    CALIPERS_INLINE Promise<V> promised(const T* p, const std::uint32_t* codes, std::uint32_t positive) {
        IntsOf<V> is;
        V x;
        load8(x, p), equal8(is, codes, positive);
        lows = less_of(x, lows), highs = more_of(x, highs), nans |= x != x;
        const V rest = 1.0 - x;
        return {choose(is, x, rest), choose(is, rest, x)};
    }

    CALIPERS_INLINE LossRange range() const { return {least(lows), -least(-highs), any(nans)}; }
};

// A block of rows of any class.
template <class T>
struct AnyClass {
    const T* p;
    const std::uint32_t* codes;
    std::size_t n;
    std::uint32_t positive;
};

template <bool normal>
struct RowLosses {
    template <class V, class T>
    CALIPERS_INLINE static void run(const AnyClass<T>& rows, double clip, BothLosses& out, LossRange& range) {
        const T* const p = rows.p;
        const std::uint32_t *const codes = rows.codes, positive = rows.positive;
        const std::size_t n = rows.n, whole = n - n % 8;
        Seen<V> seen{all_lanes<V>(range.low), all_lanes<V>(range.high)};
        LossBlock<normal, V> block{clip};
        T tail[8];
        std::uint32_t tail_codes[8];
        double tail_weights[8] = {};
        std::fill_n(tail, 8, p[0]), std::fill_n(tail_codes, 8, codes[0]);
        block.start(seen.promised(tail, tail_codes, positive));
        for (std::size_t k = 0; k < whole; k += 8) block.add(seen.promised(p + k, codes + k, positive));
        if (whole < n) {
            std::copy(p + whole, p + n, tail), std::copy(codes + whole, codes + n, tail_codes);
            std::fill_n(tail_weights, n - whole, 1.0);
            block.add(seen.promised(tail, tail_codes, positive), from8<V>(tail_weights));
        }
        out = block.moments(double(n), false);
        range = seen.range();
    }
};

// Kernel<normal>: clipped probabilities are neither 0 nor subnormal.
template <template <bool> class Kernel, class... Arguments>
void add_losses(double clip, Arguments&&... arguments) {
    if (std::min(clip, 1 - clip) >= std::numeric_limits<double>::min())
        on_lanes<Kernel<true>>(std::forward<Arguments>(arguments)...);
    else
        on_lanes<Kernel<false>>(std::forward<Arguments>(arguments)...);
}

}  // namespace calipers
