// The curve itself: a threshold, true positives and false positives per distinct score. Blocks note the
// states they keep, then each writes where it belongs, so no full sweep is held for the sake of a few corners.
#include <optional>
#include <vector>

#include "merge.hpp"
#include "pages.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

// Sums of weights below each state; without weights a state is its own sum.
template <class Out>
struct Below {
    std::vector<double> sums;
    bool weighted;

    Below(const double* weights, std::size_t n) : weighted(weights != nullptr) {
        if (!weighted) return;
        sums.resize(n + 1);
        // From the top down, as the curve accumulates: the first points must not carry the rounding of the last.
        for (std::size_t k = n; k-- > 0;) sums[k] = sums[k + 1] + weights[k];
    }

    Out above(std::size_t at, std::size_t n) const { return weighted ? Out(sums[at]) : Out(n - at); }
};

template <class Out>
struct Point {
    Out tp, fp;
    bool operator!=(const Point& o) const { return int(tp != o.tp) | int(fp != o.fp); }  // branchless
    Point operator-(const Point& o) const { return {Out(tp - o.tp), Out(fp - o.fp)}; }
};

template <class T, class Out>
class Sweep {
public:
    Sweep(const TwoSamples<T>& s, const double* pw, const double* nw, bool corners)
        : s_(s), pos_(pw, s.positives), neg_(nw, s.negatives), room_(pages<Kept>(s.size())),
          kept_(2 * block_count(s.size(), block_rows)) {
        for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t begin, std::size_t) {
            // Two halves, merged in turns.
            const State cut[3] = {s.group_of(begin), s.group_of(begin + block_rows / 2), s.group_of(begin + block_rows)};
            Keeper low(*this, cut[0], corners), high(*this, cut[1], corners);
            Merge<T> x(s, cut[0], cut[1]), y(s, cut[1], cut[2]);
            while (!x.done() || !y.done()) {
                std::size_t of_x, of_y;
                Merge<T>::next(x, y, of_x, of_y);
                low.add(x.si, x.sj, of_x), high.add(y.si, y.sj, of_y);
            }
            kept_[2 * b] = low.kept(), kept_[2 * b + 1] = high.kept();
        });
    }

    std::size_t points() const {
        std::size_t sum = 1;
        for (const Block& block : kept_) sum += block.size();
        return sum;
    }

    // Calls put(place, threshold, point) for each point, the first place being 1; point 0 is (+inf, 0, 0).
    template <class F>
    void each(F&& put) const {
        // Blocks ascend, the curve descends: a block's first point is the last of its places.
        std::vector<std::size_t> last(kept_.size());
        std::size_t at = 0;
        for (std::size_t b = kept_.size(); b-- > 0;) at += kept_[b].size(), last[b] = at;
        for_blocks(s_.size(), block_rows / 2, [&](std::size_t b, std::size_t, std::size_t) {
            std::size_t k = last[b];
            for (const Kept* state = kept_[b].begin; state != kept_[b].end; ++state) {
                const State from{state->i, state->j};
                put(k--, s_.value(from), point(from));
            }
        });
    }

    Point<Out> whole() const { return point({0, 0}); }

private:
    struct Kept {
        std::uint32_t i, j;
    };
    struct Block {
        const Kept *begin, *end;
        std::size_t size() const { return static_cast<std::size_t>(end - begin); }
    };

    Point<Out> point(State at) const { return {pos_.above(at.i, s_.positives), neg_.above(at.j, s_.negatives)}; }

    // The states of a block, or its corners, where they belong in the room: a block has at most as many states as rows. A
    // point is a corner when the step that leads to it differs from the step that leaves it. The first and the last stay,
    // as in scikit-learn's roc_curve(drop_intermediate=True).
    class Keeper {
    public:
        Keeper(const Sweep& sweep, State from, bool corners)
            : sweep_(sweep), corners_(corners), begin_(sweep.room_.get() + from.i + from.j), out_(begin_), at_(from),
              here_(sweep.point(from)), step_{} {
            const TwoSamples<T>& s = sweep.s_;
            if (corners && from.i + from.j > 0)
                step_ = sweep.point(s.below(std::max(last(s.pos, from.i), last(s.neg, from.j)))) - here_;
        }

        void add(const std::int32_t* si, const std::int32_t* sj, std::size_t groups) {
            if (!corners_) {
                for (std::size_t k = 0; k < groups; ++k) out_[k] = {std::uint32_t(si[k]), std::uint32_t(sj[k])};
                out_ += groups;
                return;
            }
            Kept* out = out_;
            State at = at_;
            Point<Out> here = here_, step = step_;
            for (std::size_t k = 0; k < groups; ++k) {
                const State after{std::size_t(si[k + 1]), std::size_t(sj[k + 1])};
                const Point<Out> next = sweep_.point(after), leave = here - next;
                *out = {std::uint32_t(at.i), std::uint32_t(at.j)};
                out += int(step != leave) | int(at.i + at.j == 0) | int(sweep_.s_.at_end(after));
                at = after, here = next, step = leave;
            }
            out_ = out, at_ = at, here_ = here, step_ = step;
        }

        Block kept() const { return {begin_, out_}; }

    private:
        const Sweep& sweep_;
        bool corners_;
        Kept *begin_, *out_;
        State at_;
        Point<Out> here_, step_;
    };

    static T last(const T* v, std::size_t n) { return n > 0 ? v[n - 1] : -std::numeric_limits<T>::infinity(); }

    const TwoSamples<T>& s_;
    Below<Out> pos_, neg_;
    Pages<Kept> room_;
    std::vector<Block> kept_;
};

