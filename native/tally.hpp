// Scores of few distinct values (rounded, float16, leaves of trees) are counted by value and class, not sorted.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "keys.hpp"
#include "parallel.hpp"
#include "radix.hpp"
#include "split.hpp"

namespace calipers {

// A key with its positives and its other rows.
template <class K>
struct Counted {
    K key;
    std::uint32_t count[2];
    std::uint32_t rows() const { return count[0] + count[1]; }
};
template <class K>
CALIPERS_INLINE K key_in(const Counted<K>& item) {
    return item.key;
}

// Counts by key and class in open addressing, at most half full.
template <class K>
class Tally {
public:
    std::vector<Counted<K>> slots;

    explicit Tally(int bits) : slots(std::size_t{1} << bits), shift_(64 - bits) {}

    CALIPERS_INLINE std::size_t place(K key) const { return (std::uint64_t(key) * 0x9E3779B97F4A7C15u) >> shift_; }

    // Whether there was room; `at` is the key's place.
    CALIPERS_INLINE bool add(std::size_t at, K key, std::size_t other, std::uint32_t rows = 1) {
        const std::size_t mask = slots.size() - 1;
        while (slots[at].key != key) {
            if (slots[at].rows() == 0) {
                if (++used_ > slots.size() / 2) return false;
                slots[at].key = key;
                break;
            }
            at = (at + 1) & mask;
        }
        slots[at].count[other] += rows;
        return true;
    }

private:
    int shift_;
    std::size_t used_ = 0;
};

// A sample of m rows with `seen` distinct values: how many values all rows have, going by how often two rows of the
// sample are equal. 0: too many to count.
inline std::size_t likely_values(std::size_t m, std::size_t seen) {
    return m < 512 || m - seen < 32 ? 0 : std::max(seen, m * m / (2 * (m - seen)));
}

// Distinct keys ascending with their counts; empty where there are more than some `values`, or too many rows to count
// in 32 bits. Threads count into tables of their own, which are added: integers, so in any order.
template <class T>
std::vector<Counted<Key<T>>> tally(const ScoredRows<T>& rows, std::size_t values) {
    using K = Key<T>;
    constexpr std::size_t block = std::size_t{1} << 17, ahead = 16;
    std::vector<Counted<K>> out;
    if (rows.scores.n > std::numeric_limits<std::uint32_t>::max()) return out;
    const int bits = bit_length(2 * values + 16);
    std::vector<Tally<K>> idle;
    std::mutex guard;
    std::atomic<bool> full{false};
    for_blocks(rows.scores.n, block, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (full) return;
        std::unique_lock<std::mutex> lock(guard);
        if (idle.empty()) idle.emplace_back(bits);
        Tally<K> mine = std::move(idle.back());
        idle.pop_back();
        lock.unlock();
        T spare[chunk_rows];
        std::int32_t other[chunk_rows];
        K keys[chunk_rows];
        std::size_t places[chunk_rows];
        for (std::size_t at = begin; at < end && !full; at += chunk_rows) {
            const std::size_t n = std::min(chunk_rows, end - at);
            const T* scores = rows.scores.rows(at, n, spare);
            rows.truth.mark_others(at, n, other);
            for (std::size_t k = 0; k < n; ++k) keys[k] = key_of(scores[k]), places[k] = mine.place(keys[k]);
            // The table may be larger than the nearer caches: its lines are fetched some rows ahead.
            for (std::size_t k = 0; k < n; ++k) {
                __builtin_prefetch(&mine.slots[places[std::min(k + ahead, n - 1)]], 1);
                if (!mine.add(places[k], keys[k], static_cast<std::size_t>(other[k] & 1))) {
                    full = true;
                    break;
                }
            }
        }
        lock.lock();
        idle.push_back(std::move(mine));
    });
    if (full) return out;
    for (std::size_t t = 1; t < idle.size(); ++t)
        for (const auto& slot : idle[t].slots)
            for (std::size_t other = 0; other < 2; ++other)
                if (slot.count[other] && !idle[0].add(idle[0].place(slot.key), slot.key, other, slot.count[other])) return out;
    for (const auto& slot : idle[0].slots)
        if (slot.rows()) out.push_back(slot);
    std::vector<Counted<K>> spare(out.size());
    radix_sort(out.data(), out.size(), spare.data());
    return out;
}

}  // namespace calipers
