// Which threshold is best, by four criteria at once, eight states at a time.
#pragma once

#include <vector>

#include "curve_points.hpp"
#include "lanes.hpp"

namespace calipers {

typedef std::int32_t N8 __attribute__((vector_size(32)));

struct Totals {
    double positives, negatives;
};

// The best state of one criterion. Lanes hold a packed state, i in the high half: larger means a higher threshold,
// and the higher threshold wins a tie.
template <class V>
struct Best {
    V score;
    I8 state = I8{} - 1;

    explicit Best(decltype(V{}[0] + 0) worst) { score = V{} + worst; }

    CALIPERS_INLINE void offer(const V& s, const I8& packed) {
        const I8 better = s >= score;
        score = better ? s : score;
        state = better ? packed : state;
    }
};

// The same for a ratio, compared by cross-multiplication: a division costs as much as the rest of a step.
struct BestRatio {
    F8 over{}, under = F8{} + 1;
    I8 state = I8{} - 1;

    CALIPERS_INLINE void offer(const F8& a, const F8& b, const I8& packed) {
        const I8 better = a * under >= over * b;
        over = better ? a : over, under = better ? b : under;
        state = better ? packed : state;
    }
};

inline State unpack(std::int64_t state) {
    return {static_cast<std::size_t>(state >> 32), static_cast<std::size_t>(state & 0xffffffff)};
}

template <class V>
auto best_lane(const Best<V>& lanes, State& out) {
    int at = 0;
    for (int l = 1; l < 8; ++l)
        if (lanes.score[l] > lanes.score[at] || (lanes.score[l] == lanes.score[at] && lanes.state[l] > lanes.state[at]))
            at = l;
    out = unpack(lanes.state[at]);
    return lanes.score[at];
}

// Youden's rise tpr - fpr and its magnitude (both times P N, in integers), F1 as tp / (tp + fp + P), and the distance
// to the corner (0, 1). A state's own threshold is the value of the rows above it; the end calls nothing positive.
struct Criteria {
    Best<I8> youden{std::numeric_limits<std::int64_t>::min()}, ks{-1};
    BestRatio f1;
    Best<F8> corner{-infinity};

    CALIPERS_INLINE void offer(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, Totals all) {
        const std::int64_t p = static_cast<std::int64_t>(all.positives), n = static_cast<std::int64_t>(all.negatives);
        for (std::size_t k = 0; k < groups; k += 8) {
            const N8 i32 = lanes<N8>(si + k), j32 = lanes<N8>(sj + k);
            const I8 i64 = __builtin_convertvector(i32, I8), j64 = __builtin_convertvector(j32, I8);
            const F8 i = __builtin_convertvector(i32, F8), j = __builtin_convertvector(j32, F8);
            const F8 tp = all.positives - i, fp = all.negatives - j;
            const I8 packed = (i64 << 32) | j64, rise = j64 * p - i64 * n;
            youden.offer(rise, packed);
            ks.offer(rise > 0 ? rise : -rise, packed);
            f1.offer(tp, tp + fp + all.positives, packed);
            // Times P N: products of integers round once, so equal distances stay equal.
            const F8 miss = i * all.negatives, alarm = fp * all.positives;
            corner.offer(-(miss * miss + alarm * alarm), packed);
        }
    }
};

// The best at the cuts between blocks. A chunk whose corners cannot reach it is not searched: most are not.
struct Floor {
    std::int64_t youden = 0, ks = 0;
    double f1_over = 0, f1_under = 1, corner = -infinity;

    Floor(const std::vector<State>& cuts, Totals all) {
        for (const State cut : cuts) {
            const std::int32_t i = static_cast<std::int32_t>(cut.i), j = static_cast<std::int32_t>(cut.j);
            const Bound at(i, j, i, j, all);
            youden = std::max(youden, at.high), ks = std::max({ks, at.high, -at.low});
            if (at.tp * f1_under > f1_over * at.f1_under) f1_over = at.tp, f1_under = at.f1_under;
            corner = std::max(corner, at.corner);
        }
    }

    bool may_be_reached(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, Totals all) const {
        const Bound at(si[0], sj[0], si[groups], sj[groups], all);
        return at.high >= youden || std::max(at.high, -at.low) >= ks || at.tp * f1_under >= f1_over * at.f1_under ||
               at.corner >= corner;
    }

private:
    // The best that any state from (i0, j0) to (i1, j1) could be.
    struct Bound {
        std::int64_t high, low;
        double tp, f1_under, corner;

        Bound(std::int64_t i0, std::int64_t j0, std::int64_t i1, std::int64_t j1, Totals all) {
            const auto p = static_cast<std::int64_t>(all.positives), n = static_cast<std::int64_t>(all.negatives);
            high = j1 * p - i0 * n, low = j0 * p - i1 * n;
            tp = double(p - i0), f1_under = double(p - i1) + double(n - j1) + all.positives;
            const double miss = double(i0) * all.negatives, alarm = double(n - j1) * all.positives;
            corner = -(miss * miss + alarm * alarm);
        }
    };
};

}  // namespace calipers
