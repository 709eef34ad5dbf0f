// Two ascending samples met in ascending order of their distinct values. A state (i, j) says how many positives and
// negatives lie below a threshold; a group is the rows of one value, from one state to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "array.hpp"
#include "lanes.hpp"

namespace calipers {

struct State {
    std::size_t i = 0, j = 0;
};

template <class T>
struct TwoSamples {
    const T *pos, *neg;
    std::size_t positives, negatives;

    TwoSamples(const View& p, const View& n) : TwoSamples(p.dense<T>(), n.dense<T>(), p.n, n.n) {}
    TwoSamples(const T* pos, const T* neg, std::size_t positives, std::size_t negatives)
        : pos(pos), neg(neg), positives(positives), negatives(negatives) {
        if (size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
            throw std::overflow_error("a walk takes at most 2**31 - 1 rows");
    }

    std::size_t size() const { return positives + negatives; }
    State end() const { return {positives, negatives}; }
    bool at_end(State s) const { return s.i == positives && s.j == negatives; }

    // The least value at or above a state that is not the end.
    T value(State s) const {
        if (s.j == negatives) return pos[s.i];
        if (s.i == positives) return neg[s.j];
        const T x = pos[s.i], y = neg[s.j];
        return y < x ? y : x;  // not std::min, whose references become a branch that is as good as random
    }

    // The greatest value below a state that is not the first.
    T last_below(State s) const {
        if (s.j == 0) return pos[s.i - 1];
        if (s.i == 0) return neg[s.j - 1];
        return std::max(pos[s.i - 1], neg[s.j - 1]);
    }

    State below(T t) const {
        return {static_cast<std::size_t>(std::lower_bound(pos, pos + positives, t) - pos),
                static_cast<std::size_t>(std::lower_bound(neg, neg + negatives, t) - neg)};
    }

    State through(T t) const {
        return {static_cast<std::size_t>(std::upper_bound(pos, pos + positives, t) - pos),
                static_cast<std::size_t>(std::upper_bound(neg, neg + negatives, t) - neg)};
    }

    // The value of the row that stands at `rank` (from 0) among all rows: a binary search along the diagonal.
    T at_rank(std::size_t rank) const {
        std::size_t low = rank > negatives ? rank - negatives : 0, high = std::min(rank, positives);
        while (low < high) {
            const std::size_t mid = low + (high - low) / 2;
            if (pos[mid] < neg[rank - 1 - mid])
                low = mid + 1;
            else
                high = mid;
        }
        return value({low, rank - low});
    }

    T positive(std::size_t i) const { return pos[i]; }
    T negative(std::size_t j) const { return neg[j]; }

    // Where the group of the row at `rank` begins: blocks cut here never cut a tie.
    State group_of(std::size_t rank) const { return rank >= size() ? end() : below(at_rank(rank)); }
};

// Calls f with the two samples; they have one type.
template <class F>
auto with_samples(nb::handle pos, nb::handle neg, F&& f) {
    const View p(pos, "pos"), n(neg, "neg");
    return p.floats([&](auto zero) {
        if (!n.holds<decltype(zero)>()) n.fail(" must have the type of pos");
        return f(TwoSamples<decltype(zero)>(p, n));
    });
}

// How numbers are compared: as such, or by their bits as whole numbers, which has a shorter latency. Above zero bits have
// the order of the numbers, below zero the opposite one; a range with zero, which has two signs, is compared as numbers.
// Every number comes next after NaN, which stands before the first.
template <class T>
struct ByValue {
    using Key = T;
    static bool at_most(T x, T y) { return x <= y; }
    static T least(T x, T y) { return x < y ? x : y; }
    static bool is_next(T x, T before) { return !(x <= before); }  // not `!=`: one flag instead of two
};

template <class T>
struct BitsOf;
template <>
struct BitsOf<double> {
    typedef std::int64_t Key __attribute__((may_alias));
};
template <>
struct BitsOf<float> {
    typedef std::int32_t Key __attribute__((may_alias));
};

template <class T>
struct AboveZero {
    using Key = typename BitsOf<T>::Key;
    static bool at_most(Key x, Key y) { return x <= y; }
    static Key least(Key x, Key y) { return x < y ? x : y; }
    static bool is_next(Key x, Key before) { return x != before; }
};

template <class T>
struct BelowZero {
    using Key = typename BitsOf<T>::Key;
    static bool at_most(Key x, Key y) { return x >= y; }
    static Key least(Key x, Key y) { return x > y ? x : y; }
    static bool is_next(Key x, Key before) { return x != before; }
};

// Calls f with the order of a range of numbers.
template <class T, class F>
CALIPERS_INLINE void with_order(T least, T greatest, F&& f) {
    if (least > 0)
        f(AboveZero<T>{});
    else if (greatest < 0)
        f(BelowZero<T>{});
    else
        f(ByValue<T>{});
}

// Runs over the groups of [from, to) and hands out their states, a chunk of groups at a time: group k is states k to
// k + 1. A step waits for its loads and its comparison, so two merges that step in turn cost little more than one.
template <class T>
class Merge {
public:
    static constexpr std::size_t most = 1024;
    static constexpr std::size_t padding = 16;
    std::int32_t si[most + 1 + padding], sj[most + 1 + padding];

