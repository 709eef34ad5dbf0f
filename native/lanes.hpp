// Vectors of one cache line. Eight double lanes on every machine, so that a sum has the same bits with SSE2, AVX2 and
// AVX-512; the clones only choose how many registers hold them. How a vector is passed depends on the machine, so every
// function that takes or returns one is always inline: no vector crosses a call (see -Wno-psabi in CMakeLists.txt).
#pragma once

#include <cstdint>
#include <cstring>

// Not under the thread sanitizer: clones are chosen while the module is loaded, before it has begun.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
#define CALIPERS_CAN_CLONE
#endif
#ifdef CALIPERS_CAN_CLONE
#define CALIPERS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CALIPERS_CLONES
#endif
// For what vector types cannot say, such as moving chosen lanes together: a kernel of its own, called where
// has_avx512(), beside a plain one with the same results.
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define CALIPERS_AVX512 __attribute__((target("avx512f,popcnt")))
#endif
#define CALIPERS_INLINE inline __attribute__((always_inline))

namespace calipers {

#ifdef CALIPERS_AVX512
inline bool has_avx512() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"); }
#endif

template <class T>
struct Lanes;
template <>
struct Lanes<double> {
    static constexpr int width = 8;
    typedef double Value __attribute__((vector_size(64)));
    typedef std::int64_t Mask __attribute__((vector_size(64)));
    typedef std::int32_t Ints __attribute__((vector_size(32)));
};
template <>
struct Lanes<float> {
    static constexpr int width = 16;
    typedef float Value __attribute__((vector_size(64)));
    typedef std::int32_t Mask __attribute__((vector_size(64)));
    typedef std::int32_t Ints __attribute__((vector_size(64)));
};

using F8 = Lanes<double>::Value;
using I8 = Lanes<double>::Mask;
typedef std::uint64_t U8 __attribute__((vector_size(64)));

// The same bits as another type of the same size; a cast of references would break the aliasing rules.
template <class To, class From>
CALIPERS_INLINE To bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

template <class V, class T>
CALIPERS_INLINE V lanes(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof(V));
    return v;
}

// Eight elements of any type as eight doubles.
template <class T>
CALIPERS_INLINE void load8(F8& out, const T* from) {
    typedef T Narrow __attribute__((vector_size(8 * sizeof(T))));
    out = __builtin_convertvector(lanes<Narrow>(from), F8);
}

CALIPERS_INLINE double total(const F8& v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

CALIPERS_INLINE F8 size_of(const F8& x) { return bits<F8>(bits<I8>(x) & 0x7fffffffffffffff); }

// The least of eight numbers, none of them NaN.
CALIPERS_INLINE double least(const F8& v) {
    const auto of = [](double a, double b) { return a < b ? a : b; };
    return of(of(of(v[0], v[4]), of(v[2], v[6])), of(of(v[1], v[5]), of(v[3], v[7])));
}

}  // namespace calipers
