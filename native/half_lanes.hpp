// Vectors of half a cache line, for comparisons and choices: GCC takes them apart into single numbers where a vector is
// wider than the registers (see twin.hpp), and nearly every CPU has registers of this width.
#pragma once

#include <limits>

#include "lanes.hpp"

namespace calipers {

template <class T>
struct HalfLanes;
template <>
struct HalfLanes<double> {
    static constexpr int width = 4;
    typedef double Value __attribute__((vector_size(32)));
    typedef std::int64_t Mask __attribute__((vector_size(32)));
    typedef std::int32_t Ints __attribute__((vector_size(16)));
};
template <>
struct HalfLanes<float> {
    static constexpr int width = 8;
    typedef float Value __attribute__((vector_size(32)));
    typedef std::int32_t Mask __attribute__((vector_size(32)));
    typedef std::int32_t Ints __attribute__((vector_size(32)));
};

// The least and the greatest of numbers, of which NaN is none. Two vectors, because each waits for its last comparison.
template <class T>
struct Extremes {
    using V = typename HalfLanes<T>::Value;
    static constexpr std::size_t step = 2 * HalfLanes<T>::width;
    V low[2], high[2];

    CALIPERS_INLINE Extremes() {
        constexpr T infinite = std::numeric_limits<T>::infinity();
        low[0] = low[1] = V{} + infinite, high[0] = high[1] = V{} - infinite;
    }

    // The next `step` numbers.
    CALIPERS_INLINE void see(const T* x) {
        for (int h = 0; h < 2; ++h) {
            const V v = lanes<V>(x + h * HalfLanes<T>::width);
            low[h] = v < low[h] ? v : low[h], high[h] = v > high[h] ? v : high[h];
        }
    }

    template <class To>
    CALIPERS_INLINE void add_to(To& least, To& most) const {
        for (int h = 0; h < 2; ++h)
            for (int l = 0; l < HalfLanes<T>::width; ++l) {
                least = To(low[h][l]) < least ? To(low[h][l]) : least;
                most = To(high[h][l]) > most ? To(high[h][l]) : most;
            }
    }
};

}  // namespace calipers
