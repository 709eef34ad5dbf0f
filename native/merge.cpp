// Ascending samples of one class become one, on all threads: blocks that cut no tie know where they write.
#include "merge.hpp"

#include <list>
#include <vector>

#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

// A merge of two ascending samples, a row at a time. No branch: how samples interleave is as good as random.
template <class Order>
struct Strand {
    using Key = typename Order::Key;
    const Key *a, *a_end, *b, *b_end;
    Key* to;

    // How many steps cannot leave either sample.
    std::size_t safe_steps() const { return std::size_t(std::min(a_end - a, b_end - b)); }

    CALIPERS_INLINE void step() {
        const Key x = *a, y = *b;
        const bool first = Order::at_most(x, y);
        *to++ = first ? x : y;
        a += first, b += !first;
    }
};

// A step waits for its loads and its comparison, so several merges that step in turn cost little more than one.
template <class T>
void merge_rows(const TwoSamples<T>& s, std::size_t begin, std::size_t end, T* to) {
    constexpr std::size_t strands = 4;
    State cuts[strands + 1];
    for (std::size_t k = 0; k <= strands; ++k) cuts[k] = s.group_of(begin + (end - begin) * k / strands);
    if (cuts[0].i + cuts[0].j == cuts[strands].i + cuts[strands].j) return;  // a tie that another block has
    with_order(s.value(cuts[0]), s.last_below(cuts[strands]), [&](auto order) {
        using Order = decltype(order);
        using Key = typename Order::Key;
        const auto strand = [&](std::size_t k) {
            const State x = cuts[k], y = cuts[k + 1];
            const auto *a = reinterpret_cast<const Key*>(s.pos), *b = reinterpret_cast<const Key*>(s.neg);
            return Strand<Order>{a + x.i, a + y.i, b + x.j, b + y.j, reinterpret_cast<Key*>(to) + x.i + x.j};
        };
        Strand<Order> p = strand(0), q = strand(1), r = strand(2), t = strand(3);
        while (const std::size_t steps = std::min({p.safe_steps(), q.safe_steps(), r.safe_steps(), t.safe_steps()}))
            for (std::size_t k = 0; k < steps; ++k) p.step(), q.step(), r.step(), t.step();
        const auto is_less = [](Key x, Key y) { return !Order::at_most(y, x); };
        for (const Strand<Order>& rest : {p, q, r, t})
            std::merge(rest.a, rest.a_end, rest.b, rest.b_end, rest.to, is_less);
    });
}

// One value's weights, in ascending order: no merge then depends on which sample came first.
template <class T>
void merge_weighted(const TwoSamples<T>& s, State from, State to, const double* wa, const double* wb, T* values,
                    double* weights) {
    for (State at = from; at.i < to.i || at.j < to.j;) {
        const T value = s.value(at);
        const std::size_t begin = at.i + at.j;
        for (; at.i < to.i && s.pos[at.i] == value; ++at.i) weights[at.i + at.j] = wa[at.i];
        for (; at.j < to.j && s.neg[at.j] == value; ++at.j) weights[at.i + at.j] = wb[at.j];
        std::fill(values + begin, values + at.i + at.j, value);
        std::sort(weights + begin, weights + at.i + at.j);
    }
}

nb::tuple merge_weighted_samples(nb::handle a, nb::handle b, nb::handle a_weights, nb::handle b_weights) {
    return with_samples(a, b, [&](const auto& s) {
        using T = std::decay_t<decltype(*s.pos)>;
        const Weights wa(a_weights, "a_weights", s.positives), wb(b_weights, "b_weights", s.negatives);
        if (wa.data == nullptr || wb.data == nullptr) throw nb::type_error("a_weights and b_weights must be arrays");
        const Fresh values(dtype<T>(), s.size()), weights(dtype<double>(), s.size());
        {
            nb::gil_scoped_release release;
            for_blocks(s.size(), block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                const State x = s.group_of(begin), y = s.group_of(end);
                merge_weighted(s, x, y, wa.data, wb.data, values.as<T>(), weights.as<double>());
            });
        }
        return nb::make_tuple(values.array, weights.array);
    });
}

// Ascending numbers.
template <class T>
struct Run {
    const T *begin, *end;
    std::size_t size() const { return std::size_t(end - begin); }
};
template <class T>
using Runs = std::vector<Run<T>>;

// Where numbers are no longer below a value: a search that takes few steps if this is near the begin.
template <class T>
const T* first_from(const Run<T>& run, T value) {
    std::size_t far = 1;
    while (far < run.size() && run.begin[far] < value) far *= 2;
    return std::lower_bound(run.begin + far / 2, run.begin + std::min(far + 1, run.size()), value);
}

