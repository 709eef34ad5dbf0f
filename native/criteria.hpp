// Which threshold is best, by four criteria at once, eight states at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "curve_points.hpp"
#include "twin.hpp"

namespace calipers {

struct Totals {
    double positives, negatives;
};

// Where the states of a part of the rows stand: those of all rows, those that lie below the part, and those that do not.
struct Place {
    Totals all;
    std::int64_t i0 = 0, j0 = 0;
    Totals left = all;

    Place(State end, State before)
        : all{double(end.i), double(end.j)}, i0(std::int64_t(before.i)), j0(std::int64_t(before.j)),
          left{double(end.i - before.i), double(end.j - before.j)} {}
};

// The best state of one criterion in each of eight lanes. A state is packed, i in the high half: larger means a higher
// threshold, and the higher threshold wins a tie.
template <class Number>
struct Best {
    Number score[8];
    std::int64_t state[8];

    explicit Best(Number worst) { std::fill_n(score, 8, worst), std::fill_n(state, 8, -1); }
};

// The same for a ratio.
struct BestRatio {
    double over[8], under[8];
    std::int64_t state[8];

    BestRatio() { std::fill_n(over, 8, 0.0), std::fill_n(under, 8, 1.0), std::fill_n(state, 8, -1); }
};

inline State unpack(std::int64_t state) {
    return {static_cast<std::size_t>(state >> 32), static_cast<std::size_t>(state & 0xffffffff)};
}

template <class Number>
Number best_lane(const Best<Number>& best, State& out) {
    int at = 0;
    for (int l = 1; l < 8; ++l)
        if (best.score[l] > best.score[at] || (best.score[l] == best.score[at] && best.state[l] > best.state[at])) at = l;
    out = unpack(best.state[at]);
    return best.score[at];
}

// Lanes while states are offered to them.
template <class V, class Number>
struct Offered {
    Best<Number>& best;
    V score = from8<V>(best.score);
    IntsOf<V> state = from8<IntsOf<V>>(best.state);

    CALIPERS_INLINE void offer(const V& s, const IntsOf<V>& packed) {
        const IntsOf<V> better = s >= score;
        score = choose(better, s, score), state = choose(better, packed, state);
    }
    CALIPERS_INLINE void keep() const { store8(best.score, score), store8(best.state, state); }
};

// Ratios are compared by cross-multiplication: a division costs as much as the rest of a step.
template <class V>
struct OfferedRatio {
    BestRatio& best;
    V over = from8<V>(best.over), under = from8<V>(best.under);
    IntsOf<V> state = from8<IntsOf<V>>(best.state);

    CALIPERS_INLINE void offer(const V& a, const V& b, const IntsOf<V>& packed) {
        const IntsOf<V> better = a * under >= over * b;
        over = choose(better, a, over), under = choose(better, b, under), state = choose(better, packed, state);
    }
    CALIPERS_INLINE void keep() const { store8(best.over, over), store8(best.under, under), store8(best.state, state); }
};

// Youden's rise tpr - fpr and its magnitude (both times P N, in integers), F1 as tp / (tp + fp + P), and the distance
// to the corner (0, 1). A state's own threshold is the value of the rows above it; the end calls nothing positive.
struct Criteria {
    Best<std::int64_t> youden{std::numeric_limits<std::int64_t>::min()}, ks{-1};
    BestRatio f1;
    Best<double> corner{-infinity};

    // Of the first state of a part.
    struct At {
        std::int64_t rise;
        double corner;

        explicit At(const Place& place) {
            const auto p = static_cast<std::int64_t>(place.all.positives), n = static_cast<std::int64_t>(place.all.negatives);
            const double miss = double(place.i0) * place.all.negatives, alarm = place.left.negatives * place.all.positives;
            rise = place.j0 * p - place.i0 * n, corner = -(miss * miss + alarm * alarm);
        }
    };

    template <class V>
    CALIPERS_INLINE static void run(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, const Place& place,
                                    Criteria& best) {
        using Ints = IntsOf<V>;
        const Totals all = place.all;
        const std::int64_t p = static_cast<std::int64_t>(all.positives), n = static_cast<std::int64_t>(all.negatives);
        const std::int64_t rise0 = place.j0 * p - place.i0 * n;
        const double i0 = double(place.i0);
        Offered<Ints, std::int64_t> youden{best.youden}, ks{best.ks};
        OfferedRatio<V> f1{best.f1};
        Offered<V, double> corner{best.corner};
        for (std::size_t k = 0; k < groups; k += 8) {
            const Ints i64 = whole_lanes<Ints>(si + k), j64 = whole_lanes<Ints>(sj + k);
            const V i = whole_lanes<V>(si + k), j = whole_lanes<V>(sj + k);
            const V tp = place.left.positives - i, fp = place.left.negatives - j;
            const Ints packed = (i64 << 32) | j64, rise = j64 * p - i64 * n + rise0;
            youden.offer(rise, packed);
            ks.offer(choose(rise > 0, rise, -rise), packed);
            f1.offer(tp, tp + fp + all.positives, packed);
            // Times P N: products of integers round once, so equal distances stay equal.
            const V miss = (i + i0) * all.negatives, alarm = fp * all.positives;
            corner.offer(-(miss * miss + alarm * alarm), packed);
        }
        youden.keep(), ks.keep(), f1.keep(), corner.keep();
    }
};

// The best at the cuts between blocks so far. A chunk whose corners cannot reach it is not searched: most are not.
struct Floor {
    std::int64_t youden = 0, ks = 0;
    double f1_over = 0, f1_under = 1, corner = -infinity;

    void raise(const std::vector<State>& cuts, const Place& place) {
        for (const State cut : cuts) {
            const auto i = static_cast<std::int64_t>(cut.i), j = static_cast<std::int64_t>(cut.j);
            const Bound at(i, j, i, j, place);
            youden = std::max(youden, at.high), ks = std::max({ks, at.high, -at.low});
            if (at.tp * f1_under > f1_over * at.f1_under) f1_over = at.tp, f1_under = at.f1_under;
            corner = std::max(corner, at.corner);
        }
    }

    bool may_be_reached(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, const Place& place) const {
        const Bound at(si[0], sj[0], si[groups], sj[groups], place);
        return at.high >= youden || std::max(at.high, -at.low) >= ks || at.tp * f1_under >= f1_over * at.f1_under ||
               at.corner >= corner;
    }

private:
    // The best that any state from (i0, j0) to (i1, j1) could be.
    struct Bound {
        std::int64_t high, low;
        double tp, f1_under, corner;

        Bound(std::int64_t i0, std::int64_t j0, std::int64_t i1, std::int64_t j1, const Place& place) {
            const Totals all = place.all;
            i0 += place.i0, i1 += place.i0, j0 += place.j0, j1 += place.j0;
            const auto p = static_cast<std::int64_t>(all.positives), n = static_cast<std::int64_t>(all.negatives);
            high = j1 * p - i0 * n, low = j0 * p - i1 * n;
            tp = double(p - i0), f1_under = double(p - i1) + double(n - j1) + all.positives;
            const double miss = double(i0) * all.negatives, alarm = double(n - j1) * all.positives;
            corner = -(miss * miss + alarm * alarm);
        }
    };
};

}  // namespace calipers
