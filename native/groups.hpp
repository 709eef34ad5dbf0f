// Distinct values in ascending order, with how many positives and negatives have each: what two samples of few distinct
// values are, without their rows. A walk over them has the blocks and the chunks of a walk over the rows, and so its bits.
#pragma once

#include <algorithm>
#include <vector>

#include "merge.hpp"

namespace calipers {

template <class T>
class Groups {
public:
    std::size_t positives = 0, negatives = 0;

    Groups(const View& values, const View& pos, const View& neg)
        : values_(values.dense<T>()), count_(values.n), i_(count_ + 1), j_(count_ + 1) {
        if (pos.n != count_ || neg.n != count_) throw nb::value_error("values and counts differ in length");
        const auto *p = counts(pos), *n = counts(neg);
        for (std::size_t g = 0; g < count_; ++g) {
            positives += p[g], negatives += n[g];
            if (size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
                throw std::overflow_error("a walk takes at most 2**31 - 1 rows");
            i_[g + 1] = static_cast<std::int32_t>(positives), j_[g + 1] = static_cast<std::int32_t>(negatives);
        }
    }

    std::size_t size() const { return positives + negatives; }
    State end() const { return {positives, negatives}; }
    bool at_end(State s) const { return s.i == positives && s.j == negatives; }
    T value(State s) const { return at_rank(s.i + s.j); }
    T at_rank(std::size_t rank) const { return values_[of_rank(rank)]; }
    State below(T t) const { return state(place(std::lower_bound(values_, values_ + count_, t))); }
    State through(T t) const { return state(place(std::upper_bound(values_, values_ + count_, t))); }
    State group_of(std::size_t rank) const { return rank >= size() ? end() : state(of_rank(rank)); }

    // The values of the i-th positive and of the j-th negative.
    T positive(std::size_t i) const { return values_[holding(i_, i)]; }
    T negative(std::size_t j) const { return values_[holding(j_, j)]; }

    // The states of the next groups of [from, to), as many as a chunk has, which is then after them.
    std::size_t next(State& from, State to, std::int32_t* si, std::int32_t* sj) const {
        using Chunk = Merge<T>;
        const std::size_t first = of_rank(from.i + from.j);
        const std::size_t last = to.i + to.j == size() ? count_ : of_rank(to.i + to.j);
        const std::size_t groups = std::min(Chunk::most, last - first);
        std::copy_n(&i_[first], groups + 1, si), std::copy_n(&j_[first], groups + 1, sj);
        std::fill_n(si + groups, Chunk::padding + 1, i_[first + groups]);
        std::fill_n(sj + groups, Chunk::padding + 1, j_[first + groups]);
        from = state(first + groups);
        return groups;
    }

private:
    static const std::uint32_t* counts(const View& view) {
        if (!view.holds<std::uint32_t>()) view.fail(" must be uint32");
        return view.dense<std::uint32_t>();
    }
    std::size_t place(const T* at) const { return static_cast<std::size_t>(at - values_); }
    State state(std::size_t g) const { return {static_cast<std::size_t>(i_[g]), static_cast<std::size_t>(j_[g])}; }

    // The group that holds the row at `rank`: the last one that begins at or before it. No group is empty.
    std::size_t of_rank(std::size_t rank) const {
        std::size_t low = 0, high = count_;
        while (high - low > 1) {
            const std::size_t mid = low + (high - low) / 2, begin = state(mid).i + state(mid).j;
            (begin <= rank ? low : high) = mid;
        }
        return low;
    }
    static std::size_t holding(const std::vector<std::int32_t>& ends, std::size_t row) {
        const auto after = std::upper_bound(ends.begin(), ends.end(), static_cast<std::int32_t>(row));
        return static_cast<std::size_t>(after - ends.begin()) - 1;
    }

    const T* values_;
    std::size_t count_;
    std::vector<std::int32_t> i_, j_;  // the states before each group, and the end
};

}  // namespace calipers