// Any number of ascending samples, cut at the same values into blocks that fit the cache: there they are merged two by two,
// and only the last merge of a block writes to memory.
template <class T>
class Blocks {
public:
    explicit Blocks(const Runs<T>& samples) : samples_(samples.size()) {
        Runs<T> left = samples;
        for (const T border : borders(samples)) {
            for (Run<T>& rest : left) {
                const T* const at = first_from(rest, border);
                runs_.push_back({rest.begin, at});
                rest.begin = at;
            }
        }
        runs_.insert(runs_.end(), left.begin(), left.end());
        for (std::size_t b = 0, rows = 0; b < runs_.size(); b += samples_) {
            starts_.push_back(rows);
            for (std::size_t k = b; k < b + samples_; ++k) rows += runs_[k].size();
        }
    }

    void merge_to(T* to) const {
        const auto merge_block = [&](std::size_t b, std::size_t, std::size_t) {
            Runs<T> runs;
            for (std::size_t k = b * samples_; k < (b + 1) * samples_; ++k)
                if (runs_[k].size() > 0) runs.push_back(runs_[k]);
            merge(std::move(runs), to + starts_[b]);
        };
        for_blocks(starts_.size(), 1, merge_block, 2);
    }

private:
    // Of every sample each so-many-th value: between two borders lie as many of these as there are samples, so that a block
    // has at most `block_rows` rows, if no value occurs more often.
    static std::vector<T> borders(const Runs<T>& samples) {
        const std::size_t step = std::max<std::size_t>(1, block_rows / (2 * samples.size()));
        std::vector<T> values, out;
        for (const Run<T>& sample : samples)
            for (std::size_t k = step; k < sample.size(); k += step) values.push_back(sample.begin[k]);
        std::sort(values.begin(), values.end());
        for (std::size_t k = samples.size(); k < values.size(); k += samples.size())
            if (out.empty() || out.back() < values[k]) out.push_back(values[k]);
        return out;
    }

    static void merge(Runs<T> runs, T* to) {
        if (runs.size() == 1) std::copy(runs[0].begin, runs[0].end, to);
        if (runs.size() < 2) return;
        std::size_t rows = 0;
        for (const Run<T>& run : runs) rows += run.size();
        static thread_local std::vector<T> room;
        if (room.size() < 2 * rows) room.resize(2 * rows);
        for (std::size_t side = 0; runs.size() > 2; side = 1 - side) {
            T* out = room.data() + side * rows;
            Runs<T> fewer;
            // An odd one comes first, so that the next round merges it before its side is written to again.
            if (runs.size() % 2 == 1) fewer.push_back(runs.back());
            for (std::size_t k = 0; k + 1 < runs.size(); k += 2) {
                fewer.push_back({out, merge_two(runs[k], runs[k + 1], out)});
                out += fewer.back().size();
            }
            runs = std::move(fewer);
        }
        merge_two(runs[0], runs[1], to);
    }

    static T* merge_two(const Run<T>& a, const Run<T>& b, T* to) {
        const TwoSamples<T> both(a.begin, b.begin, a.size(), b.size());
        merge_rows(both, 0, both.size(), to);
        return to + both.size();
    }

    std::size_t samples_;
    Runs<T> runs_;  // of each block, a run of each sample
    std::vector<std::size_t> starts_;
};

nb::object merge_sorted(nb::list samples) {
    std::list<View> views;
    for (const nb::handle sample : samples) views.emplace_back(sample, "sample");
    if (views.empty()) throw nb::value_error("there must be a sample");
    return views.front().floats([&](auto zero) {
        using T = decltype(zero);
        Runs<T> runs;
        std::size_t rows = 0;
        for (const View& view : views) {
            if (!view.holds<T>()) view.fail(" must have the type of the first");
            runs.push_back({view.dense<T>(), view.dense<T>() + view.n});
            rows += view.n;
        }
        const Fresh values(dtype<T>(), rows);
        {
            nb::gil_scoped_release release;
            Blocks<T>(runs).merge_to(values.as<T>());
        }
        return values.array;
    });
}

}  // namespace

void init_merge(nb::module_& m) {
    m.def("merge_sorted", &merge_sorted, nb::arg("samples"), "The numbers of ascending samples of one type, ascending.");
    m.def("merge_weighted", &merge_weighted_samples, nb::arg("a"), nb::arg("b"), nb::arg("a_weights"), nb::arg("b_weights"),
          "(values, weights) of two ascending samples, ascending; weights ascend within equal values.");
}

}  // namespace calipers
