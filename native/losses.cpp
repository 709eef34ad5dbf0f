// Log loss and squared error of two samples: moments to the third order, merged over fixed blocks. Beside them, how many rows
// were wrong, and what the losses would have been had every row been of the other class.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "log8.hpp"
#include "merge.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 13;

// Weighted central sums. Zero exactly where every loss is the same: all shifts are then zero.
struct Moments {
    double n = 0, w = 0, w2 = 0, mean = 0, m2 = 0, m3 = 0;
    double q1 = 0, q2 = 0;  // the sums of order one and two with squared weights

    void merge(const Moments& o) {
        if (o.n == 0) return;
        if (n == 0) {
            *this = o;
            return;
        }
        const double sum = w + o.w, d = o.mean - mean, share = o.w / sum;
        m3 += o.m3 + d * d * d * w * share * (w - o.w) / sum + 3 * d * (w * o.m2 - o.w * m2) / sum;
        m2 += o.m2 + d * d * w * share;
        const double mine = -d * share, theirs = d + mine;  // how far the means lie from the common one
        q2 += 2 * mine * q1 + mine * mine * w2 + o.q2 + 2 * theirs * o.q1 + theirs * theirs * o.w2;
        q1 += mine * w2 + o.q1 + theirs * o.w2;
        // Without a clip a loss can be infinite: the mean is then, and the spread is no number.
        mean = std::isfinite(d) ? mean + d * share : mean + o.mean;
        n += o.n, w = sum, w2 += o.w2;
    }

    nb::tuple tuple() const { return nb::make_tuple(std::size_t(n), w, w2, mean, m2, m3, q1, q2); }
};

// Power sums of x - pilot, eight lanes wide; the pilot is a loss of the block, so that nothing cancels.
struct Shifted {
    double pilot = 0;
    F8 s1{}, s2{}, s3{}, q1{}, q2{};

    template <bool weighted>
    CALIPERS_INLINE void add(const F8& x, const F8& w) {
        const F8 d = x - pilot, wd = w * d, wdd = wd * d;
        s1 += wd, s2 += wdd, s3 += wdd * d;
        if constexpr (weighted) q1 += w * wd, q2 += wd * wd;
    }

    CALIPERS_INLINE Moments moments(double n, double w, double w2, bool weighted) const {
        const double t1 = total(s1), t2 = total(s2), t3 = total(s3), d = t1 / w;
        const double u1 = weighted ? total(q1) : t1, u2 = weighted ? total(q2) : t2;
        return {n, w, w2, pilot + d, std::max(0.0, t2 - t1 * d), t3 - 3 * d * t2 + 2 * d * d * t1,
                u1 - d * w2, std::max(0.0, u2 - d * (2 * u1 - d * w2))};
    }
};

struct Both {
    Moments log, square;
    double wrong = 0, other_log = 0, other_square = 0;  // weight of rows predicted wrong; sums of the losses of the other class

    void merge(const Both& o) {
        log.merge(o.log), square.merge(o.square);
        wrong += o.wrong, other_log += o.other_log, other_square += o.other_square;
    }

    nb::tuple beside() const { return nb::make_tuple(wrong, other_log / log.w, other_square / log.w); }
};

// What was promised for what came, and for what did not.
struct Promise {
    F8 right, wrong;
};

CALIPERS_INLINE F8 clipped(const F8& p, double clip) {
    const F8 least = F8{} + clip, most = F8{} + (1.0 - clip);
    const F8 q = p < least ? least : p;
    return q > most ? most : q;
}

template <bool normal>
CALIPERS_INLINE void row_losses(const Promise& p, double clip, F8& log, F8& square) {
    F8 q = clipped(p.right, clip);
    log8<normal>(q);
    log = -q;
    square = p.wrong * p.wrong;
}

// Eight rows; a row of weight 0 is padding, whose loss (infinite with clip 0) must not be multiplied in.
template <bool normal>
struct LossBlock {
    double clip;
    Shifted log{}, square{};
    F8 w_sum{}, w2_sum{}, wrong{}, other_log{}, other_square{};
    F8 product = F8{} + 1;  // of probabilities of the other class: one logarithm for many rows
    int factors = 0;
    static constexpr int most_factors = 16;  // 16 clipped probabilities of double precision do not underflow