    Merge(const TwoSamples<T>& s, State from, State to) : c_{s.pos, s.neg, from.i, from.j, to.i, to.j} {}

    bool done() const { return c_.i == c_.i_end && c_.j == c_.j_end; }

    // Fills the next chunk and returns its number of groups.
    std::size_t next() {
        begin();
        return finish();
    }

    // The next chunk of both.
    static void next(Merge& a, Merge& b, std::size_t& of_a, std::size_t& of_b) {
        a.begin(), b.begin();
        if (a.c_.safe_steps() > 0 && b.c_.safe_steps() > 0)
            with_order(std::min(a.least(), b.least()), std::max(a.greatest(), b.greatest()), [&](auto order) {
                auto x = a.c_.as(order), y = b.c_.as(order);
                while (const std::size_t steps = std::min(x.safe_steps(), y.safe_steps()))
                    for (std::size_t k = 0; k < steps; ++k) x.step(a.si, a.sj), y.step(b.si, b.sj);
                a.c_ = x.as(ByValue<T>{}), b.c_ = y.as(ByValue<T>{});
            });
        of_a = a.finish(), of_b = b.finish();
    }

private:
    template <class Order>
    struct Cursor {
        using Key = typename Order::Key;
        const Key *pos, *neg;
        std::size_t i, j, i_end, j_end, k = 0;
        Key before{};

        // How many steps cannot leave either sample or fill the chunk.
        std::size_t safe_steps() const { return std::min({i_end - i, j_end - j, most - k}); }

        // One row, or one of each class where they tie. No branch: how samples interleave is as good as random.
        CALIPERS_INLINE void step(std::int32_t* si, std::int32_t* sj) {
            const Key x = pos[i], y = neg[j], t = Order::least(x, y);
            k += Order::is_next(t, before);
            i += Order::at_most(x, y), j += Order::at_most(y, x);
            si[k] = static_cast<std::int32_t>(i), sj[k] = static_cast<std::int32_t>(j);
            before = t;
        }

        template <class Other>
        Cursor<Other> as(Other) const {
            using To = typename Other::Key;
            return {reinterpret_cast<const To*>(pos), reinterpret_cast<const To*>(neg),
                    i, j, i_end, j_end, k, bits<To>(before)};
        }

        void rest(const Key* v, std::size_t& at, std::size_t end, std::int32_t* moving, std::int32_t* still,
                  std::size_t other) {
            for (; at < end && k < most; ++at) {
                k += v[at] != before;
                before = v[at];
                moving[k] = static_cast<std::int32_t>(at + 1), still[k] = static_cast<std::int32_t>(other);
            }
        }
    };

    T least() const { return std::min(c_.pos[c_.i], c_.neg[c_.j]); }
    T greatest() const { return std::max(c_.pos[c_.i_end - 1], c_.neg[c_.j_end - 1]); }

    void begin() {
        c_.k = 0;
        c_.before = std::numeric_limits<T>::quiet_NaN();
        si[0] = static_cast<std::int32_t>(c_.i), sj[0] = static_cast<std::int32_t>(c_.j);
    }

    std::size_t finish() {
        if (c_.safe_steps() > 0)
            with_order(least(), greatest(), [&](auto order) {
                auto x = c_.as(order);
                while (const std::size_t steps = x.safe_steps())
                    for (std::size_t k = 0; k < steps; ++k) x.step(si, sj);
                c_ = x.as(ByValue<T>{});
            });
        Cursor<ByValue<T>> c = c_;
        if (c.j == c.j_end) c.rest(c.pos, c.i, c.i_end, si, sj, c.j);
        if (c.i == c.i_end) c.rest(c.neg, c.j, c.j_end, sj, si, c.i);
        while (c.i < c.i_end && c.pos[c.i] == c.before) ++c.i;
        while (c.j < c.j_end && c.neg[c.j] == c.before) ++c.j;
        // Vector loops read past the last group, where all groups must be empty.
        std::fill_n(si + c.k, padding + 1, static_cast<std::int32_t>(c.i));
        std::fill_n(sj + c.k, padding + 1, static_cast<std::int32_t>(c.j));
        c_ = c;
        return c.k;
    }

    Cursor<ByValue<T>> c_;
};

}  // namespace calipers
