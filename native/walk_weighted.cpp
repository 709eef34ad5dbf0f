// The walk with row weights: the same sums in doubles. Fixed blocks of rows are walked on all threads and folded in
// their order: first their weights, which say where each begins, then everything else.
#include <vector>

#include "draws.hpp"
#include "parallel.hpp"
#include "weighted_groups.hpp"

namespace calipers {
namespace weighted {
namespace {

using Result = WalkResult<double>;
constexpr std::size_t block_rows = 1 << 14;

// The rows in fixed blocks that cut no tie, with the weights below each.
template <class T>
class Blocks {
public:
    Blocks(const TwoSamples<T>& s, const double* pw, const double* nw, bool repeated)
        : s_(s), pw_(pw), nw_(nw), repeated_(repeated) {
        const std::size_t count = 2 * block_count(s.size(), 2 * block_rows);
        for (std::size_t c = 0; c <= count; ++c) cuts_.push_back(s.group_of(c * block_rows));
        std::vector<Sum> pos(count), neg(count);
        for_blocks(count, 1, [&](std::size_t b, std::size_t, std::size_t) {
            pos[b] = sum_of(pw, cuts_[b].i, cuts_[b + 1].i), neg[b] = sum_of(nw, cuts_[b].j, cuts_[b + 1].j);
        }, few_blocks);
        for (std::size_t b = 0; b < count; ++b) {
            below_pos_.push_back(pos_), below_neg_.push_back(neg_);
            pos_ += pos[b], neg_ += neg[b];
        }
        all_ = floor_ = {pos_.value(), neg_.value()};
        for (std::size_t b = 0; b < count; ++b)
            if (!s.at_end(cuts_[b])) floor_.offer_group({0, pos_ - below_pos_[b], neg_ - below_neg_[b], 0, 0});
    }

    const Criteria& all() const { return all_; }

    std::vector<BlockSums> walk() const {
        std::vector<BlockSums> out(cuts_.size() - 1);
        for_blocks(out.size() / 2, 1, [&](std::size_t b, std::size_t, std::size_t) { walk_pair(2 * b, &out[2 * b]); },
                   few_blocks / 2);
        return out;
    }

private:
    static constexpr std::size_t few_blocks = 4;  // fewer are not worth a thread

    // Two neighbouring blocks, merged in turns.
    void walk_pair(std::size_t b, BlockSums* out) const {
        Part low(*this, b), high(*this, b + 1);
        Merge<T> x(s_, cuts_[b], cuts_[b + 1]), y(s_, cuts_[b + 1], cuts_[b + 2]);
        Chunk chunk;
        while (!x.done() || !y.done()) {
            std::size_t of_x, of_y;
            Merge<T>::next(x, y, of_x, of_y);
            low.add(x.si, x.sj, of_x, x.done(), chunk), high.add(y.si, y.sj, of_y, y.done(), chunk);
        }
        out[0] = low.sums, out[1] = high.sums;
    }

    // A block while it is walked.
    struct Part {
        const Blocks& of;
        std::size_t b;
        Sum below_pos, below_neg;
        BlockSums sums;

        Part(const Blocks& of, std::size_t b) : of(of), b(b), below_pos(of.below_pos_[b]), below_neg(of.below_neg_[b]) {
            sums.best = of.all_;
            sums.placed.origin = below_neg.value(), sums.above.origin = of.pos_ - below_pos;
        }

        void add(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, bool last, Chunk& c) {
            for (std::size_t at = 0; at < groups; at += Chunk::most)
                add_chunk(si + at, sj + at, std::min(Chunk::most, groups - at), last && groups - at <= Chunk::most, c);
        }

