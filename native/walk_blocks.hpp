// The sums of a block of rows of a walk: pairs, placements, precisions and influences, read from the states of chunks that
// stay in L1.
#pragma once

#include <array>
#include <vector>

#include "criteria.hpp"
#include "curve_points.hpp"
#include "groups.hpp"
#include "twin.hpp"

namespace calipers {

constexpr std::size_t block_rows = 1 << 15;

// Sums of c over one class's rows, c = 2 #(other class below) + #(ties), shifted by `origin` to stay exact integers.
struct Placements {
    double origin = 0, rows = 0, sum = 0, square = 0;
};

struct BlockSums {
    std::uint64_t pairs2 = 0;
    std::size_t groups = 0;
    Placements pos, neg;
    double precision = 0, trapezoid = 0;
    // Influence on average precision, up to the offsets of the blocks before and less `base`, a precision in the block,
    // so that powers are of small numbers: see influence().
    double base = 0, gain = 0, pull = 0;
    Powers u, h, rival;
    std::int64_t youden = 0, ks = 0;
    double corner = 0;
    State youden_at, ks_at, corner_at;
    std::array<std::int64_t, 8> f1_at{};  // per lane: the exact comparison comes last

    // The only group of a block, with so many rows, in numbers of 64 bits; full: with curves and criteria.
    void add_group(State rows, const Place& place, bool full) {
        const double a = double(rows.i), b = double(rows.j), tp = place.left.positives, fp = place.left.negatives;
        groups = 1, pairs2 = std::uint64_t(rows.i) * rows.j;
        pos = {0, a, double(pairs2), a * b * b}, neg = {0, b, double(pairs2), b * a * a};
        if (!full) return;
        const auto share = [](double of, double rest) { return rest == 0 ? 1 : of / (of + rest); };
        base = share(tp, fp), precision = a * base, trapezoid = a * (base + share(tp - a, fp - b));
        pull = a * base / (tp + fp), gain = a / (tp + fp) - pull;
        u = Powers::of(a, gain), h = Powers::of(b, pull), rival = Powers::of(a, pull);
        const Criteria::At at(place);
        youden = at.rise, ks = std::abs(at.rise), corner = at.corner;
    }
};

// Sums over the groups of a chunk, with c = 2 (negatives below) + (tied) and d = 2 (positives below) + (tied), both
// counted from the chunk's first state: a c, a c^2 and b d^2.
struct PairSums {
    std::uint64_t ac = 0;
    double acc = 0, bdd = 0;
};

template <class V>
CALIPERS_INLINE PairSums pair_sums(const std::int32_t* si, const std::int32_t* sj, std::size_t groups) {
    const std::int32_t i0 = si[0], j0 = sj[0];
    PairSums out;
    // Doubles hold a c exactly unless one chunk has some 10^8 rows, which takes enormous ties.
    if (std::max(si[groups] - i0, sj[groups] - j0) >= 1 << 25) {
        for (std::size_t k = 0; k < groups; ++k) {
            const std::uint64_t a = si[k + 1] - si[k], b = sj[k + 1] - sj[k];
            const std::uint64_t c = 2 * std::uint64_t(sj[k] - j0) + b, d = 2 * std::uint64_t(si[k] - i0) + a;
            out.ac += a * c, out.acc += double(a) * double(c) * double(c), out.bdd += double(b) * double(d) * double(d);
        }
        return out;
    }
    V ac{}, acc{}, bdd{};
    for (std::size_t k = 0; k < groups; k += 8) {
        const V i = whole_lanes<V>(si + k, i0), i_next = whole_lanes<V>(si + k + 1, i0);
        const V j = whole_lanes<V>(sj + k, j0), j_next = whole_lanes<V>(sj + k + 1, j0);
        const V a = i_next - i, c = j + j_next, b = j_next - j, d = i + i_next;
        ac += a * c, acc += a * c * c, bdd += b * d * d;
    }
    return {static_cast<std::uint64_t>(total(ac)), total(acc), total(bdd)};
}

// Adds a chunk's sums, moved from its first state to the block's.
template <class V>
CALIPERS_INLINE void add_pairs(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, BlockSums& out) {
    const PairSums sums = pair_sums<V>(si, sj, groups);
    const std::uint64_t a = si[groups] - si[0], b = sj[groups] - sj[0];
    // a c + b d telescopes to the corners of the chunk.
    const double ac = double(sums.ac), bd = double(2 * a * b - sums.ac);
    const double c0 = 2 * double(sj[0]) - out.pos.origin, d0 = 2 * double(si[0]) - out.neg.origin;
    out.pairs2 += sums.ac + 2 * std::uint64_t(sj[0]) * a;
    out.pos.sum += ac + c0 * double(a), out.pos.square += sums.acc + 2 * c0 * ac + c0 * c0 * double(a);
    out.neg.sum += bd + d0 * double(b), out.neg.square += sums.bdd + 2 * d0 * bd + d0 * d0 * double(b);
}

template <class V>
CALIPERS_INLINE void add_curves(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, Totals left,
                                BlockSums& out) {
    V precision{}, trapezoid{}, last_a{}, u1{}, u2{}, u3{}, u4{}, h1{}, h2{}, h3{}, h4{}, r1{}, r2{};
    V gain = all_lanes<V>(out.gain), pull = all_lanes<V>(out.pull);
    const V one = all_lanes<V>(1), base = all_lanes<V>(out.base), positives = all_lanes<V>(left.positives), negatives = all_lanes<V>(left.negatives);
    // Through the state after the last group: the trapezoid of that group ends there.
    for (std::size_t k = 0; k <= groups; k += 8) {
        const V i = whole_lanes<V>(si + k), j = whole_lanes<V>(sj + k);
        const V a = whole_lanes<V>(si + k + 1) - i, b = whole_lanes<V>(sj + k + 1) - j;
        const V tp = positives - i, fp = negatives - j, rows = tp + fp;
        const V inverse = one / where_zero(rows, one, rows);
        // Exactly 1 where nothing is false, and by convention above the highest score.
        const V prec = where_zero(fp, one, tp * inverse);
        precision += a * prec;
        // Each group's trapezoid has this group's precision at one side and the next one's at the other.
        trapezoid += (a + moved_up(last_a, a)) * prec;
        last_a = a;
        V h = a * prec * inverse, g = a * inverse - h;
        prefix(g, gain), prefix(h, pull);
        const V u = prec - base + g;
        const V uu = u * u, hh = h * h, auu = a * uu, bhh = b * hh;
        u1 += a * u, u2 += auu, u3 += auu * u, u4 += auu * uu;
        h1 += b * h, h2 += bhh, h3 += bhh * h, h4 += bhh * hh;
        r1 += a * h, r2 += a * hh;
    }
    out.gain = first_lane(gain), out.pull = first_lane(pull);
    out.precision += total(precision), out.trapezoid += total(trapezoid);
    out.u.one += total(u1), out.u.two += total(u2), out.u.three += total(u3), out.u.four += total(u4);
    out.h.one += total(h1), out.h.two += total(h2), out.h.three += total(h3), out.h.four += total(h4);
    out.rival.one += total(r1), out.rival.two += total(r2);
}

struct BlockWalk {
    BlockSums& out;
    const Place& place;
    const Floor* floor;  // null: the areas alone
    Criteria best{};

