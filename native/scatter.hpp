// Rows scattered by class and value into buckets that fit the cache, and each bucket sorted there.
#pragma once

#include <optional>
#include <vector>

#include "buckets.hpp"
#include "pages.hpp"
#include "parallel.hpp"
#include "radix.hpp"
#include "sort.hpp"

namespace calipers {

constexpr std::size_t bucket_rows = 4096;      // of both classes
constexpr std::size_t one_bucket = 1 << 15;    // fewer rows fit the cache as they are
constexpr std::size_t blocks_at_most = 256;    // each has a place to write for every part

// Rows from hashed places in strata of equal size: a plain stride would meet periodic data in step.
template <class T>
struct Sample {
    std::vector<T> values;  // ascending, without NaN
    bool ordered = true;    // whether they ascended or descended as they came
    std::size_t distinct = 0, once = 0, twice = 0;  // how many values there are, and how many occur once and twice

    Sample(const Column<T>& scores, std::size_t size) {
        std::vector<Key<T>> keys;
        keys.reserve(size);
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t begin = k * scores.n / size, end = (k + 1) * scores.n / size;
            const std::uint64_t hash = (k + 1) * 0x9E3779B97F4A7C15u;
            const T value = scores[begin + (hash >> 33) % (end - begin)];
            if (value == value) keys.push_back(key_of(value));
        }
        if (keys.empty()) return;
        const Span<Key<T>> span = span_of(keys.data(), keys.size());
        ordered = !(span.rises && span.falls);
        std::vector<Key<T>> spare(keys.size());
        radix_sort(keys.data(), keys.size(), spare.data());
        values.reserve(keys.size());
        for (const Key<T> key : keys) values.push_back(value_of<T>(key));
        for (std::size_t k = 0, times = 1; k < keys.size(); ++k, ++times)
            if (k + 1 == keys.size() || keys[k] != keys[k + 1]) ++distinct, once += times == 1, twice += times == 2, times = 0;
    }

    // How many values all rows have at least, by Chao (1984); 0: too many for the sample to say.
    std::size_t likely_values() const {
        if (values.size() < 512 || values.size() - distinct < 32) return 0;
        return distinct + once * (once - std::min<std::size_t>(once, 1)) / (2 * (twice + 1));
    }

    T median() const { return values.empty() ? -std::numeric_limits<T>::infinity() : values[values.size() / 2]; }
};

template <class T>
CALIPERS_CLONES std::size_t count_nans(const T* s, std::size_t n) {
    Key<T> nans = 0;
    for (std::size_t k = 0; k < n; ++k) nans += Key<T>(s[k] != s[k]);
    return nans;
}

// The items of n rows from row `at` on: keys alone, with the weights of the rows, or with their numbers.
template <class T>
CALIPERS_CLONES void make_items(const T* scores, const double*, std::size_t, std::size_t n, Key<T>* __restrict out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = key_of(scores[k]);
}
template <class T>
CALIPERS_CLONES void make_items(const T* scores, const double* weights, std::size_t at, std::size_t n,
                                Weighted<Key<T>>* __restrict out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = {key_of(scores[k]), weights[at + k]};
}
template <class T>
CALIPERS_CLONES void make_items(const T* scores, const double*, std::size_t at, std::size_t n,
                                Numbered<Key<T>>* __restrict out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = {key_of(scores[k]), at + k};
}

// Where the rows of a bucket's class stand among the items. Rows of weight 0 are the last part, after all others.
struct Places {
    std::vector<std::size_t> begins, counts;
};

