// Which bucket a score belongs to. Buckets rise with the score and hold about as many rows each, as a sample has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "keys.hpp"

namespace calipers {

constexpr std::size_t cell_count = 4096, most_buckets = 512;
constexpr int cell_bits = 12;

// Scores to equal ranges of one of three scales, whichever balances: the score itself, the bits of its distance to the
// nearer end of [0, 1] (close to its logit), the bits of the score (close to its logarithm). All rise with the score.
enum class Scale { linear, logit, bits };

template <class T>
struct Cells {
    using K = Key<T>;
    Scale scale;
    std::uint32_t count;
    K low = 0;
    int shift = 0;
    T origin = 0, factor = 0;

    Cells(Scale scale, T first, T last, int bits = cell_bits) : scale(scale), count(std::uint32_t{1} << bits) {
        if (scale == Scale::linear) {
            origin = first, factor = T(count) / (last - first);
        } else {
            low = place(first);
            shift = std::max(0, bit_length(static_cast<K>(place(last) - low)) - bits);
        }
    }

    bool suits(T first, T last) const {
        if (scale == Scale::logit) return first >= 0 && last <= 1;
        return scale == Scale::bits || (factor > 0 && factor < std::numeric_limits<T>::max());
    }

    CALIPERS_INLINE K place(T x) const { return scale == Scale::bits ? key_of(x) : logit_place(x); }

    static CALIPERS_INLINE K logit_place(T x) {
        x = x > 0 ? x : 0, x = x < 1 ? x : 1;
        const K near = bits<K>(x < T(0.5) ? x : 1 - x);
        return x < T(0.5) ? near : static_cast<K>(top_bit<K> - near);
    }
};

template <class T, class Cell>
CALIPERS_CLONES void cells_of(const Cells<T>& by, const T* rows, std::size_t n, Cell* __restrict out) {
    using K = Key<T>;
    const K last = by.count - 1;
    if (by.scale == Scale::linear) {
        const T origin = by.origin, factor = by.factor, most = T(last);
        for (std::size_t k = 0; k < n; ++k) {
            T x = (rows[k] - origin) * factor;
            x = x > 0 ? x : 0, x = x < most ? x : most;  // NaN becomes 0
            out[k] = static_cast<Cell>(static_cast<std::int32_t>(x));
        }
        return;
    }
    const K low = by.low;
    const int shift = by.shift;
    const auto all = [&](auto place) {
        for (std::size_t k = 0; k < n; ++k) {
            const K p = place(rows[k]), d = (p > low ? p - low : K(0)) >> shift;
            out[k] = static_cast<Cell>(d < last ? d : last);
        }
    };
    if (by.scale == Scale::bits)
        all([](T x) { return key_of(x); });
    else
        all([](T x) { return Cells<T>::logit_place(x); });
}

// A table over cells; then, where no scale balances, a binary search of `steps` steps among the keys where buckets begin.
template <class T>
class Buckets {
public:
    using K = Key<T>;
    std::size_t count = 1;

    // The sample ascends and has no NaN.
    Buckets(const std::vector<T>& sample, std::size_t wanted) {
        wanted = std::min(wanted, most_buckets);
        if (wanted < 2 || sample.empty()) return;
        const std::size_t share = sample.size() / wanted + 1;
        for (const Scale scale : {Scale::linear, Scale::logit, Scale::bits}) {
            by_ = Cells<T>(scale, sample.front(), sample.back());
            if (by_.suits(sample.front(), sample.back()) && largest(sample, share) <= 4 * share) return;
        }
        cut_by_value(sample, wanted);
    }

    // The bucket of each row, n at most `most_rows`.
    static constexpr std::size_t most_rows = 1024;
    void of(const T* rows, std::size_t n, std::uint16_t* out) const {
        if (count == 1) {
            std::fill_n(out, n, std::uint16_t{0});
            return;
        }
        K cells[most_rows];
        cells_of(by_, rows, n, cells);
        for (std::size_t k = 0; k < n; ++k) out[k] = table_[cells[k]];
        if (steps_ == 0) return;
        for (std::size_t k = 0; k < n; ++k) {
            const K key = key_of(rows[k]);
            std::size_t at = out[k];
            for (std::size_t step = (std::size_t{1} << steps_) >> 1; step > 0; step >>= 1)
                at += key >= begins_[at + step - 1] ? step : 0;
            out[k] = static_cast<std::uint16_t>(std::min(at, count - 1));  // a NaN may lie beyond the padding
        }
    }

private:
    // Fills the table by cells alone; returns the rows of the sample in the largest bucket that needs sorting: one that
    // holds a single value does not.
    std::size_t largest(const std::vector<T>& sample, std::size_t share) {
        std::vector<K> cells(sample.size());
        cells_of(by_, sample.data(), sample.size(), cells.data());
        std::size_t most = 0, rows = 0, bucket = 0, k = 0;
        for (std::size_t cell = 0; cell < cell_count; ++cell) {
            const std::size_t before = k;
            while (k < cells.size() && cells[k] == cell) ++k;
            if (rows > 0 && rows + (k - before) > share) ++bucket, rows = 0;  // a heavy cell stands alone
            rows += k - before;
            if (k > before && sample[before] != sample[k - 1]) most = std::max(most, rows);
            table_[cell] = static_cast<std::uint16_t>(bucket);
        }
        count = bucket + 1;
        return most;
    }

    // By bits, with a bucket of its own for a value that fills one: there is nothing to sort in it.
    void cut_by_value(const std::vector<T>& sample, std::size_t wanted) {
        begins_.clear();
        for (std::size_t q = 1; q < wanted; ++q) {
            const K key = key_of(sample[q * sample.size() / wanted]);
            if (begins_.empty() || begins_.back() < key)
                begins_.push_back(key);
            else if (begins_.back() == key)
                begins_.push_back(key + 1);
        }
        count = begins_.size() + 1;
        const auto before = [&](std::size_t cell) -> std::size_t {
            if (cell == 0 || cell == cell_count) return cell ? begins_.size() : 0;
            const K away = K(cell) << by_.shift, key = away > K(~by_.low) ? K(~K{0}) : K(by_.low + away);
            return static_cast<std::size_t>(std::lower_bound(begins_.begin(), begins_.end(), key) - begins_.begin());
        };
        std::size_t widest = 0;
        for (std::size_t cell = 0; cell < cell_count; ++cell) {
            table_[cell] = static_cast<std::uint16_t>(before(cell));
            widest = std::max(widest, before(cell + 1) - before(cell));
        }
        steps_ = bit_length(widest);
        begins_.resize(begins_.size() + (std::size_t{1} << steps_), K(~K{0}));
    }

    Cells<T> by_{Scale::bits, T(0), T(0)};
    int steps_ = 0;
    std::vector<K> begins_;
    std::uint16_t table_[cell_count] = {};
};

}  // namespace calipers
