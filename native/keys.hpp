// Floats as unsigned integers of the same order: -0.0 is 0.0, and a NaN lies beyond an infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "lanes.hpp"

namespace calipers {

template <class T>
using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class K>
constexpr K top_bit = K{1} << (8 * sizeof(K) - 1);

// All bits of x's first.
template <class K>
CALIPERS_INLINE K sign_of(K x) {
    return static_cast<K>(0) - (x >> (8 * sizeof(K) - 1));
}

template <class T>
CALIPERS_INLINE Key<T> key_of(T x) {
    using K = Key<T>;
    const K u = bits<K>(x);
    return (u ^ (sign_of(u) | top_bit<K>)) + K(u == top_bit<K>);
}

template <class T>
CALIPERS_INLINE T value_of(Key<T> k) {
    using K = Key<T>;
    return bits<T>(static_cast<K>(k ^ (~sign_of(k) | top_bit<K>)));
}

template <class K>
inline int bit_length(K x) {
    return x ? 64 - __builtin_clzll(x) : 0;
}

// What is sorted: keys alone, or with the weight or the number of their row.
template <class K>
struct Weighted {
    K key;
    double weight;
};
template <class K>
struct Numbered {
    K key;
    std::size_t row;
};
// A key with its positives and its other rows; aligned, so that none lies in two cache lines.
template <class K>
struct alignas(16) Counted {
    K key;
    std::uint32_t count[2];
    std::uint32_t rows() const { return count[0] + count[1]; }
};
template <class K>
CALIPERS_INLINE K key_in(K item) {
    return item;
}
template <class K>
CALIPERS_INLINE K key_in(const Weighted<K>& item) {
    return item.key;
}
template <class K>
CALIPERS_INLINE K key_in(const Numbered<K>& item) {
    return item.key;
}
template <class K>
CALIPERS_INLINE K key_in(const Counted<K>& item) {
    return item.key;
}
template <class Item>
using KeyIn = decltype(key_in(std::declval<Item>()));

}  // namespace calipers
