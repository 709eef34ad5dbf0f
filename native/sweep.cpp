// The curve itself: a threshold, true positives and false positives per distinct score. Blocks note the
// states they keep, then each writes where it belongs, so no full sweep is held for the sake of a few corners.
#include <optional>
#include <vector>

#include "merge.hpp"
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
    bool operator!=(const Point& o) const { return (tp != o.tp) | (fp != o.fp); }  // branchless
    Point operator-(const Point& o) const { return {Out(tp - o.tp), Out(fp - o.fp)}; }
};

template <class T, class Out>
class Sweep {
public:
    Sweep(const TwoSamples<T>& s, const double* pw, const double* nw, bool corners)
        : s_(s), pos_(pw, s.positives), neg_(nw, s.negatives), kept_(block_count(s.size(), block_rows)) {
        for_blocks(s.size(), block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            keep(s.group_of(begin), s.group_of(end), corners, kept_[b]);
        });
    }

    std::size_t points() const {
        std::size_t sum = 1;
        for (const auto& block : kept_) sum += block.size();
        return sum;
    }

    // Calls put(place, threshold, point) for each point, the first place being 1; point 0 is (+inf, 0, 0).
    template <class F>
    void each(F&& put) const {
        // Blocks ascend, the curve descends: a block's first point is the last of its places.
        std::vector<std::size_t> last(kept_.size());
        std::size_t at = 0;
        for (std::size_t b = kept_.size(); b-- > 0;) at += kept_[b].size(), last[b] = at;
        for_blocks(s_.size(), block_rows, [&](std::size_t b, std::size_t, std::size_t) {
            std::size_t k = last[b];
            for (const Kept state : kept_[b]) {
                const State from{state.i, state.j};
                put(k--, s_.value(from), point(from));
            }
        });
    }

    Point<Out> whole() const { return point({0, 0}); }

private:
    struct Kept {
        std::uint32_t i, j;
    };

    Point<Out> point(State at) const { return {pos_.above(at.i, s_.positives), neg_.above(at.j, s_.negatives)}; }

    // A point is a corner when the step that leads to it differs from the step that leaves it. The first and the last
    // stay, as in scikit-learn's roc_curve(drop_intermediate=True).
    void keep(State from, State to, bool corners, std::vector<Kept>& out) const {
        State at = from;
        if (from.i + from.j > 0) at = s_.below(std::max(last(s_.pos, from.i), last(s_.neg, from.j)));
        Point<Out> here = point(from), step = point(at) - here;
        at = from;
        out.reserve((to.i - from.i + to.j - from.j) / (corners ? 2 : 1));
        for (Merge<T> merge(s_, from, to); !merge.done();) {
            const std::size_t groups = merge.next();
            Kept chunk[Merge<T>::most];
            std::size_t kept = 0;
            for (std::size_t k = 0; k < groups; ++k) {
                const State after{std::size_t(merge.si[k + 1]), std::size_t(merge.sj[k + 1])};
                const Point<Out> next = point(after), leave = here - next;
                chunk[kept] = {std::uint32_t(at.i), std::uint32_t(at.j)};
                kept += !corners | (step != leave) | (at.i + at.j == 0) | s_.at_end(after);
                at = after, here = next, step = leave;
            }
            out.insert(out.end(), chunk, chunk + kept);
        }
    }

    static T last(const T* v, std::size_t n) { return n > 0 ? v[n - 1] : -std::numeric_limits<T>::infinity(); }

    const TwoSamples<T>& s_;
    Below<Out> pos_, neg_;
    std::vector<std::vector<Kept>> kept_;
};

template <class T, class Out>
nb::tuple counts(const Sweep<T, Out>& curve) {
    const std::size_t n = curve.points();
    const Fresh thresholds(dtype<T>(), n), tp(dtype<Out>(), n), fp(dtype<Out>(), n);
    T* t = thresholds.as<T>();
    Out *hits = tp.as<Out>(), *alarms = fp.as<Out>();
    {
        nb::gil_scoped_release release;
        t[0] = std::numeric_limits<T>::infinity(), hits[0] = alarms[0] = 0;
        curve.each([=](std::size_t k, T threshold, const Point<Out>& p) {
            t[k] = threshold, hits[k] = p.tp, alarms[k] = p.fp;
        });
    }
    return nb::make_tuple(thresholds.array, tp.array, fp.array);
}

// The same as rates at once: three passes over as many points in NumPy cost more than the sweep.
template <class T, class Out>
nb::tuple rates(const Sweep<T, Out>& curve) {
    const std::size_t n = curve.points() - 1;
    const Fresh thresholds(dtype<T>(), n), recall(dtype<double>(), n), precision(dtype<double>(), n);
    T* t = thresholds.as<T>();
    double *r = recall.as<double>(), *p = precision.as<double>();
    const double positives = double(curve.whole().tp);
    {
        nb::gil_scoped_release release;
        curve.each([=](std::size_t k, T threshold, const Point<Out>& at) {
            t[k - 1] = threshold, r[k - 1] = double(at.tp) / positives, p[k - 1] = double(at.tp) / double(at.tp + at.fp);
        });
    }
    return nb::make_tuple(thresholds.array, recall.array, precision.array);
}

template <class T, class Out>
nb::tuple sweep_as(const TwoSamples<T>& samples, const double* pw, const double* nw, bool corners, bool as_rates) {
    std::optional<Sweep<T, Out>> curve;
    {
        nb::gil_scoped_release release;
        curve.emplace(samples, pw, nw, corners);
    }
    return as_rates ? rates(*curve) : counts(*curve);
}

nb::tuple sweep_of(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool corners,
                   bool as_rates) {
    return with_samples(pos, neg, [&](const auto& samples) {
        using T = std::decay_t<decltype(*samples.pos)>;
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        if (pw.data || nw.data) return sweep_as<T, double>(samples, pw.data, nw.data, corners, as_rates);
        return sweep_as<T, std::int64_t>(samples, nullptr, nullptr, corners, as_rates);
    });
}

nb::tuple sweep(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, bool corners) {
    return sweep_of(pos, neg, pos_weights, neg_weights, corners, false);
}

nb::tuple precision_recall(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights) {
    return sweep_of(pos, neg, pos_weights, neg_weights, false, true);
}

}  // namespace

void init_sweep(nb::module_& m) {
    m.def("sweep", &sweep, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("corners"),
          "(thresholds, tp, fp), thresholds descending from +inf; corners=True drops collinear points.");
    m.def("precision_recall", &precision_recall, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), "(thresholds, recall, precision) at each distinct score, highest first.");
}

}  // namespace calipers