template <class As, class T, class Out>
nb::tuple counts(const Sweep<T, Out>& curve) {
    const std::size_t n = curve.points();
    const Fresh thresholds(dtype<T>(), n), tp(dtype<As>(), n), fp(dtype<As>(), n);
    T* t = thresholds.as<T>();
    As *hits = tp.as<As>(), *alarms = fp.as<As>();
    {
        nb::gil_scoped_release release;
        t[0] = std::numeric_limits<T>::infinity(), hits[0] = alarms[0] = 0;
        curve.each([=](std::size_t k, T threshold, const Point<Out>& p) {
            t[k] = threshold, hits[k] = As(p.tp), alarms[k] = As(p.fp);
        });
    }
    return nb::make_tuple(thresholds.array, tp.array, fp.array);
}

// The same as shares of the last point, which are all rows of a class.
template <class T, class Out>
nb::tuple shares(const Sweep<T, Out>& curve) {
    const std::size_t n = curve.points();
    const Fresh thresholds(dtype<T>(), n), tpr(dtype<double>(), n), fpr(dtype<double>(), n);
    T* t = thresholds.as<T>();
    double *hits = tpr.as<double>(), *alarms = fpr.as<double>();
    const double positives = double(curve.whole().tp), negatives = double(curve.whole().fp);
    {
        nb::gil_scoped_release release;
        t[0] = std::numeric_limits<T>::infinity(), hits[0] = 0 / positives, alarms[0] = 0 / negatives;
        curve.each([=](std::size_t k, T threshold, const Point<Out>& p) {
            t[k] = threshold, hits[k] = double(p.tp) / positives, alarms[k] = double(p.fp) / negatives;
        });
    }
    return nb::make_tuple(thresholds.array, tpr.array, fpr.array);
}

// Recall and precision at once: three passes over as many points in NumPy cost more than the sweep. Rising thresholds end
// in one more point, of recall 0 and precision 1, that has no threshold.
template <class T, class Out>
nb::tuple rates(const Sweep<T, Out>& curve, bool rising) {
    const std::size_t n = curve.points() - 1, all = n + rising;
    const Fresh thresholds(dtype<T>(), n), recall(dtype<double>(), all), precision(dtype<double>(), all);
    T* t = thresholds.as<T>();
    double *r = recall.as<double>(), *p = precision.as<double>();
    const double positives = double(curve.whole().tp);
    {
        nb::gil_scoped_release release;
        if (rising) r[n] = 0, p[n] = 1;
        curve.each([=](std::size_t k, T threshold, const Point<Out>& at) {
            const std::size_t to = rising ? n - k : k - 1;
            t[to] = threshold, r[to] = double(at.tp) / positives, p[to] = double(at.tp) / double(at.tp + at.fp);
        });
    }
    return nb::make_tuple(thresholds.array, recall.array, precision.array);
}

// Calls f with the curve, its counts as integers or, with weights, as floats.
template <class F>
nb::tuple with_curve(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool corners,
                     const F& f) {
    return with_samples(pos, neg, [&](const auto& samples) {
        using T = std::decay_t<decltype(*samples.pos)>;
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        const auto run = [&](auto zero) {
            std::optional<Sweep<T, decltype(zero)>> curve;
            {
                nb::gil_scoped_release release;
                curve.emplace(samples, pw.data, nw.data, corners);
            }
            return f(*curve, zero);
        };
        return pw.data || nw.data ? run(double{}) : run(std::int64_t{});
    });
}

nb::tuple sweep(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool corners,
                bool floats) {
    return with_curve(pos, neg, pos_weights, neg_weights, corners, [&](const auto& curve, auto zero) {
        return floats ? counts<double>(curve) : counts<decltype(zero)>(curve);
    });
}

nb::tuple roc(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool corners) {
    return with_curve(pos, neg, pos_weights, neg_weights, corners, [&](const auto& curve, auto) { return shares(curve); });
}

nb::tuple precision_recall(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                           bool rising) {
    return with_curve(pos, neg, pos_weights, neg_weights, false,
                      [&](const auto& curve, auto) { return rates(curve, rising); });
}

}  // namespace

void init_sweep(nb::module_& m) {
    m.def("sweep", &sweep, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("corners"), nb::arg("floats") = false,
          "(thresholds, tp, fp), thresholds descending from +inf; corners=True drops collinear points.");
    m.def("roc", &roc, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(), nb::arg("neg_weights").none(),
          nb::arg("corners"), "(thresholds, tpr, fpr): the sweep as shares of each class.");
    m.def("precision_recall", &precision_recall, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("rising") = false,
          "(thresholds, recall, precision) at each distinct score, highest first; or lowest first, to (1, 0).");
}

}  // namespace calipers
