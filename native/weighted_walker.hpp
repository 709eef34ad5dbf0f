// The walk with row weights, over parts of the rows: the same sums as without weights, in doubles. Fixed blocks of rows are
// walked on all threads and folded in their order: first their weights, which say where each begins, then everything else.
#pragma once

#include <array>
#include <stdexcept>
#include <vector>

#include "weighted_blocks.hpp"

namespace calipers::weighted {

using Result = WalkResult<double>;

// A walk over parts of the rows, each above the one before; no value is in two of them. The weights of all rows are known
// before, and how many rows there are.
class Walker {
public:
    Walker(std::size_t positives, std::size_t negatives, const Below& all)
        : left_{positives, negatives}, all_(all), none_{all.pos.value(), all.neg.value()}, floor_(none_) {}

    template <class T>
    void add(const Blocks<T>& part) {
        const TwoSamples<T>& s = part.s;
        if (s.size() == 0) return;
        take(s.positives, s.negatives);
        if (s.positives > 0) pos_.take(double(s.pos[0]), double(s.pos[s.positives - 1]));
        if (s.negatives > 0) neg_.take(double(s.neg[0]), double(s.neg[s.negatives - 1]));
        std::vector<Below> below{below_};
        for (const Below& each : part.sums) below.push_back(below.back()), below.back() += each;
        for (std::size_t b = 0; b + 1 < below.size(); ++b) {
            const Below& at = below[b];
            if (!s.at_end(part.cuts[b])) floor_.offer_group({0, all_.pos - at.pos, all_.neg - at.neg});
        }
        const auto above = [&](std::size_t b) {  // above the highest score, exactly nothing is positive
            const bool none = is_done() && s.at_end(part.cuts[b]);
            return none ? std::array<double, 2>{0, 0} : std::array<double, 2>{all_.pos - below[b].pos, all_.neg - below[b].neg};
        };
        const auto place = [&](std::size_t b) { return Place{all_, below[b], above(b + 1)[0], above(b + 1)[1], floor_}; };
        // Where all negatives of a block lie below its positives, these have one precision.
        const auto base = [&](std::size_t b) {
            const State from = part.cuts[b], to = part.cuts[b + 1];
            const bool apart = to.i > from.i && to.j > from.j && s.neg[to.j - 1] < s.pos[from.i];
            return precision(above(b)[0], above(apart ? b + 1 : b)[1]);
        };
        const std::size_t first = blocks_.size();
        blocks_.resize(first + part.sums.size());
        for_blocks(part.sums.size() / 2, 1, [&](std::size_t pair, std::size_t, std::size_t) {
            const std::size_t b = 2 * pair;
            const Place here = place(b), next = place(b + 1);
            Merging<T> low{part, {here, none_, base(b)}}, high{part, {next, none_, base(b + 1)}};
            Merge<T> x(s, part.cuts[b], part.cuts[b + 1]), y(s, part.cuts[b + 1], part.cuts[b + 2]);
            Chunk chunk;
            while (!x.done() || !y.done()) {
                std::size_t of_x, of_y;
                Merge<T>::next(x, y, of_x, of_y);
                low.add(x.si, x.sj, of_x, x.done(), chunk), high.add(y.si, y.sj, of_y, y.done(), chunk);
            }
            blocks_[first + b] = low.part.sums, blocks_[first + b + 1] = high.part.sums;
        }, few_blocks / 2);
        for (std::size_t b = first; b < blocks_.size(); ++b) fold(blocks_[b]);
        below_ = below.back();
    }

    // The next rows, which have one value; of each class their weight, and the sums of its squares and fourth powers.
    void add_tied(double value, std::size_t positives, std::size_t negatives, const std::array<double, 3>& pos,
                  const std::array<double, 3>& neg) {
        if (positives + negatives == 0) return;
        take(positives, negatives);
        if (positives > 0) pos_.take(value, value);
        if (negatives > 0) neg_.take(value, value);
        Below after = below_;
        after.pos += pos[0], after.neg += neg[0];
        const bool none = is_done();
        const Place place{all_, below_, none ? 0 : all_.pos - after.pos, none ? 0 : all_.neg - after.neg, floor_};
        Part part(place, none_, precision(all_.pos - below_.pos, all_.neg - below_.neg));
        Chunk c;
        c.pad(0);
        c.a[0] = pos[0], c.a2[0] = pos[1], c.a4[0] = pos[2], c.b[0] = neg[0], c.b2[0] = neg[1], c.b4[0] = neg[2];
        part.stack(c, 1);
        part.add(c, 1, true, [&](std::size_t) { return value; });
        blocks_.push_back(part.sums);
        fold(blocks_.back());
        below_ = after;
    }