        void add_chunk(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, bool last, Chunk& c) {
            weigh(si, sj, groups, c);
            // The state after the last group: above the highest score, exactly nothing is positive.
            const bool inner = b + 1 < of.below_pos_.size() && !of.s_.at_end(of.cuts_[b + 1]);
            double tp = of.pos_ - below_pos, fp = of.neg_ - below_neg;
            if (last) tp = inner ? of.pos_ - of.below_pos_[b + 1] : 0, fp = inner ? of.neg_ - of.below_neg_[b + 1] : 0;
            std::fill_n(c.tp + groups, Chunk::padding, tp), std::fill_n(c.fp + groups, Chunk::padding, fp);
            sums.distinct += groups;
            on_lanes<AddCurves>(c, groups, of.all_, sums);
            const auto point = [&](std::size_t k) {
                const State at{std::size_t(si[k]), std::size_t(sj[k])};
                return Point{of.s_.at_end(at) ? infinity : double(of.s_.value(at)), c.tp[k], c.fp[k], c.a[k], c.b[k]};
            };
            if (sums.best.may_be_best(point(0), point(groups), of.floor_))
                for (std::size_t k = 0; k < groups; ++k) {
                    const Point here{0, c.tp[k], c.fp[k], 0, 0};
                    if (sums.best.may_be_best(here, here, of.floor_)) sums.best.offer_group(point(k));
                }
            const double p = of.all_.p, n = of.all_.n;
            const auto cross = [&](Crossing& at, const auto& beyond) {
                if (at.met || !beyond(groups)) return;
                std::size_t k = 1;
                while (!beyond(k)) ++k;
                at = {true, point(k - 1), point(k)};
            };
            cross(sums.equal, [&](std::size_t k) { return (p - c.tp[k]) * n - c.fp[k] * p > 1e-14 * p * n; });
            cross(sums.even, [&](std::size_t k) { return p - (c.tp[k] + c.fp[k]) > 1e-14 * p; });
        }

        // The weights of a chunk's groups. Which class a group's row has is as good as random: no branch depends on it.
        void weigh(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, Chunk& c) {
            const auto rows = static_cast<std::size_t>((si[groups] - si[0]) + (sj[groups] - sj[0]));
            if (rows == groups) {
                for (std::size_t k = 0; k < groups; ++k) {
                    const bool positive = si[k] < si[k + 1];
                    const double w = *(positive ? of.pw_ + si[k] : of.nw_ + sj[k]);
                    c.a[k] = positive ? w : 0, c.b[k] = positive ? 0 : w;
                }
            } else {
                for (std::size_t k = 0; k < groups; ++k) {
                    add_rows(of.pw_, si[k], si[k + 1], c.a[k], c.a2[k], c.a4[k]);
                    add_rows(of.nw_, sj[k], sj[k + 1], c.b[k], c.b2[k], c.b4[k]);
                }
            }
            for (double* column : {c.a, c.b, c.a2, c.b2, c.a4, c.b4}) std::fill_n(column + groups, Chunk::padding, 0.0);
            if (of.repeated_) {  // so many rows of weight 1
                for (double* power : {c.a2, c.a4}) std::copy_n(c.a, groups, power);
                for (double* power : {c.b2, c.b4}) std::copy_n(c.b, groups, power);
            } else if (rows == groups) {
                on_lanes<AddPowers>(c, groups);
            }
            const Sums all(of.pos_, of.neg_);
            Sums below(below_pos, below_neg);
            for (std::size_t k = 0; k < groups; ++k) {
                const D2 above = (all.sum - below.sum) + (all.lost - below.lost);
                c.tp[k] = above[0], c.fp[k] = above[1];
                below.add(c.a[k], c.b[k]);
            }
            below_pos = below.pos(), below_neg = below.neg();
        }

        static void add_rows(const double* w, std::int32_t from, std::int32_t to, double& sum, double& square, double& fourth) {
            sum = square = fourth = 0;
            for (; from < to; ++from) {
                const double own = w[from], two = own * own;
                sum += own, square += two, fourth += two * two;
            }
        }
    };

