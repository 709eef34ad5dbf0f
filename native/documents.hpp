// The documents of one query: brought into order, ties broken, graded, and searched for one that comes twice.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "ids.hpp"

namespace calipers {

inline std::uint64_t descending(double score) {
    const double plain = score == 0 ? 0.0 : score;  // -0 and 0 are one score
    std::uint64_t bits;
    std::memcpy(&bits, &plain, 8);
    return bits >> 63 ? bits : ~(bits | std::uint64_t{1} << 63);
}

// A row of the run. They are laid side by side by query, so that everything after it reads memory from front to back.
struct Document {
    std::uint64_t key;  // the falling score
    std::uint32_t hash, row;
};

// The places 0 .. n - 1 by key, places that share one in their order: by the upper half of the keys, which nearly always
// tells them apart, and byte by byte where they are many; then by the rest. The place is the lower half of an item.
inline void sort_places(const Document* documents, std::size_t n, std::vector<std::uint64_t>& items,
                 std::vector<std::uint64_t>& spare) {
    constexpr std::uint64_t upper = ~std::uint64_t{0xFFFFFFFF};
    items.resize(std::max(items.size(), n)), spare.resize(std::max(spare.size(), n));
    for (std::size_t i = 0; i < n; ++i) items[i] = (documents[i].key & upper) | i;
    if (n < 256) {
        std::sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n));
    } else {
        std::uint32_t counts[4][256] = {};
        for (std::size_t i = 0; i < n; ++i)
            for (int b = 0; b < 4; ++b) ++counts[b][items[i] >> (32 + 8 * b) & 255];
        std::uint64_t *from = items.data(), *to = spare.data();
        for (int b = 0; b < 4; ++b) {
            if (counts[b][from[0] >> (32 + 8 * b) & 255] == n) continue;
            std::uint32_t at = 0;
            for (auto& count : counts[b]) at += std::exchange(count, at);
            for (std::size_t i = 0; i < n; ++i) to[counts[b][from[i] >> (32 + 8 * b) & 255]++] = from[i];
            std::swap(from, to);
        }
        if (from != items.data()) items.swap(spare);
    }
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && (items[end] & upper) == (items[begin] & upper);) ++end;
        if (end - begin > 1)
            std::sort(items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](std::uint64_t a, std::uint64_t b) {
                          const std::uint64_t x = documents[a & ~upper].key, y = documents[b & ~upper].key;
                          return x != y ? x < y : a < b;
                      });
        for (std::size_t i = begin; i < end; ++i) items[i] &= ~upper;
    }
}

// Finds out whether two rows of a query have one id. A bit for each fingerprint, in a table with room for many times more
// of them, tells the few rows that may: these are sorted by their fingerprints, and equal ones compared letter by letter.
class Repeats {
public:
    // The first of n rows whose id one before it has, or -1.
    std::int64_t find(const Document* documents, std::size_t n, const Ids& ids) {
        int shift = 22;
        while (shift > 0 && (std::size_t{1} << (32 - shift)) < 64 * n) --shift;
        seen_.assign((std::size_t{1} << (32 - shift)) / 64, 0), again_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t bit = documents[i].hash >> shift;
            std::uint64_t& word = seen_[bit >> 6];
            if (word >> (bit & 63) & 1) again_.push_back(bit);
            word |= std::uint64_t{1} << (bit & 63);
        }
        return again_.empty() ? -1 : compare(documents, n, ids, shift);
    }

private:
    std::int64_t compare(const Document* documents, std::size_t n, const Ids& ids, int shift) {
        std::fill(seen_.begin(), seen_.end(), 0);
        for (const std::uint32_t bit : again_) seen_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
        doubtful_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t bit = documents[i].hash >> shift;
            if (seen_[bit >> 6] >> (bit & 63) & 1) doubtful_.emplace_back(documents[i].hash, static_cast<std::uint32_t>(i));
        }
        std::sort(doubtful_.begin(), doubtful_.end());
        std::size_t first = n;
        for (std::size_t i = 1; i < doubtful_.size(); ++i)
            for (std::size_t j = i; j-- > 0 && doubtful_[j].first == doubtful_[i].first && doubtful_[i].second < first;)
                if (ids.same(documents[doubtful_[i].second].row, ids, documents[doubtful_[j].second].row))
                    first = doubtful_[i].second;
        return first == n ? -1 : static_cast<std::int64_t>(documents[first].row);
    }

    std::vector<std::uint64_t> seen_;
    std::vector<std::uint32_t> again_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> doubtful_;  // fingerprint and place
};

// Tied places by falling id: by its first letters, and by the rest where these are equal. Where gains
// are given, ties without one are left as they are: it does not matter which of them stands where.
inline void break_ties(std::uint64_t* places, std::size_t n, const Document* documents, const Ids& ids, const double* gains,
                std::vector<std::pair<std::uint64_t, std::uint64_t>>& spare) {
    const auto key = [&](std::size_t i) { return documents[places[i]].key; };
    const auto row = [&](std::uint64_t place) { return documents[place].row; };
    const auto graded = [&](std::uint64_t place) { return !gains || gains[place] == gains[place]; };
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && key(end) == key(begin);) ++end;
        if (end - begin < 2 || std::none_of(places + begin, places + end, graded)) continue;
        spare.clear();
        for (std::size_t i = begin; i < end; ++i) ids.fetch(row(places[i]));
        for (std::size_t i = begin; i < end; ++i) spare.emplace_back(ids.prefix(row(places[i])), places[i]);
        std::sort(spare.begin(), spare.end(), [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : ids.less(row(b.second), row(a.second));
        });
        for (std::size_t i = begin; i < end; ++i) places[i] = spare[i - begin].second;
    }
}

// Judgements by query: their rows, the fingerprints of their ids, and their grades, side by side.
struct Pool {
    const std::int64_t *starts, *order;
    const std::uint32_t* hash;
    const double* grades;
    const Ids* ids;
};

// Gives documents of a query the grades of its judgements: fingerprints that agree are noted, and then compared letter by
// letter, when the letters have come from memory.
class Grader {
public:
    void grade(const Document* documents, std::size_t n, const Ids& ids, const Pool& pool, std::size_t query, double* gains) {
        const auto begin = static_cast<std::size_t>(pool.starts[query]), end = static_cast<std::size_t>(pool.starts[query + 1]);
        std::size_t size = 64;
        int shift = 26;
        for (; size < 8 * (end - begin); size *= 2) --shift;
        slots_.assign(size, 0), agreed_.clear();
        for (std::size_t j = begin; j < end; ++j) {
            std::size_t at = pool.hash[j] >> shift;
            while (slots_[at]) at = (at + 1) & (size - 1);
            slots_[at] = static_cast<std::uint32_t>(j - begin + 1);
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t at = documents[i].hash >> shift; slots_[at]; at = (at + 1) & (size - 1)) {
                const std::size_t j = begin + slots_[at] - 1;
                if (pool.hash[j] != documents[i].hash) continue;
                agreed_.emplace_back(i, j);
                ids.fetch(documents[i].row), pool.ids->fetch(static_cast<std::size_t>(pool.order[j]));
            }
        for (const auto& [i, j] : agreed_)
            if (ids.same(documents[i].row, *pool.ids, static_cast<std::size_t>(pool.order[j]))) gains[i] = pool.grades[j];
    }

private:
    std::vector<std::uint32_t> slots_;  // 1 + the place among the judgements; 0 is free
    std::vector<std::pair<std::size_t, std::size_t>> agreed_;
};

}  // namespace calipers