    CALIPERS_INLINE void start(const Promise& p) {
        F8 l, q;
        row_losses<normal>(p, clip, l, q);
        log.pilot = std::isfinite(l[0]) ? l[0] : 0, square.pilot = q[0];
    }

    CALIPERS_INLINE void add(const Promise& p, const F8& w) {
        F8 o = clipped(p.wrong, clip);
        log8<normal>(o);
        other_log -= w == 0 ? F8{} : w * o;
        add_own<true>(p, w);
    }

    // Eight rows of weight 1.
    CALIPERS_INLINE void add(const Promise& p) {
        product *= clipped(p.wrong, clip);
        if (++factors == most_factors) take_product();
        add_own<false>(p, F8{} + 1);
    }

    CALIPERS_INLINE void take_product() {
        log8<normal>(product);
        other_log -= product;
        product = F8{} + 1, factors = 0;
    }

    template <bool weighted>
    CALIPERS_INLINE void add_own(const Promise& p, const F8& w) {
        F8 l, q;
        row_losses<normal>(p, clip, l, q);
        const I8 absent = w == 0;
        log.template add<weighted>(absent ? F8{} + log.pilot : l, w);
        square.template add<weighted>(absent ? F8{} + square.pilot : q, w);
        w_sum += w, w2_sum += w * w;
        wrong += p.right < p.wrong ? w : F8{};
        other_square += w * (p.right * p.right);
    }

    CALIPERS_INLINE Both moments(double n, bool weighted) {
        const double w = total(w_sum), w2 = total(w2_sum);
        take_product();
        return {log.moments(n, w, w2, weighted), square.moments(n, w, w2, weighted), total(wrong), total(other_log),
                total(other_square)};
    }
};

// Eight rows of one class.
template <class T>
CALIPERS_INLINE Promise promised(const T* p, bool positive) {
    F8 x;
    load8(x, p);
    return positive ? Promise{x, 1.0 - x} : Promise{1.0 - x, x};
}

template <bool normal, class T>
CALIPERS_CLONES void loss_block(const T* p, const double* weights, std::size_t n, bool positive, double clip,
                                Both& out) {
    LossBlock<normal> block{clip};
    T tail[8] = {};
    double tail_weights[8] = {};
    std::fill_n(tail, 8, p[0]);
    block.start(promised(tail, positive));
    const std::size_t whole = n - n % 8;
    if (weights)
        for (std::size_t k = 0; k < whole; k += 8) block.add(promised(p + k, positive), lanes<F8>(weights + k));
    else
        for (std::size_t k = 0; k < whole; k += 8) block.add(promised(p + k, positive));
    if (whole < n) {
        std::copy(p + whole, p + n, tail);
        for (std::size_t k = whole; k < n; ++k) tail_weights[k - whole] = weights ? weights[k] : 1;
        block.add(promised(tail, positive), lanes<F8>(tail_weights));
    }
    out = block.moments(double(n), weights != nullptr);
}

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool nan = false;
};

// Eight rows of any class; what lies outside [0, 1] is seen on the way.
template <class T>
CALIPERS_INLINE Promise promised(const T* p, const std::uint32_t* codes, std::uint32_t positive, F8& lows, F8& highs,
                                 I8& nans) {
    typedef std::uint32_t Narrow __attribute__((vector_size(32)));
    const I8 is = __builtin_convertvector(lanes<Narrow>(codes), I8) == std::int64_t(positive);
    F8 x;
    load8(x, p);
    lows = x < lows ? x : lows, highs = x > highs ? x : highs, nans |= x != x;
    const F8 rest = 1.0 - x;
    return {is ? x : rest, is ? rest : x};
}