    // at: a state whose precision is near that of the block's positives.
    void start(State from, State to, State at) {
        out.pos.origin = 2 * double(from.j), out.neg.origin = 2 * double(from.i);
        out.pos.rows = double(to.i - from.i), out.neg.rows = double(to.j - from.j);
        out.u.rows = out.rival.rows = out.pos.rows, out.h.rows = out.neg.rows;
        const double tp = place.left.positives - double(at.i), fp = place.left.negatives - double(at.j);
        out.base = fp == 0 ? 1 : tp / (tp + fp);
    }

    void finish() {
        out.youden = best_lane(best.youden, out.youden_at), out.ks = best_lane(best.ks, out.ks_at);
        out.corner = best_lane(best.corner, out.corner_at);
        for (int l = 0; l < 8; ++l) out.f1_at[l] = best.f1.state[l];
    }
};

// The states say it all, whatever the type of the scores.
struct AddSums {
    template <class V>
    CALIPERS_INLINE static void run(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, BlockWalk& walk) {
        walk.out.groups += groups;
        add_pairs<V>(si, sj, groups, walk.out);
        if (walk.floor != nullptr) add_curves<V>(si, sj, groups, walk.place.left, walk.out);
    }
};

inline void add_chunk(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, BlockWalk& walk) {
    on_lanes<AddSums>(si, sj, groups, walk);
    if (walk.floor != nullptr && walk.floor->may_be_reached(si, sj, groups, walk.place))
        on_lanes<Criteria>(si, sj, groups, walk.place, walk.best);
}

// A state whose precision is near that of a block's positives: where all its negatives lie below them, they have one.
template <class Part>
State level(const Part& s, State from, State to) {
    const bool apart = to.i > from.i && to.j > from.j && s.negative(to.j - 1) < s.positive(from.i);
    return apart ? State{from.i, to.j} : from;
}

// Two neighbouring blocks, cut[0] to cut[1] to cut[2], merged in turns.
template <class T>
void walk_blocks(const TwoSamples<T>& s, const State* cut, const Place& place, const Floor* floor, BlockSums* out) {
    BlockWalk low{out[0], place, floor}, high{out[1], place, floor};
    low.start(cut[0], cut[1], level(s, cut[0], cut[1])), high.start(cut[1], cut[2], level(s, cut[1], cut[2]));
    Merge<T> a(s, cut[0], cut[1]), b(s, cut[1], cut[2]);
    while (!a.done() || !b.done()) {
        std::size_t of_a, of_b;
        Merge<T>::next(a, b, of_a, of_b);
        add_chunk(a.si, a.sj, of_a, low), add_chunk(b.si, b.sj, of_b, high);
    }
    if (floor != nullptr) low.finish(), high.finish();
}

template <class T>
void walk_blocks(const Groups<T>& s, const State* cut, const Place& place, const Floor* floor, BlockSums* out) {
    std::int32_t si[Merge<T>::most + 1 + Merge<T>::padding], sj[Merge<T>::most + 1 + Merge<T>::padding];
    for (int b = 0; b < 2; ++b) {
        BlockWalk walk{out[b], place, floor};
        State at = cut[b];
        const State to = cut[b + 1];
        walk.start(at, to, level(s, at, to));
        while (at.i + at.j < to.i + to.j) add_chunk(si, sj, s.next(at, to, si, sj), walk);
        if (floor != nullptr) walk.finish();
    }
}

// Sum over rows of (c - centre)^2: within each block around the block's own mean, then between blocks.
inline double spread(const std::vector<BlockSums>& blocks, Placements BlockSums::* side, double centre) {
    double sum = 0;
    for (const BlockSums& block : blocks) {
        const Placements& p = block.*side;
        if (p.rows == 0) continue;
        const double mean = p.sum / p.rows, away = p.origin + mean - centre;
        sum += std::max(0.0, p.square - p.sum * mean) + p.rows * away * away;
    }
    return sum;
}

// One unit of weight more on a row with score s moves AP = sum_pos prec(x) / P by 1/P times
//   positive: prec(s) - AP + G(s),  G(s) = sum over positives x <= s of (1 - prec(x)) / M(x)
//   negative: -H(s),                H(s) = sum over positives x <= s of prec(x) / M(x)
// with M(x) the rows at or above x. Blocks know G and H up to the sums before them. A rival is one more negative in
// the place of a positive.
inline void influence(const std::vector<BlockSums>& blocks, Totals all, WalkResult<std::uint64_t>& out) {
    double gain = 0, pull = 0, two = 0, four = 0, rival = 0;
    for (const BlockSums& b : blocks) {
        const double shift = gain + (b.base - out.ap);
        two += b.u.square(shift) + b.h.square(pull), four += b.u.fourth(shift) + b.h.fourth(pull);
        rival += b.rival.square(pull);
        gain += b.gain, pull += b.pull;
    }
    const double scale = (all.positives + all.negatives) / all.positives, square = scale * scale;
    out.ap_if2 = two * square, out.ap_if4 = four * square * square, out.ap_rival = rival * square / all.positives;
}

}  // namespace calipers