    Result result() const {
        if (!is_done()) throw std::invalid_argument("a walk got fewer rows than it was made for");
        const double p = none_.p, n = none_.n;
        Result out;
        for (const BlockSums& b : blocks_) out.distinct += b.distinct;
        if (pos_.is_empty() || neg_.is_empty()) return out;
        double ap = 0, trapezoid = 0;
        Crossing equal, even;
        for (const BlockSums& b : blocks_) {
            out.pairs2 += b.pairs2, ap += b.ap, trapezoid += b.trapezoid;
            equal.offer(b.equal), even.offer(b.even);
        }
        const Criteria best = chosen();
        out.ap = ap / p, out.ap_trapezoid = trapezoid / (2 * p);
        out.ks = best.ks.score, out.ks_threshold = best.ks.at.threshold;
        out.youden_threshold = best.youden.at.threshold, out.corner_threshold = best.corner.at.threshold;
        out.f1_max = best.f1.score, out.f1_threshold = best.f1.at.threshold;
        if (equal.met) {
            const Point &from = equal.from, &to = equal.to;
            out.eer = equal_error(1 - from.tp / p, from.fp / n, 1 - to.tp / p, to.fp / n);
            out.eer_threshold = from.threshold;
        }
        if (even.met) {
            const Point &from = even.from, &to = even.to;
            out.break_even = (to.tp + from.a * (p - to.tp - to.fp) / (from.a + from.b)) / p;
            out.break_even_threshold = from.threshold;
        }
        // Samples that do not overlap have areas of 1 or 0 and no spread, whatever the rounding of the sums.
        const bool above = pos_.low > neg_.high, apart = above || pos_.high < neg_.low;
        if (apart) out.pairs2 = above ? 2 * p * n : 0;
        if (above) out.ap = out.ap_trapezoid = out.break_even = 1, out.eer = 0;
        const double scale = (p + n) / p, square = scale * scale, auc = out.pairs2 / (2 * p * n);
        double gain = 0, pull = 0;
        out.v10 = out.v01 = out.ap_if2 = out.ap_if4 = out.ap_rival = 0;
        for (const BlockSums& b : blocks_) {
            const double shift = gain + (b.base - out.ap);
            if (!apart) {
                out.v10 += b.placed.around(auc * n) / (n * n), out.v01 += b.above.around(auc * p) / (p * p);
            }
            out.ap_if2 += (b.u2.square(shift) + b.h2.square(pull)) * square;
            out.ap_if4 += (b.u4.fourth(shift) + b.h4.fourth(pull)) * square * square;
            out.ap_rival += b.rival.square(pull) * square / p;
            gain += b.gain, pull += b.pull;
        }
        return out;
    }

    // The thresholds of the result: of ks, youden, f1, corner, eer and break_even.
    std::vector<Point> thresholds() const {
        if (pos_.is_empty() || neg_.is_empty()) return {};
        const Criteria best = chosen();
        std::vector<Point> out{best.ks.at, best.youden.at, best.f1.at, best.corner.at};
        Crossing equal, even;
        for (const BlockSums& b : blocks_) equal.offer(b.equal), even.offer(b.even);
        for (const Crossing& each : {equal, even})
            if (each.met) out.push_back(each.from);
        return out;
    }

    const Below& all() const { return all_; }

private:
    // The least and the greatest value of a class.
    struct Range {
        double low = infinity, high = -infinity;

        bool is_empty() const { return low > high; }
        void take(double least, double greatest) { low = std::min(low, least), high = std::max(high, greatest); }
    };

    static double precision(double tp, double fp) { return fp == 0 ? 1 : tp / (tp + fp); }
    bool is_done() const { return left_.i == 0 && left_.j == 0; }

    void take(std::size_t positives, std::size_t negatives) {
        if (positives > left_.i || negatives > left_.j)
            throw std::invalid_argument("a walk gets more rows than it was made for");
        left_ = {left_.i - positives, left_.j - negatives};
    }

    // Squares below a point of a block are counted from the block's first state on.
    void fold(BlockSums& b) {
        b.best.move(pos2_, neg2_), b.equal.move(pos2_, neg2_), b.even.move(pos2_, neg2_);
        pos2_ += b.pos2, neg2_ += b.neg2;
    }

    Criteria chosen() const {
        Criteria best = none_;
        for (const BlockSums& b : blocks_) best += b.best;
        best.offer({infinity, 0, 0, 0, 0, pos2_, neg2_});
        return best;
    }

    State left_;
    Below all_, below_;
    Criteria none_, floor_;
    Range pos_, neg_;
    double pos2_ = 0, neg2_ = 0;
    std::vector<BlockSums> blocks_;
};

}  // namespace calipers::weighted