    const TwoSamples<T>& s_;
    const double *pw_, *nw_;
    bool repeated_;
    std::vector<State> cuts_;
    std::vector<Sum> below_pos_, below_neg_;
    Sum pos_, neg_;
    Criteria all_{}, floor_{};
};

template <class T>
Result walk_samples(const TwoSamples<T>& s, const double* pw, const double* nw, bool repeated = false) {
    const Blocks<T> walked(s, pw, nw, repeated);
    const std::vector<BlockSums> blocks = walked.walk();
    const double p = walked.all().p, n = walked.all().n;
    Result out;
    out.pairs2 = 0;
    double ap = 0, trapezoid = 0;
    Criteria best = walked.all();
    Crossing equal, even;
    for (const BlockSums& b : blocks) {
        out.distinct += b.distinct, out.pairs2 += b.pairs2, ap += b.ap, trapezoid += b.trapezoid;
        best += b.best, equal.offer(b.equal), even.offer(b.even);
    }
    if (s.positives == 0 || s.negatives == 0) {
        Result none;
        none.distinct = out.distinct;
        return none;
    }
    best.offer({infinity, 0, 0, 0, 0});
    out.ap = ap / p, out.ap_trapezoid = trapezoid / (2 * p);
    out.ks = best.ks.score, out.ks_threshold = best.ks.threshold;
    out.youden_threshold = best.youden.threshold, out.corner_threshold = best.corner.threshold;
    out.f1_max = best.f1.score, out.f1_threshold = best.f1.threshold;
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
    // Samples that do not overlap have no spread, whatever the rounding of the sums.
    const bool apart = s.pos[0] > s.neg[s.negatives - 1] || s.pos[s.positives - 1] < s.neg[0];
    const double scale = (p + n) / p, square = scale * scale, auc = out.pairs2 / (2 * p * n);
    double gain = 1 - out.ap, pull = 0;
    out.v10 = out.v01 = out.ap_if2 = out.ap_if4 = out.ap_rival = 0;
    for (const BlockSums& b : blocks) {
        if (!apart) {
            out.v10 += b.placed.around(auc * n) / (n * n), out.v01 += b.above.around(auc * p) / (p * p);
        }
        out.ap_if2 += (b.u2.square(gain) + b.h2.square(pull)) * square;
        out.ap_if4 += (b.u4.fourth(gain) + b.h4.fourth(pull)) * square * square;
        out.ap_rival += b.rival.square(pull) * square / p;
        gain += b.gain, pull += b.pull;
    }
    return out;
}

Result walk_weighted(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool repeated) {
    return with_samples(pos, neg, [&](const auto& samples) {
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        nb::gil_scoped_release release;
        return walk_samples(samples, pw.data, nw.data, repeated);
    });
}

// The rows of a class that a replicate draws, with how often each is drawn, times its weight.
template <class T>
struct Drawn {
    std::vector<T> scores;
    std::vector<double> weights;

    Drawn(const T* sorted, const double* own, const std::uint64_t* keys, std::uint64_t first_key, std::size_t n,
          std::uint64_t stream, bool fixed) {
        double total = 0, drawn = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double weight = own ? own[k] : 1, times = draw_one(stream, keys ? keys[k] : first_key + k);
            total += weight, drawn += times * weight;
            if (times * weight > 0) scores.push_back(sorted[k]), weights.push_back(times * weight);
        }
        if (fixed)  // a restated prevalence: the class keeps its weight
            for (double& weight : weights) weight *= total / drawn;
    }
};

nb::object resampled_walks(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                           nb::handle pos_keys, nb::handle neg_keys, bool fixed, std::uint64_t seed,
                           std::uint64_t first, std::size_t count) {
    const Fresh out(dtype<double>(), nb::make_tuple(count, 2));
    with_samples(pos, neg, [&](const auto& s) {
        using T = std::decay_t<decltype(s.pos[0])>;
        const Weights pw(pos_weights, "pos_weights", s.positives), nw(neg_weights, "neg_weights", s.negatives);
        const Keys pk(pos_keys, "pos_keys", s.positives), nk(neg_keys, "neg_keys", s.negatives);
        nb::gil_scoped_release release;
        const std::size_t worth = (std::size_t{1} << 14) / std::max<std::size_t>(s.size(), 1) + 2;
        for_blocks(count, 1, [&](std::size_t, std::size_t r, std::size_t) {
            const std::uint64_t from = stream(seed, first + r);
            const Drawn<T> p(s.pos, pw.data, pk.data, 0, s.positives, from, fixed);
            const Drawn<T> n(s.neg, nw.data, nk.data, negatives_from, s.negatives, from, fixed);
            Result walked;
            if (!p.scores.empty() && !n.scores.empty())
                walked = walk_samples(TwoSamples<T>(p.scores.data(), n.scores.data(), p.scores.size(), n.scores.size()),
                                      p.weights.data(), n.weights.data());
            out.as<double>()[2 * r] = walked.eer, out.as<double>()[2 * r + 1] = walked.break_even;
        }, worth);
    });
    return out.array;
}

}  // namespace
}  // namespace weighted

void init_walk_weighted(nb::module_& m) {
    bind_walk<double>(m, "WeightedWalk");
    m.def("walk_weighted", &weighted::walk_weighted, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights"),
          nb::arg("neg_weights"), nb::arg("repeated") = false,
          "The walk with positive weights: values as of repeated rows, powers of influences with those of weights. "
          "repeated: a weight is how often a row occurs.");
    m.def("resampled_walks", &weighted::resampled_walks, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("pos_keys").none(), nb::arg("neg_keys").none(), nb::arg("fixed"),
          nb::arg("seed"), nb::arg("first"), nb::arg("count"),
          "A row for each replicate from `first` on: equal error rate and break-even point; NaN where undefined.");
}

}  // namespace calipers