// Scatters the rows to `items`, by class and then by bucket, each part in the order of the rows.
template <class T, class Item>
Places scatter(const ScoredRows<T>& rows, const double* weights, const Buckets<T>& buckets, Item* items,
               Split<T>& found) {
    const std::size_t n = rows.scores.n, parts = 2 * buckets.count + 1;
    const std::size_t block = std::max(std::size_t{1} << 15, block_count(n, blocks_at_most * chunk_rows) * chunk_rows);
    const auto ids = pages<std::uint16_t>(n);
    std::vector<std::size_t> places(block_count(n, block) * parts);
    std::vector<Split<T>> facts(block_count(n, block));
    for_blocks(n, block, [&](std::size_t b, std::size_t begin, std::size_t end) {
        T spare[chunk_rows];
        std::int32_t other[chunk_rows];
        // Two counters for each part: rows of one part often follow each other, and would wait for the last sum.
        std::vector<std::uint32_t> counts(2 * parts);
        std::uint32_t *even = counts.data(), *odd = even + parts;
        for (std::size_t at = begin; at < end; at += chunk_rows) {
            const std::size_t m = std::min(chunk_rows, end - at);
            const T* scores = rows.scores.rows(at, m, spare);
            if (const std::size_t nans = count_nans(scores, m)) facts[b].nans += nans, facts[b].note_nans(scores, m, at);
            std::uint16_t* id = ids.get() + at;
            rows.truth.mark_others(at, m, other);
            buckets.of(scores, m, id);
            for (std::size_t k = 0; k < m; ++k) id[k] = static_cast<std::uint16_t>(2 * id[k] - other[k]);
            if (weights != nullptr)
                for (std::size_t k = 0; k < m; ++k)
                    id[k] = weights[at + k] == 0 ? static_cast<std::uint16_t>(parts - 1) : id[k];
            std::size_t k = 0;
            for (; k + 2 <= m; k += 2) ++even[id[k]], ++odd[id[k + 1]];
            if (k < m) ++even[id[k]];
        }
        for (std::size_t p = 0; p < parts; ++p) places[b * parts + p] = std::size_t{even[p]} + odd[p];
    });
    Places out{std::vector<std::size_t>(parts), std::vector<std::size_t>(parts)};
    std::size_t at = 0;
    const auto lay = [&](std::size_t p) {
        out.begins[p] = at;
        for (std::size_t b = 0; b < facts.size(); ++b) {
            const std::size_t count = places[b * parts + p];
            places[b * parts + p] = at, at += count;
        }
        out.counts[p] = at - out.begins[p];
    };
    for (std::size_t other = 0; other < 2; ++other)
        for (std::size_t p = other; p + 1 < parts; p += 2) lay(p);
    lay(parts - 1);
    for_blocks(n, block, [&](std::size_t b, std::size_t begin, std::size_t end) {
        T spare[chunk_rows];
        Item chunk[chunk_rows];
        std::size_t* place = &places[b * parts];
        for (std::size_t at = begin; at < end; at += chunk_rows) {
            const std::size_t m = std::min(chunk_rows, end - at);
            make_items(rows.scores.rows(at, m, spare), weights, at, m, chunk);
            const std::uint16_t* id = ids.get() + at;
            for (std::size_t k = 0; k < m; ++k) items[place[id[k]]++] = chunk[k];
        }
    });
    for (const Split<T>& fact : facts) {
        if (found.first_nan < 0) found.first_nan = fact.first_nan;
        found.nans += fact.nans;
    }
    return out;
}

// Sorts each part and hands it to `emit(begin, items, count)` while it is in the cache.
template <class Item, class F>
void sort_parts(Item* items, const Places& places, std::size_t rows, const F& emit) {
    const std::size_t buckets = places.begins.size() / 2;
    const std::size_t together = std::max<std::size_t>(1, buckets / 64);  // one spare room for several
    const auto sort = [&](std::size_t, std::size_t begin, std::size_t end) {
        std::size_t most = 0;
        for (std::size_t p = 2 * begin; p < 2 * end; ++p) most = std::max(most, places.counts[p]);
        const auto spare = pages<Item>(most);
        for (std::size_t p = 2 * begin; p < 2 * end; ++p) {
            radix_sort(items + places.begins[p], places.counts[p], spare.get());
            emit(places.begins[p], items + places.begins[p], places.counts[p]);
        }
    };
    for_blocks(buckets, together, sort, rows < threaded_rows ? buckets + 1 : 0);
}

inline std::size_t buckets_for(std::size_t n) { return n < one_bucket ? 1 : std::min(n / bucket_rows, most_buckets); }

template <class T>
std::optional<Sample<T>> sample_for(const Column<T>& scores) {
    const std::size_t wanted = buckets_for(scores.n);
    if (wanted < 2) return std::nullopt;
    return Sample<T>(scores, std::max<std::size_t>(1024, wanted * 16));
}

}  // namespace calipers
