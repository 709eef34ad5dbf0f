// A stable sort of items by key that fit the cache.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "keys.hpp"

namespace calipers {

template <class K>
struct Span {
    K low, high;
    bool rises, falls;  // whether a later key is ever greater, ever less
};

template <class Item>
CALIPERS_CLONES Span<KeyIn<Item>> span_of(const Item* a, std::size_t n) {
    using K = KeyIn<Item>;
    K low = key_in(a[0]), high = low, rises = 0, falls = 0;
    for (std::size_t k = 1; k < n; ++k) {
        const K before = key_in(a[k - 1]), here = key_in(a[k]);
        low = here < low ? here : low, high = here > high ? here : high;
        rises |= K(before < here), falls |= K(here < before);
    }
    return {low, high, rises != 0, falls != 0};
}

template <class Item>
void insertion_sort(Item* a, std::size_t n) {
    for (std::size_t k = 1; k < n; ++k) {
        const Item item = a[k];
        std::size_t j = k;
        for (; j > 0 && key_in(item) < key_in(a[j - 1]); --j) a[j] = a[j - 1];
        a[j] = item;
    }
}

// Reverses the items; those of one key keep their order.
template <class Item>
void reverse_stably(Item* a, std::size_t n) {
    std::reverse(a, a + n);
    if constexpr (!std::is_same_v<Item, KeyIn<Item>>)
        for (std::size_t from = 0, to = 0; from < n; from = to) {
            while (to < n && key_in(a[to]) == key_in(a[from])) ++to;
            std::reverse(a + from, a + to);
        }
}

constexpr int most_digit = 11;
constexpr std::size_t few_items = 24;  // insertion sort is faster below

// The leading bits of a range of keys that two passes of counting sort by.
template <class K>
struct Digits {
    K low;
    int shift, digit;

    Digits(const Span<K>& span, std::size_t n) : low(span.low) {
        const int bits = bit_length(static_cast<K>(span.high - low));
        digit = std::min({most_digit, (bit_length(n) + 6) / 2, (bits + 1) / 2});
        shift = std::max(0, bits - 2 * digit);
    }
    CALIPERS_INLINE K leading(K key) const { return static_cast<K>(key - low) >> shift; }
};

template <class Item>
CALIPERS_CLONES void count_and_move(Item* a, std::size_t n, Item* spare, const Digits<KeyIn<Item>>& by) {
    using K = KeyIn<Item>;
    const Digits<K> d = by;
    const std::size_t size = std::size_t{1} << d.digit;
    const K mask = static_cast<K>(size - 1);
    std::size_t first[1 << most_digit], second[1 << most_digit];
    std::fill_n(first, size, 0), std::fill_n(second, size, 0);
    for (std::size_t k = 0; k < n; ++k) {
        const K bits = d.leading(key_in(a[k]));
        ++first[bits & mask], ++second[bits >> d.digit];
    }
    std::size_t x = 0, y = 0;
    for (std::size_t c = 0; c < size; ++c) {
        const std::size_t i = first[c], j = second[c];
        first[c] = x, second[c] = y, x += i, y += j;
    }
    for (std::size_t k = 0; k < n; ++k) spare[first[d.leading(key_in(a[k])) & mask]++] = a[k];
    for (std::size_t k = 0; k < n; ++k) a[second[d.leading(key_in(spare[k])) >> d.digit]++] = spare[k];
}

// Two counting passes over the leading bits that differ leave few items out of place; runs that share those bits are
// sorted afterwards. Every level takes at least ten bits off the range, or all. `spare` has room for n items.
template <class Item>
void radix_sort(Item* a, std::size_t n, Item* spare) {
    using K = KeyIn<Item>;
    if (n <= few_items) return insertion_sort(a, n);
    const Span<K> span = span_of(a, n);
    if (!span.falls) return;
    if (!span.rises) return reverse_stably(a, n);
    const Digits<K> by(span, n);
    count_and_move(a, n, spare, by);
    if (by.shift == 0) return;
    for (std::size_t k = 1; k < n; ++k) {
        if (key_in(a[k - 1]) <= key_in(a[k])) continue;
        const K run = by.leading(key_in(a[k]));
        std::size_t begin = k - 1, end = k + 1;
        while (begin > 0 && by.leading(key_in(a[begin - 1])) == run) --begin;
        while (end < n && by.leading(key_in(a[end])) == run) ++end;
        radix_sort(a + begin, end - begin, spare);
        k = end - 1;
    }
}

}  // namespace calipers
