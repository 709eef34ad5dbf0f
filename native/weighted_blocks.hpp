// Blocks of weighted rows: two neighbouring ones are merged in turns, and their groups go into sums a chunk at a time.
#pragma once

#include <numeric>
#include <vector>

#include "parallel.hpp"
#include "weighted_groups.hpp"

namespace calipers::weighted {

constexpr std::size_t block_rows = 1 << 14;
constexpr std::size_t few_blocks = 4;  // fewer are not worth a thread

// Sums of the squares and of the fourth powers of the weights of rows.
struct Summed {
    const double *pos2, *pos4, *neg2, *neg4;
};

// Rows in fixed blocks that cut no tie, with the weights of each.
template <class T>
struct Blocks {
    const TwoSamples<T>& s;
    const double *pw, *nw;
    const Summed* summed;  // where each value stands for several rows, whose weights are added up
    std::vector<State> cuts;
    std::vector<Below> sums;

    Blocks(const TwoSamples<T>& s, const double* pw, const double* nw, const Summed* summed = nullptr)
        : s(s), pw(pw), nw(nw), summed(summed), sums(2 * block_count(s.size(), 2 * block_rows)) {
        for (std::size_t c = 0; c <= sums.size(); ++c) cuts.push_back(s.group_of(c * block_rows));
        for_blocks(sums.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
            sums[b] = {sum_of(pw, cuts[b].i, cuts[b + 1].i), sum_of(nw, cuts[b].j, cuts[b + 1].j)};
        }, few_blocks);
    }

    Below total() const {
        Below all;
        for (const Below& each : sums) all += each;
        return all;
    }
};

// Where a block stands: all weights, those below its first state, and those at or above the state after its last one.
struct Place {
    Below all, below;
    double tp_after, fp_after;
    Criteria floor;
};

// A block while it is walked.
struct Part {
    const Place& place;
    Below below;
    BlockSums sums;

    // base: a precision near that of the block's positives.
    Part(const Place& place, const Criteria& none, double base) : place(place), below(place.below) {
        sums.best = none, sums.base = base;
        sums.placed.origin = below.neg.value(), sums.above.origin = place.all.pos - below.pos;
    }

    // Adds groups whose weights are in a chunk; value: of the rows from each state on.
    template <class Value>
    void add(Chunk& c, std::size_t groups, bool last, const Value& value) {
        std::fill_n(c.tp + groups, Chunk::padding, last ? place.tp_after : place.all.pos - below.pos);
        std::fill_n(c.fp + groups, Chunk::padding, last ? place.fp_after : place.all.neg - below.neg);
        sums.distinct += groups;
        const Criteria& all = sums.best;
        const double p = all.p, n = all.n, pos2 = sums.pos2, neg2 = sums.neg2;
        on_lanes<AddCurves>(c, groups, n, sums);
        const auto point = [&](std::size_t k) {
            Point at{k < groups ? value(k) : infinity, c.tp[k], c.fp[k], c.a[k], c.b[k], pos2, neg2};
            for (std::size_t before = 0; before < k; ++before) at.below2_pos += c.a2[before], at.below2_neg += c.b2[before];
            return at;
        };
        const Point first{0, c.tp[0], c.fp[0]}, end{0, c.tp[groups], c.fp[groups]};
        if (sums.best.may_be_best(first, end, place.floor))
            for (std::size_t k = 0; k < groups; ++k) {
                const Point here{0, c.tp[k], c.fp[k]};
                if (sums.best.may_be_best(here, here, place.floor)) sums.best.offer_group(point(k));
            }
        const auto cross = [&](Crossing& at, const auto& beyond) {
            if (at.met || !beyond(groups)) return;
            std::size_t k = 1;
            while (!beyond(k)) ++k;
            at = {true, point(k - 1), point(k)};
        };
        cross(sums.equal, [&](std::size_t k) { return (p - c.tp[k]) * n - c.fp[k] * p > 1e-14 * p * n; });
        cross(sums.even, [&](std::size_t k) { return p - (c.tp[k] + c.fp[k]) > 1e-14 * p; });
    }

    // The weights at or above each group of a chunk, once those of the groups are known.
    void stack(Chunk& c, std::size_t groups) {
        const Sums all(place.all.pos, place.all.neg);
        Sums under(below.pos, below.neg);
        for (std::size_t k = 0; k < groups; ++k) {
            const D2 above = (all.sum - under.sum) + (all.lost - under.lost);
            c.tp[k] = above[0], c.fp[k] = above[1];
            under.add(c.a[k], c.b[k]);
        }
        below = {under.pos(), under.neg()};
    }
};

// The groups of a merge of two samples on their way into a block.
template <class T>
struct Merging {
    const Blocks<T>& of;
    Part part;

    void add(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, bool last, Chunk& c) {
        for (std::size_t at = 0; at < groups; at += Chunk::most) {
            const std::size_t some = std::min(Chunk::most, groups - at);
            const std::int32_t *i = si + at, *j = sj + at;
            weigh(i, j, some, c);
            part.stack(c, some);
            part.add(c, some, last && groups - at == some,
                     [&](std::size_t k) { return double(of.s.value({std::size_t(i[k]), std::size_t(j[k])})); });
        }
    }

    // The weights of a chunk's groups. Which class a group's row has is as good as random: no branch depends on it.
    void weigh(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, Chunk& c) const {
        const auto rows = static_cast<std::size_t>((si[groups] - si[0]) + (sj[groups] - sj[0]));
        if (rows == groups) {
            for (std::size_t k = 0; k < groups; ++k) {
                const bool positive = si[k] < si[k + 1];
                const double w = *(positive ? of.pw + si[k] : of.nw + sj[k]);
                c.a[k] = positive ? w : 0, c.b[k] = positive ? 0 : w;
            }
        } else {
            for (std::size_t k = 0; k < groups; ++k) {
                add_rows(of.pw, si[k], si[k + 1], c.a[k], c.a2[k], c.a4[k]);
                add_rows(of.nw, sj[k], sj[k + 1], c.b[k], c.b2[k], c.b4[k]);
            }
        }
        c.pad(groups);
        if (of.summed) {
            const Summed& sums = *of.summed;
            for (std::size_t k = 0; k < groups; ++k) {
                c.a2[k] = std::accumulate(sums.pos2 + si[k], sums.pos2 + si[k + 1], 0.0);
                c.a4[k] = std::accumulate(sums.pos4 + si[k], sums.pos4 + si[k + 1], 0.0);
                c.b2[k] = std::accumulate(sums.neg2 + sj[k], sums.neg2 + sj[k + 1], 0.0);
                c.b4[k] = std::accumulate(sums.neg4 + sj[k], sums.neg4 + sj[k + 1], 0.0);
            }
        } else if (rows == groups) {
            on_lanes<AddPowers>(c, groups);
        }
    }

    static void add_rows(const double* w, std::int32_t from, std::int32_t to, double& sum, double& square, double& fourth) {
        sum = square = fourth = 0;
        for (; from < to; ++from) {
            const double own = w[from], two = own * own;
            sum += own, square += two, fourth += two * two;
        }
    }
};

}  // namespace calipers::weighted
