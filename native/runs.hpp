// Ascending runs of numbers, merged by one thread: all in the cache but the last merge, if they fit there.
#pragma once

#include <list>
#include <utility>
#include <vector>

#include "merge.hpp"

namespace calipers {

// Ascending numbers.
template <class T>
struct Run {
    const T *begin, *end;
    std::size_t size() const { return std::size_t(end - begin); }
};
template <class T>
using Runs = std::vector<Run<T>>;

constexpr std::size_t cached_rows = 1 << 15;  // that are merged in the cache

template <class T>
std::size_t rows_of(const Runs<T>& runs) {
    std::size_t rows = 0;
    for (const Run<T>& run : runs) rows += run.size();
    return rows;
}

// Arrays of one type, each of ascending numbers.
class Samples {
public:
    explicit Samples(const nb::list& arrays) {
        for (const nb::handle array : arrays) views_.emplace_back(array, "sample");
        if (views_.empty()) throw nb::value_error("there must be a sample");
    }

    // Calls f with a zero of the type of the first.
    template <class F>
    auto floats(F&& f) const {
        return views_.front().floats(f);
    }

    // Those that are not empty.
    template <class T>
    Runs<T> runs() const {
        Runs<T> out;
        for (const View& view : views_) {
            if (!view.holds<T>()) view.fail(" must have the type of the first");
            if (view.n > 0) out.push_back({view.dense<T>(), view.dense<T>() + view.n});
        }
        return out;
    }

private:
    std::list<View> views_;
};

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

template <class T>
T* merge_two(const Run<T>& a, const Run<T>& b, T* to) {
    const TwoSamples<T> both(a.begin, b.begin, a.size(), b.size());
    merge_rows(both, 0, both.size(), to);
    return to + both.size();
}

// Writes the numbers of all runs, two runs at a time.
template <class T>
void merge_runs(Runs<T> runs, T* to) {
    if (runs.size() == 1) std::copy(runs[0].begin, runs[0].end, to);
    if (runs.size() < 2) return;
    const std::size_t rows = rows_of(runs);
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

}  // namespace calipers
