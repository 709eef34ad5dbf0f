// Eight numbers as two vectors of four, with the operations of one vector of eight and the same bits. GCC takes comparisons,
// choices and shuffles of vectors that are wider than the registers apart into single numbers, and keeps such vectors in
// memory, which makes them four times slower than this; where registers hold eight, F8 is faster.
#pragma once

#include <utility>

#include "half_lanes.hpp"

#ifdef CALIPERS_CAN_CLONE
#define CALIPERS_NARROW_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define CALIPERS_WIDE __attribute__((target("arch=x86-64-v4")))
#else
#define CALIPERS_NARROW_CLONES
#endif

namespace calipers {

template <class H>
struct Pair {
    using Number = decltype(H{}[0] + 0);
    H low, high;

    CALIPERS_INLINE void operator+=(const Pair& o) { low += o.low, high += o.high; }
    CALIPERS_INLINE void operator-=(const Pair& o) { low -= o.low, high -= o.high; }
    CALIPERS_INLINE void operator*=(const Pair& o) { low *= o.low, high *= o.high; }
    CALIPERS_INLINE void operator|=(const Pair& o) { low |= o.low, high |= o.high; }
};

using H4 = HalfLanes<double>::Value;
using M4 = HalfLanes<double>::Mask;
using Twin = Pair<H4>;
using TwinInts = Pair<M4>;

// Of two pairs, of a pair and a number, and of a number and a pair.
#define CALIPERS_OF_PAIRS(Found, op)                                                                                   \
    template <class H>                                                                                                 \
    CALIPERS_INLINE Found operator op(const Pair<H>& a, const Pair<H>& b) {                                            \
        return {a.low op b.low, a.high op b.high};                                                                     \
    }                                                                                                                  \
    template <class H>                                                                                                 \
    CALIPERS_INLINE Found operator op(const Pair<H>& a, typename Pair<H>::Number b) {                                  \
        return {a.low op b, a.high op b};                                                                              \
    }                                                                                                                  \
    template <class H>                                                                                                 \
    CALIPERS_INLINE Found operator op(typename Pair<H>::Number a, const Pair<H>& b) {                                  \
        return {a op b.low, a op b.high};                                                                              \
    }
CALIPERS_OF_PAIRS(Pair<H>, +)
CALIPERS_OF_PAIRS(Pair<H>, -)
CALIPERS_OF_PAIRS(Pair<H>, *)
CALIPERS_OF_PAIRS(Pair<H>, /)
CALIPERS_OF_PAIRS(Pair<H>, |)
CALIPERS_OF_PAIRS(Pair<H>, <<)
CALIPERS_OF_PAIRS(TwinInts, <)
CALIPERS_OF_PAIRS(TwinInts, >)
CALIPERS_OF_PAIRS(TwinInts, <=)
CALIPERS_OF_PAIRS(TwinInts, >=)
CALIPERS_OF_PAIRS(TwinInts, ==)
CALIPERS_OF_PAIRS(TwinInts, !=)
#undef CALIPERS_OF_PAIRS

template <class H>
CALIPERS_INLINE Pair<H> operator-(const Pair<H>& a) {
    return {-a.low, -a.high};
}

// The type of comparisons, and of as many integers.
template <class V>
using IntsOf = decltype(std::declval<V>() < std::declval<V>());

// `then` in the lanes where the mask is set, else `other`.
template <class V>
CALIPERS_INLINE V choose(const I8& mask, const V& then, const V& other) {
    return mask ? then : other;
}
template <class H>
CALIPERS_INLINE Pair<H> choose(const TwinInts& mask, const Pair<H>& then, const Pair<H>& other) {
    return {mask.low ? then.low : other.low, mask.high ? then.high : other.high};
}

// The greater of two numbers in each lane, and the less; `b` where `a` is NaN.
template <class V>
CALIPERS_INLINE V more_of(const V& a, const V& b) {
    return choose(a > b, a, b);
}
template <class V>
CALIPERS_INLINE V less_of(const V& a, const V& b) {
    return choose(a < b, a, b);
}

CALIPERS_INLINE H4 size_of(const H4& x) { return bits<H4>(bits<M4>(x) & 0x7fffffffffffffff); }
CALIPERS_INLINE Twin size_of(const Twin& x) { return {size_of(x.low), size_of(x.high)}; }

// Lanes from memory and to it. Each half by itself: a pair that is copied whole goes through memory once more.
template <class V, class T>
CALIPERS_INLINE void store8(T* to, const V& v) {
    static_assert(sizeof(V) == 8 * sizeof(T));
    std::memcpy(to, &v, sizeof(V));
}
template <class H, class T>
CALIPERS_INLINE void store8(T* to, const Pair<H>& v) {
    static_assert(sizeof(H) == 4 * sizeof(T));
    std::memcpy(to, &v.low, sizeof(H)), std::memcpy(to + 4, &v.high, sizeof(H));
}
template <class V>
struct From8 {
    template <class T>
    CALIPERS_INLINE static V read(const T* from) {
        return lanes<V>(from);
    }
};
template <class H>
struct From8<Pair<H>> {
    template <class T>
    CALIPERS_INLINE static Pair<H> read(const T* from) {
        return {lanes<H>(from), lanes<H>(from + 4)};
    }
};
template <class V, class T>
CALIPERS_INLINE V from8(const T* from) {
    static_assert(sizeof(V) == 8 * sizeof(T));
    return From8<V>::read(from);
}

template <class V>
CALIPERS_INLINE bool any(const V& mask) {
    std::int64_t lane[8], found = 0;
    store8(lane, mask);
    for (const std::int64_t l : lane) found |= l;
    return found != 0;
}

CALIPERS_INLINE double total(const Twin& v) {
    const H4 s = v.low + v.high;
    return (s[0] + s[2]) + (s[1] + s[3]);
}

// The same number in all lanes.
template <class V>
CALIPERS_INLINE V all_lanes(double x);
template <>
CALIPERS_INLINE F8 all_lanes<F8>(double x) {
    return F8{} + x;
}
template <>
CALIPERS_INLINE Twin all_lanes<Twin>(double x) {
    return {H4{} + x, H4{} + x};
}

// The least of eight numbers, none of them NaN.
CALIPERS_INLINE double least(const Twin& v) {
    const H4 s = v.low < v.high ? v.low : v.high;
    const auto of = [](double a, double b) { return a < b ? a : b; };
    return of(of(s[0], s[2]), of(s[1], s[3]));
}

CALIPERS_INLINE double first_lane(const F8& v) { return v[0]; }
CALIPERS_INLINE double first_lane(const Twin& v) { return v.low[0]; }

// Eight elements of any type as doubles.
template <class T>
CALIPERS_INLINE void load8(Twin& out, const T* from) {
    typedef T N4 __attribute__((vector_size(4 * sizeof(T))));
    out = {__builtin_convertvector(lanes<N4>(from), H4), __builtin_convertvector(lanes<N4>(from + 4), H4)};
}

// Which of eight codes are this one.
CALIPERS_INLINE void equal8(I8& out, const std::uint32_t* codes, std::uint32_t code) {
    typedef std::uint32_t N8 __attribute__((vector_size(32)));
    out = __builtin_convertvector(lanes<N8>(codes), I8) == std::int64_t(code);
}
CALIPERS_INLINE void equal8(TwinInts& out, const std::uint32_t* codes, std::uint32_t code) {
    typedef std::uint32_t N4 __attribute__((vector_size(16)));
    typedef std::int32_t S4 __attribute__((vector_size(16)));
    const S4 low = lanes<N4>(codes) == code, high = lanes<N4>(codes + 4) == code;
    out = {__builtin_convertvector(low, M4), __builtin_convertvector(high, M4)};
}

// Eight integers less an origin.
template <class V>
CALIPERS_INLINE V whole_lanes(const std::int32_t* from, std::int32_t origin = 0);
template <>
CALIPERS_INLINE F8 whole_lanes<F8>(const std::int32_t* from, std::int32_t origin) {
    typedef std::int32_t N8 __attribute__((vector_size(32)));
    return __builtin_convertvector(lanes<N8>(from) - origin, F8);
}
template <>
CALIPERS_INLINE Twin whole_lanes<Twin>(const std::int32_t* from, std::int32_t origin) {
    typedef std::int32_t N4 __attribute__((vector_size(16)));
    return {__builtin_convertvector(lanes<N4>(from) - origin, H4),
            __builtin_convertvector(lanes<N4>(from + 4) - origin, H4)};
}
template <>
CALIPERS_INLINE I8 whole_lanes<I8>(const std::int32_t* from, std::int32_t origin) {
    typedef std::int32_t N8 __attribute__((vector_size(32)));
    return __builtin_convertvector(lanes<N8>(from) - origin, I8);
}
template <>
CALIPERS_INLINE TwinInts whole_lanes<TwinInts>(const std::int32_t* from, std::int32_t origin) {
    typedef std::int32_t N4 __attribute__((vector_size(16)));
    return {__builtin_convertvector(lanes<N4>(from) - origin, M4),
            __builtin_convertvector(lanes<N4>(from + 4) - origin, M4)};
}

// `then` in the lanes where x is 0, else `other`.
CALIPERS_INLINE F8 where_zero(const F8& x, const F8& then, const F8& other) { return x == 0 ? then : other; }
CALIPERS_INLINE Twin where_zero(const Twin& x, const Twin& then, const Twin& other) {
    return {x.low == 0 ? then.low : other.low, x.high == 0 ? then.high : other.high};
}

// Each lane moves one up; the first comes from the last lane of `before`.
CALIPERS_INLINE F8 moved_up(const F8& before, const F8& v) {
    return __builtin_shufflevector(before, v, 7, 8, 9, 10, 11, 12, 13, 14);
}
CALIPERS_INLINE Twin moved_up(const Twin& before, const Twin& v) {
    return {__builtin_shufflevector(before.high, v.low, 3, 4, 5, 6), __builtin_shufflevector(v.low, v.high, 3, 4, 5, 6)};
}

// The inclusive prefix sum of eight lanes, from `carry` (the same in all lanes) on. Only one addition waits for the
// carry of the eight before.
CALIPERS_INLINE void prefix(F8& v, F8& carry) {
    const F8 zero{};
    v += __builtin_shufflevector(v, zero, 8, 0, 1, 2, 3, 4, 5, 6);
    v += __builtin_shufflevector(v, zero, 8, 8, 0, 1, 2, 3, 4, 5);
    v += __builtin_shufflevector(v, zero, 8, 8, 8, 8, 0, 1, 2, 3);
    const F8 all = __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
    v += carry;
    carry += all;
}
CALIPERS_INLINE void prefix(Twin& v, Twin& carry) {
    const H4 zero{};
    v += Twin{__builtin_shufflevector(v.low, zero, 4, 0, 1, 2), __builtin_shufflevector(v.low, v.high, 3, 4, 5, 6)};
    v += Twin{__builtin_shufflevector(v.low, zero, 4, 4, 0, 1), __builtin_shufflevector(v.low, v.high, 2, 3, 4, 5)};
    v.high += v.low;
    const H4 all = __builtin_shufflevector(v.high, v.high, 3, 3, 3, 3);
    v += carry;
    carry += Twin{all, all};
}

// Kernel::run<V>(arguments...) with the vectors that suit this CPU, F8 or Twin: the same bits either way.
template <class Kernel, class... Arguments>
CALIPERS_NARROW_CLONES void on_narrow_lanes(Arguments... arguments) {
    Kernel::template run<Twin>(arguments...);
}
#ifdef CALIPERS_WIDE
template <class Kernel, class... Arguments>
CALIPERS_WIDE void on_wide_lanes(Arguments... arguments) {
    Kernel::template run<F8>(arguments...);
}
inline bool has_wide() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

template <class Kernel, class... Arguments>
void on_lanes(Arguments&&... arguments) {
#ifdef CALIPERS_WIDE
    if (has_wide()) return on_wide_lanes<Kernel, Arguments&&...>(std::forward<Arguments>(arguments)...);
#endif
    on_narrow_lanes<Kernel, Arguments&&...>(std::forward<Arguments>(arguments)...);
}

}  // namespace calipers