template <bool normal, class T>
CALIPERS_CLONES void loss_rows(const T* p, const std::uint32_t* codes, std::uint32_t positive, std::size_t n,
                               double clip, Both& out, Range& range) {
    F8 lows = F8{} + range.low, highs = F8{} + range.high;
    I8 nans{};
    LossBlock<normal> block{clip};
    T tail[8];
    std::uint32_t tail_codes[8];
    double tail_weights[8] = {};
    std::fill_n(tail, 8, p[0]), std::fill_n(tail_codes, 8, codes[0]);
    block.start(promised(tail, tail_codes, positive, lows, highs, nans));
    const std::size_t whole = n - n % 8;
    for (std::size_t k = 0; k < whole; k += 8)
        block.add(promised(p + k, codes + k, positive, lows, highs, nans));
    if (whole < n) {
        std::copy(p + whole, p + n, tail), std::copy(codes + whole, codes + n, tail_codes);
        std::fill_n(tail_weights, n - whole, 1.0);
        block.add(promised(tail, tail_codes, positive, lows, highs, nans), lanes<F8>(tail_weights));
    }
    out = block.moments(double(n), false);
    range.low = least(lows), range.high = -least(-highs);
    for (int l = 0; l < 8; ++l) range.nan |= nans[l] != 0;
}

template <class T>
Both loss_moments(const TwoSamples<T>& s, const double* pw, const double* nw, double clip) {
    const std::size_t of_pos = block_count(s.positives, block_rows), of_neg = block_count(s.negatives, block_rows);
    std::vector<Both> blocks(of_pos + of_neg);
    const bool normal = std::min(clip, 1 - clip) >= std::numeric_limits<double>::min();
    const auto block = normal ? &loss_block<true, T> : &loss_block<false, T>;
    for_blocks(blocks.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
        const bool positive = b < of_pos;
        const std::size_t rows = positive ? s.positives : s.negatives;
        const std::size_t begin = (positive ? b : b - of_pos) * block_rows, n = std::min(block_rows, rows - begin);
        const double* w = positive ? pw : nw;
        block((positive ? s.pos : s.neg) + begin, w ? w + begin : nullptr, n, positive, clip, blocks[b]);
    }, 16);
    Both out;
    for (const Both& b : blocks) out.merge(b);
    return out;
}

// The same of rows as they come, without splitting them by class.
nb::tuple row_moments(nb::handle scores, nb::handle codes, std::uint32_t positive, double clip) {
    const View view(scores, "scores"), code_view(codes, "codes");
    const Codes column(code_view);
    if (view.n != code_view.n) throw nb::value_error("scores and codes differ in length");
    std::vector<Both> blocks(block_count(view.n, block_rows));
    std::vector<Range> ranges(blocks.size());
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const Column<T> rows(view);
        const bool normal = std::min(clip, 1 - clip) >= std::numeric_limits<double>::min();
        const auto block = normal ? &loss_rows<true, T> : &loss_rows<false, T>;
        nb::gil_scoped_release release;
        for_blocks(view.n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            std::vector<T> spare(rows.in_place ? 0 : end - begin);
            std::uint32_t own[block_rows];
            column.read(begin, end - begin, own);
            block(rows.rows(begin, end - begin, spare.data()), own, positive, end - begin, clip, blocks[b], ranges[b]);
        });
    });
    Both out;
    Range all;
    for (const Both& b : blocks) out.merge(b);
    for (const Range& r : ranges)
        all.low = std::min(all.low, r.low), all.high = std::max(all.high, r.high), all.nan |= r.nan;
    return nb::make_tuple(out.log.tuple(), out.square.tuple(), out.beside(), all.low, all.high, all.nan);
}

nb::tuple losses(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, double clip) {
    return with_samples(pos, neg, [&](const auto& samples) {
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        Both both;
        {
            nb::gil_scoped_release release;
            both = loss_moments(samples, pw.data, nw.data, clip);
        }
        return nb::make_tuple(both.log.tuple(), both.square.tuple(), both.beside());
    });
}

}  // namespace

void init_losses(nb::module_& m) {
    m.def("losses", &losses, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("clip"),
          "(log_loss, squared, beside): each (n, w, w2, mean, m2, m3) with weighted central sums over both samples, and "
          "(weight of rows predicted wrong, mean log loss and mean squared error had every row been of the other class).");
    m.def("row_losses", &row_moments, nb::arg("scores"), nb::arg("codes"), nb::arg("positive"), nb::arg("clip"),
          "(log_loss, squared, beside, low, high, nan) of rows in any order; moments as in `losses`.");
}

}  // namespace calipers
