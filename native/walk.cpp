// One ascending walk over two sorted samples gives everything about a binary scorer. Each fixed block of rows is merged
// into states (chunks that stay in L1), then vector loops read the states; block sums are folded in block order.
#include <array>
#include <vector>

#include "criteria.hpp"
#include "curve_points.hpp"
#include "parallel.hpp"
#include "twin.hpp"

namespace calipers {
namespace {

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

void add_chunk(const std::int32_t* si, const std::int32_t* sj, std::size_t groups, BlockWalk& walk) {
    on_lanes<AddSums>(si, sj, groups, walk);
    if (walk.floor != nullptr && walk.floor->may_be_reached(si, sj, groups, walk.place))
        on_lanes<Criteria>(si, sj, groups, walk.place, walk.best);
}

// Two neighbouring blocks, cut[0] to cut[1] to cut[2], merged in turns.
template <class T>
void walk_blocks(const TwoSamples<T>& s, const State* cut, const Place& place, const Floor* floor, BlockSums* out) {
    BlockWalk low{out[0], place, floor}, high{out[1], place, floor};
    // Where all negatives of a block lie below its positives, these have one precision.
    const auto level = [&](State from, State to) {
        const bool apart = to.i > from.i && to.j > from.j && s.neg[to.j - 1] < s.pos[from.i];
        return apart ? State{from.i, to.j} : from;
    };
    low.start(cut[0], cut[1], level(cut[0], cut[1])), high.start(cut[1], cut[2], level(cut[1], cut[2]));
    Merge<T> a(s, cut[0], cut[1]), b(s, cut[1], cut[2]);
    while (!a.done() || !b.done()) {
        std::size_t of_a, of_b;
        Merge<T>::next(a, b, of_a, of_b);
        add_chunk(a.si, a.sj, of_a, low), add_chunk(b.si, b.sj, of_b, high);
    }
    if (floor != nullptr) low.finish(), high.finish();
}

// Sum over rows of (c - centre)^2: within each block around the block's own mean, then between blocks.
double spread(const std::vector<BlockSums>& blocks, Placements BlockSums::* side, double centre) {
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
void influence(const std::vector<BlockSums>& blocks, Totals all, WalkResult<std::uint64_t>& out) {
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

State operator+(State a, State b) { return {a.i + b.i, a.j + b.j}; }
bool operator==(State a, State b) { return a.i == b.i && a.j == b.j; }

// The rows of one value, met like two samples.
struct OneValue {
    double only;
    std::size_t positives, negatives;

    OneValue(double value, std::size_t positives, std::size_t negatives)
        : only(value), positives(positives), negatives(negatives) {
        if (size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
            throw std::overflow_error("more than 2**31 - 1 rows have the same score");
    }

    std::size_t size() const { return positives + negatives; }
    State end() const { return {positives, negatives}; }
    bool at_end(State s) const { return s == end(); }
    double value(State) const { return only; }
    double at_rank(std::size_t) const { return only; }
    State below(double) const { return {}; }
    State through(double) const { return end(); }
    State group_of(std::size_t rank) const { return rank >= size() ? end() : State{}; }
};

template <class T>
void walk_part(const TwoSamples<T>& s, const std::vector<State>& cuts, const Place& place, const Floor* floor,
               BlockSums* out) {
    for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) {
        walk_blocks(s, &cuts[2 * b], place, floor, &out[2 * b]);
    });
}

void walk_part(const OneValue& s, const std::vector<State>&, const Place& place, const Floor* floor, BlockSums* out) {
    std::int32_t si[2 + Merge<double>::padding], sj[2 + Merge<double>::padding];
    std::fill(std::begin(si), std::end(si), static_cast<std::int32_t>(s.positives));
    std::fill(std::begin(sj), std::end(sj), static_cast<std::int32_t>(s.negatives));
    si[0] = sj[0] = 0;
    BlockWalk all{out[0], place, floor};
    all.start({}, s.end(), {});
    add_chunk(si, sj, 1, all);
    if (floor != nullptr) all.finish();
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
        std::vector<State> cuts;
        const std::size_t first = blocks_.size(), count = 2 * block_count(s.size(), block_rows);
        for (std::size_t c = 0; c <= count; ++c) cuts.push_back(s.group_of(c * (block_rows / 2)));
        floor_.raise(cuts, place);
        blocks_.resize(first + count);
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

template <class T>
WalkResult<std::uint64_t> walk_samples(const TwoSamples<T>& s, bool full) {
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
                 w.add(OneValue(value, positives, negatives));
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
}

}  // namespace calipers
