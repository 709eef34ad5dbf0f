// One ascending walk over two sorted samples gives everything about a binary scorer. Each fixed block of rows is merged
// into states (chunks that stay in L1), then vector loops read the states; block sums are folded in block order.
#include <vector>

#include "parallel.hpp"
#include "walk_blocks.hpp"

namespace calipers {
namespace {

State operator+(State a, State b) { return {a.i + b.i, a.j + b.j}; }
bool operator==(State a, State b) { return a.i == b.i && a.j == b.j; }

// The rows of one value, met like two samples; there may be more of them than 32 bits count.
struct OneValue {
    double only;
    std::size_t positives, negatives;

    std::size_t size() const { return positives + negatives; }
    State end() const { return {positives, negatives}; }
    bool at_end(State s) const { return s == end(); }
    double value(State) const { return only; }
    double at_rank(std::size_t) const { return only; }
    State below(double) const { return {}; }
    State through(double) const { return end(); }
    State group_of(std::size_t rank) const { return rank >= size() ? end() : State{}; }
};

// Where blocks begin, and the end.
template <class Part>
std::vector<State> cuts_of(const Part& s) {
    std::vector<State> cuts;
    const std::size_t count = 2 * block_count(s.size(), block_rows);
    for (std::size_t c = 0; c <= count; ++c) cuts.push_back(s.group_of(c * (block_rows / 2)));
    return cuts;
}

std::vector<State> cuts_of(const OneValue& s) { return {{}, s.end()}; }

template <class Part>
void walk_part(const Part& s, const std::vector<State>& cuts, const Place& place, const Floor* floor,
               BlockSums* out) {
    for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) {
        walk_blocks(s, &cuts[2 * b], place, floor, &out[2 * b]);
    });
}

void walk_part(const OneValue& s, const std::vector<State>&, const Place& place, const Floor* floor, BlockSums* out) {
    out->add_group(s.end(), place, floor != nullptr);
}

// The best state of one criterion, of all rows. Where it is the end of a part, its threshold is the first value of the
// next one; after the last there is none.
struct BestState {
    State at;
    double threshold = infinity;
    bool is_open = false;
};

// A walk over parts of the rows, each above the one before; no value is in two of them.
class Walker {
public:
    Walker(std::size_t positives, std::size_t negatives, bool full) : end_{positives, negatives}, full_(full) {
        if (positives > 0 && negatives > std::size_t(std::numeric_limits<std::int64_t>::max()) / positives)
            throw std::overflow_error("a walk takes at most 2**63 pairs of a positive and a negative row");
        const double pn = double(positives) * double(negatives);
        corner_ = farthest_ = -(pn * pn);
    }

    template <class Part>
    void add(const Part& s) {
        if (s.size() == 0) return;
        if (s.positives > end_.i - before_.i || s.negatives > end_.j - before_.j)
            throw std::invalid_argument("a walk gets more rows than it was made for");
        const Place place(end_, before_);
        const std::vector<State> cuts = cuts_of(s);
        const std::size_t first = blocks_.size();
        floor_.raise(cuts, place);
        blocks_.resize(first + cuts.size() - 1);
        walk_part(s, cuts, place, full_ ? &floor_ : nullptr, &blocks_[first]);
        for (std::size_t b = first; b < blocks_.size(); ++b) {
            pairs2_ += blocks_[b].pairs2, distinct_ += blocks_[b].groups;
            blocks_[b].pos.origin += 2 * double(before_.j), blocks_[b].neg.origin += 2 * double(before_.i);
        }
        pairs2_ += 2 * std::uint64_t(before_.j) * s.positives;
        if (full_ && end_.i > 0 && end_.j > 0) {
            const double value = double(s.value({}));
            for (BestState* best : {&ks_at_, &youden_at_, &f1_at_, &corner_at_})
                if (best->is_open) best->threshold = value, best->is_open = false;
            find_best(s, first);
            find_crossings(s);
            const State last = s.group_of(s.size() - 1);
            last_ = {before_ + last, double(s.value(last))};
        }
        before_ = before_ + s.end();
    }

