// Scores of few distinct values (rounded, float16, leaves of trees) are counted by value and class, not sorted.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "buckets.hpp"
#include "parallel.hpp"
#include "radix.hpp"
#include "split.hpp"

namespace calipers {

// Where a table has its keys: in the order of their scores, if the values of a sample hardly collide there, else by a hash.
// Rounded scores and float16 do not collide in their order; the table may then be fuller, and needs no sorting.
template <class T>
class Placing {
public:
    static constexpr int most_bits = 16;  // of the size of a table: a larger one would leave the cache

    // The sample ascends and has no NaN; values: how many all rows may have.
    Placing(const std::vector<T>& sample, std::size_t distinct, std::size_t values)
        : low_(sample.front()), high_(sample.back()), bits_(bits_for(values * 3 / 2)) {
        std::vector<std::uint32_t> cells(sample.size());
        for (const Scale scale : {Scale::linear, Scale::logit, Scale::bits}) {
            const Cells<T> by(scale, low_, high_, bits_);
            if (!by.suits(low_, high_)) continue;
            cells_of(by, sample.data(), sample.size(), cells.data());
            std::size_t collisions = 0;
            for (std::size_t k = 1; k < cells.size(); ++k)
                collisions += cells[k - 1] == cells[k] && sample[k - 1] != sample[k];
            if (collisions > distinct * distinct / (std::size_t{16} << bits_)) continue;  // an eighth of what chance gives
            cells_ = by;
            return;
        }
        bits_ = bits_for(values * 3);
    }

    // Up to how many keys a table is fast, with room for those of a chunk.
    std::size_t most_keys() const { return (std::size_t{1} << bits_) / 16 * (cells_ ? 12 : 8); }
    int bits() const { return bits_; }
    bool by_hash() const { return !cells_; }
    Placing larger() const { return {*this, bits_ + 1, cells_.has_value()}; }
    Placing hashed() const { return {*this, most_bits, false}; }

    void find(const T* scores, std::size_t n, Key<T>* keys, std::uint32_t* places) const {
        if (cells_) {
            make_keys(scores, n, keys);
            cells_of(*cells_, scores, n, places);
        } else {
            hash(scores, n, 64 - bits_, keys, places);
        }
    }

private:
    Placing(const Placing& old, int bits, bool ordered) : low_(old.low_), high_(old.high_), bits_(bits) {
        if (ordered) cells_.emplace(old.cells_->scale, low_, high_, bits);
    }

    static int bits_for(std::size_t keys) { return std::min(most_bits, bit_length(std::max(keys, 4 * chunk_rows - 1))); }

    static CALIPERS_CLONES void make_keys(const T* scores, std::size_t n, Key<T>* __restrict keys) {
        for (std::size_t k = 0; k < n; ++k) keys[k] = key_of(scores[k]);
    }

    // With this factor, at most one in seven keys of random numbers collides, in single precision too; with the golden
    // ratio, one in five.
    static CALIPERS_CLONES void hash(const T* scores, std::size_t n, int shift, Key<T>* __restrict keys,
                                     std::uint32_t* __restrict places) {
        for (std::size_t k = 0; k < n; ++k) {
            keys[k] = key_of(scores[k]);
            places[k] = static_cast<std::uint32_t>((std::uint64_t(keys[k]) * 0xC2B2AE3D27D4EB4Fu) >> shift);
        }
    }

    T low_, high_;
    int bits_;
    std::optional<Cells<T>> cells_;
};

// Counts by key and class in open addressing.
template <class T>
class Tally {
public:
    using K = Key<T>;

    explicit Tally(const Placing<T>& placing) : placing_(placing), slots_((std::size_t{1} << placing.bits()) + next_places) {}

    // Whether there was room; n is at most chunk_rows.
    bool add(const T* scores, const std::int32_t* other, std::size_t n) {
        const bool runs = !placing_.by_hash() && steps_ > chunk_rows + rows_ / 4;  // too long ones, of keys in order
        if (used_ >= placing_.most_keys() || runs) {
            if (!runs && placing_.bits() == Placing<T>::most_bits) return false;
            move_to(runs ? placing_.hashed() : placing_.larger());
        }
        K keys[chunk_rows];
        std::uint32_t places[chunk_rows + ahead];
        placing_.find(scores, n, keys, places);
        std::fill_n(places + n, ahead, 0);
        if (placing_.by_hash())
            count_hashed(keys, places, other, n);
        else
            count_ordered(keys, places, other, n);
        rows_ += n;
        return true;
    }

    // Every key with its counts, ascending.
    std::vector<Counted<K>> sorted() const {
        std::vector<Counted<K>> out(used_ + 2);  // the key 0 is not in `used_`: an empty slot matches it
        std::size_t k = 0;
        for (const auto& slot : slots_) out[k] = slot, k += slot.rows() != 0;  // no branch: nothing could predict it
        out.resize(k);
        if (span_of(out.data(), k).falls) radix_sort(out.data(), k, std::vector<Counted<K>>(k).data());
        return out;
    }

private:
    static constexpr std::size_t ahead = 16, next_places = 2;

