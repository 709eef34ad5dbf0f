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

// A key with its positives and its other rows; aligned, so that none lies in two cache lines.
template <class K>
struct alignas(16) Counted {
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
    int shift;  // of a hash, which leaves an index of the slots

    explicit Tally(int bits) : slots(std::size_t{1} << bits), shift(64 - bits) {}

    // Whether there was room; `at` is the index of the key.
    CALIPERS_INLINE bool add(std::size_t at, K key, std::size_t other) {
        const std::size_t mask = slots.size() - 1;
        while (slots[at].key != key) {
            if (slots[at].rows() == 0) {
                if (++used_ > slots.size() / 2) return false;
                slots[at].key = key;
                break;
            }
            at = (at + 1) & mask;
        }
        ++slots[at].count[other];
        return true;
    }

    // Every key with its counts, ascending.
    std::vector<Counted<K>> sorted() const {
        std::vector<Counted<K>> out(used_ + 2), spare;  // the key 0 is not in `used_`: an empty slot matches it
        std::size_t k = 0;
        for (const auto& slot : slots) out[k] = slot, k += slot.rows() != 0;  // no branch: nothing could predict it
        out.resize(k);
        spare.resize(k);
        radix_sort(out.data(), k, spare.data());
        return out;
    }

private:
    std::size_t used_ = 0;
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

// The keys of scores, and their places in a table. With this factor, at most one in seven keys of rounded numbers and
// of random ones collides, in single precision too; with the golden ratio, one in five.
template <class T>
CALIPERS_CLONES void find_places(const T* scores, std::size_t n, int shift, Key<T>* keys, std::uint32_t* places) {
    for (std::size_t k = 0; k < n; ++k) {
        keys[k] = key_of(scores[k]);
        places[k] = static_cast<std::uint32_t>((std::uint64_t(keys[k]) * 0xC2B2AE3D27D4EB4Fu) >> shift);
    }
}

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
        std::uint32_t places[chunk_rows + ahead] = {};
        for (std::size_t at = begin; at < end && !full; at += chunk_rows) {
            const std::size_t n = std::min(chunk_rows, end - at);
            const T* scores = rows.scores.rows(at, n, spare);
            rows.truth.mark_others(at, n, other);
            find_places(scores, n, mine.shift, keys, places);
            // The table may be larger than the nearer caches: its lines are fetched some rows ahead.
            for (std::size_t k = 0; k < n; ++k) {
                __builtin_prefetch(&mine.slots[places[k + ahead]], 1);
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
    std::vector<std::vector<Counted<K>>> lists(idle.size());
    for_blocks(idle.size(), 1, [&](std::size_t t, std::size_t, std::size_t) { lists[t] = idle[t].sorted(); }, 2);
    for (const auto& list : lists) out = out.empty() ? list : added(out, list);
    return out;
}

}  // namespace calipers