    WalkResult<std::uint64_t> result() const {
        if (!(before_ == end_)) throw std::invalid_argument("a walk got fewer rows than it was made for");
        WalkResult<std::uint64_t> out;
        out.pairs2 = pairs2_, out.distinct = distinct_;
        if (end_.i == 0 || end_.j == 0) return out;
        const Totals all{double(end_.i), double(end_.j)};
        const double p = all.positives, n = all.negatives, pairs2 = double(pairs2_);
        const bool certain = pairs2_ == 0 || pairs2_ == 2 * std::uint64_t(end_.i) * end_.j;
        out.v10 = certain ? 0 : spread(blocks_, &BlockSums::pos, pairs2 / p) / (4 * n * n);
        // A negative's placement counts positives below it; the spread of those above is the same.
        out.v01 = certain ? 0 : spread(blocks_, &BlockSums::neg, 2 * p - pairs2 / n) / (4 * p * p);
        if (!full_) return out;
        double precision = 0, trapezoid = 0;
        for (const BlockSums& b : blocks_) precision += b.precision, trapezoid += b.trapezoid;
        out.ap = precision / p, out.ap_trapezoid = trapezoid / (2 * p);
        influence(blocks_, all, out);
        const BestState ks = best_ks();
        out.ks = double(ks_) / (p * n), out.ks_threshold = ks.threshold;
        out.youden_threshold = youden_at_.threshold;
        const double tp = double(end_.i - f1_at_.at.i), rows = tp + double(end_.j - f1_at_.at.j);
        out.f1_max = 2 * tp / (rows + p), out.f1_threshold = f1_at_.threshold;
        out.corner_threshold = corner_at_.threshold;
        out.eer = eer_, out.eer_threshold = eer_at_.threshold;
        out.break_even = break_even_, out.break_even_threshold = break_even_at_.threshold;
        return out;
    }

    // The thresholds of the result with how many positives and negatives lie below them.
    std::vector<BestState> thresholds() const {
        if (!full_ || end_.i == 0 || end_.j == 0) return {};
        return {best_ks(), youden_at_, f1_at_, corner_at_, eer_at_, break_even_at_};
    }

private:
    // A tie goes to the later block, which has the higher threshold, and to the end ("nothing is positive"), which has
    // the highest of all.
    template <class Part>
    void find_best(const Part& s, std::size_t first) {
        const auto found = [&](State at) {
            const bool last = s.at_end(at);
            return BestState{before_ + at, last ? infinity : double(s.value(at)), last};
        };
        for (std::size_t b = first; b < blocks_.size(); ++b) {
            const BlockSums& x = blocks_[b];
            if (x.groups == 0) continue;
            if (x.youden > 0 && x.youden >= youden_) youden_ = x.youden, youden_at_ = found(x.youden_at);
            if (x.corner > farthest_ && x.corner >= corner_) corner_ = x.corner, corner_at_ = found(x.corner_at);
            for (const std::int64_t lane : x.f1_at)
                if (lane >= 0 && better_f1(before_ + unpack(lane), f1_at_.at)) f1_at_ = found(unpack(lane));
            if (x.ks >= 0 && x.ks >= ks_) ks_ = x.ks, ks_at_ = found(x.ks_at);
        }
    }

    // Whether x has a larger F1 than y, or the same at a higher threshold: 2 tp / (tp + fp + P) in integers.
    bool better_f1(State x, State y) const {
        const auto tp = [&](State s) { return static_cast<unsigned __int128>(end_.i - s.i); };
        const auto base = [&](State s) {
            return static_cast<unsigned __int128>(end_.i + end_.j - s.i - s.j + end_.i);
        };
        const auto left = tp(x) * base(y), right = tp(y) * base(x);
        return left > right || (left == right && x.i + x.j > y.i + y.j);
    }

    BestState best_ks() const { return ks_at_.is_open ? last_ : ks_at_; }