    // The table may be larger than the nearer caches: its lines are fetched some rows ahead.
    void count_ordered(const K* keys, const std::uint32_t* places, const std::int32_t* other, std::size_t n) {
        Counted<K>* const slots = slots_.data();
        for (std::size_t k = 0; k < n; ++k) {
            __builtin_prefetch(&slots[places[k + ahead]], 1);
            Counted<K>* slot = &slots[places[k]];
            if (__builtin_expect(slot->key != keys[k], 0)) slot = search(slot, keys[k]);
            ++slot->count[other[k] & 1];
        }
    }

    // A hashed key is often not in its place but in one of the next two, and no branch could predict in which: rows that
    // are not in their place are listed, then those that are not in the next one.
    void count_hashed(const K* keys, const std::uint32_t* places, const std::int32_t* other, std::size_t n) {
        Counted<K>* const slots = slots_.data();
        std::uint16_t left[chunk_rows];
        std::size_t count = 0;
        const auto look = [&](std::size_t k, std::size_t step) {
            Counted<K>& slot = slots[places[k] + step];
            const bool found = slot.key == keys[k];
            slot.count[other[k] & 1] += found;
            left[count] = static_cast<std::uint16_t>(k), count += !found;
        };
        for (std::size_t k = 0; k < n; ++k) {
            __builtin_prefetch(&slots[places[k + ahead]], 1);
            look(k, 0);
        }
        for (std::size_t step = 1; step <= next_places; ++step) {
            const std::size_t listed = std::exchange(count, 0);
            for (std::size_t i = 0; i < listed; ++i) look(left[i], step);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = left[i];
            ++search(&slots[places[k]], keys[k])->count[other[k] & 1];
        }
    }

    // The slot of a key, from its place on.
    [[gnu::noinline]] Counted<K>* search(Counted<K>* at, K key) {
        for (; at->key != key; ++steps_) {
            if (at->rows() == 0) {
                at->key = key, ++used_;
                break;
            }
            if (++at == slots_.data() + slots_.size()) at = slots_.data();
        }
        return at;
    }

    void move_to(const Placing<T>& placing) {
        Tally to(placing);
        Counted<K> items[chunk_rows];
        T values[chunk_rows];
        K keys[chunk_rows];
        std::uint32_t places[chunk_rows];
        for (std::size_t at = 0; at < slots_.size();) {
            std::size_t n = 0;
            for (; at < slots_.size() && n < chunk_rows; ++at)
                items[n] = slots_[at], values[n] = value_of<T>(items[n].key), n += items[n].rows() != 0;
            placing.find(values, n, keys, places);
            for (std::size_t k = 0; k < n; ++k)
                std::copy_n(items[k].count, 2, to.search(&to.slots_[places[k]], keys[k])->count);
        }
        to.rows_ = rows_;
        *this = std::move(to);
    }

    Placing<T> placing_;
    std::vector<Counted<K>> slots_;  // more than there are places: each has its next ones
    std::size_t used_ = 0, steps_ = 0, rows_ = 0;
};

// The counts of two ascending lists, added by key.
template <class K>
std::vector<Counted<K>> added(const std::vector<Counted<K>>& a, const std::vector<Counted<K>>& b) {
    std::vector<Counted<K>> out;
    out.reserve(a.size() + b.size());
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        const auto &x = a[i], &y = b[j];
        if (x.key == y.key)
            out.push_back({x.key, {x.count[0] + y.count[0], x.count[1] + y.count[1]}}), ++i, ++j;
        else
            out.push_back(x.key < y.key ? a[i++] : b[j++]);
    }
    out.insert(out.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
    out.insert(out.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
    return out;
}

// Distinct keys ascending with their counts; empty where there are more than a table takes, or too many rows to count
// in 32 bits. Threads count into tables of their own, which are added: integers, so in any order.
template <class T>
std::vector<Counted<Key<T>>> tally(const ScoredRows<T>& rows, const Placing<T>& placing) {
    constexpr std::size_t block = std::size_t{1} << 15;
    std::vector<Counted<Key<T>>> out;
    if (rows.scores.n > std::numeric_limits<std::uint32_t>::max()) return out;
    std::vector<Tally<T>> idle;
    std::mutex guard;
    std::atomic<bool> full{false};
    for_blocks(rows.scores.n, block, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (full) return;
        std::unique_lock<std::mutex> lock(guard);
        if (idle.empty()) idle.emplace_back(placing);
        Tally<T> mine = std::move(idle.back());
        idle.pop_back();
        lock.unlock();
        T spare[chunk_rows];
        std::int32_t other[chunk_rows];
        for (std::size_t at = begin; at < end && !full; at += chunk_rows) {
            const std::size_t n = std::min(chunk_rows, end - at);
            rows.truth.mark_others(at, n, other);
            if (!mine.add(rows.scores.rows(at, n, spare), other, n)) full = true;
        }
        lock.lock();
        idle.push_back(std::move(mine));
    });
    if (full) return out;
    std::vector<std::vector<Counted<Key<T>>>> lists(idle.size());
    for_blocks(idle.size(), 1, [&](std::size_t t, std::size_t, std::size_t) { lists[t] = idle[t].sorted(); }, 2);
    for (auto& list : lists) out = out.empty() ? std::move(list) : added(out, list);
    return out;
}

}  // namespace calipers