    template <class Part>
    void find_crossings(const Part& s) {
        const double p = double(end_.i), n = double(end_.j);
        // Misses minus false alarms rise with the threshold: search the highest one where they do not exceed.
        const auto holds = [&](State local) {
            const State at = before_ + local;
            return at.i * end_.j <= (end_.j - at.j) * end_.i;
        };
        if (holds({})) {
            std::size_t low = 0, high = s.size();
            while (high - low > 1) {
                const std::size_t mid = low + (high - low) / 2;
                (holds(s.group_of(mid)) ? low : high) = mid;
            }
            const auto t = s.at_rank(low);
            const State from = before_ + s.below(t), to = before_ + s.through(t);
            eer_at_ = {from, double(t)};
            eer_ = equal_error(double(from.i) / p, double(end_.j - from.j) / n, double(to.i) / p,
                               double(end_.j - to.j) / n);
        }
        // As many rows called positive as there are: the row at rank N from below opens them. A tie there is broken at
        // random, which in expectation is a straight line through the group.
        const std::size_t begin = before_.i + before_.j;
        if (begin <= end_.j && end_.j < begin + s.size()) {
            const auto u = s.at_rank(end_.j - begin);
            const State first = before_ + s.below(u), last = before_ + s.through(u);
            const double a = double(last.i - first.i), b = double(last.j - first.j);
            const double above = double(end_.i + end_.j - last.i - last.j);
            break_even_ = (double(end_.i - last.i) + a * (p - above) / (a + b)) / p;
            break_even_at_ = {first, double(u)};
        }
    }

    State end_, before_;
    bool full_;
    std::vector<BlockSums> blocks_;
    Floor floor_;
    std::uint64_t pairs2_ = 0;
    std::size_t distinct_ = 0;
    std::int64_t youden_ = 0, ks_ = -1;
    double corner_, farthest_, eer_ = nan_value, break_even_ = nan_value;
    BestState youden_at_{end_}, ks_at_{end_}, f1_at_{end_}, corner_at_{end_}, eer_at_{end_}, break_even_at_{end_};
    BestState last_{end_};
};

template <class Part>
WalkResult<std::uint64_t> walk_samples(const Part& s, bool full) {
    Walker walker(s.positives, s.negatives, full);
    walker.add(s);
    return walker.result();
}

WalkResult<std::uint64_t> walk(nb::handle pos, nb::handle neg, bool full) {
    return with_samples(pos, neg, [&](const auto& samples) {
        nb::gil_scoped_release release;
        return walk_samples(samples, full);
    });
}

WalkResult<std::uint64_t> walk_groups(nb::handle values, nb::handle pos, nb::handle neg, bool full) {
    const View view(values, "values"), of_pos(pos, "pos"), of_neg(neg, "neg");
    return view.floats([&](auto zero) {
        const Groups<decltype(zero)> groups(view, of_pos, of_neg);
        nb::gil_scoped_release release;
        return walk_samples(groups, full);
    });
}

}  // namespace

template <class T>
WalkResult<std::uint64_t> walk_area(const TwoSamples<T>& samples) {
    return walk_samples(samples, false);
}
template WalkResult<std::uint64_t> walk_area(const TwoSamples<float>&);
template WalkResult<std::uint64_t> walk_area(const TwoSamples<double>&);

void init_walk(nb::module_& m) {
    bind_walk<std::uint64_t>(m, "Walk");
    nb::class_<Walker>(m, "Walker")
        .def("__init__", [](Walker* at, std::size_t positives, std::size_t negatives) { new (at) Walker(positives, negatives, true); },
             nb::arg("positives"), nb::arg("negatives"))
        .def("add", [](Walker& w, nb::handle pos, nb::handle neg) {
                 with_samples(pos, neg, [&](const auto& samples) {
                     nb::gil_scoped_release release;
                     w.add(samples);
                 });
             }, nb::arg("pos"), nb::arg("neg"), "The next rows: two ascending samples, all above those before.")
        .def("add_tied", [](Walker& w, double value, std::size_t positives, std::size_t negatives) {
                 w.add(OneValue{value, positives, negatives});
             }, nb::arg("value"), nb::arg("positives"), nb::arg("negatives"), "The next rows, which have one value.")
        .def("result", &Walker::result)
        .def("thresholds", [](const Walker& w) {
                 nb::list out;
                 for (const BestState& best : w.thresholds())
                     out.append(nb::make_tuple(best.threshold, best.at.i, best.at.j));
                 return out;
             }, "(threshold, positives below, negatives below) of ks, youden, f1, corner, eer and break_even.");
    m.def("walk", &walk, nb::arg("pos"), nb::arg("neg"), nb::arg("full") = true,
          "Everything about two ascending samples in one walk; full=False stops at what the AUC needs.");
    m.def("walk_groups", &walk_groups, nb::arg("values"), nb::arg("pos"), nb::arg("neg"), nb::arg("full") = true,
          "The same of ascending distinct values, with how many positives and negatives have each.");
}

}  // namespace calipers
