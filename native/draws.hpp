// How often a row, or its group, is drawn in a bootstrap replicate: Poisson(1), a hash of seed, replicate and key. A draw
// depends on no other row, so that parts of the rows, several models of the same rows, and any number of threads draw
// alike.
#pragma once

#include <optional>

#include "array.hpp"
#include "twin.hpp"

namespace calipers {

constexpr std::size_t width = 8;  // replicates that go through the rows together, one per lane

// SplitMix64 (Steele, Lea and Flood 2014): the state moves by gamma per key, the output is a bijection of the state.
constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
constexpr std::uint64_t negatives_from = std::uint64_t{1} << 40;  // keys of negatives that have none of their own

template <class V>
CALIPERS_INLINE void mix(V& x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
}

inline std::uint64_t stream(std::uint64_t seed, std::uint64_t replicate) {
    mix(seed);
    std::uint64_t state = seed + (replicate + 1) * gamma;
    mix(state);
    return state;
}

// Inversion of 32 bits: the draw is the number of thresholds 2^32 P(X <= j) at or below them. Two keys share a hash, the
// even one has its lower half.
struct Poisson {
    static constexpr int most = 12;
    std::uint32_t at[most];

    constexpr Poisson() : at() {
        double term = 0.36787944117144232160, sum = 0;
        for (int j = 0; j < most; ++j) {
            sum += term, term /= j + 1;
            at[j] = static_cast<std::uint32_t>(sum * 4294967296.0 + 0.5);
        }
    }
};
constexpr Poisson poisson;

// Lanes of 64 bits and the same bits as lanes of 32, for vectors of eight replicates (F8) and for halves of them (Twin).
template <class V>
struct DrawnLanes;
template <>
struct DrawnLanes<F8> {
    typedef std::uint64_t Whole __attribute__((vector_size(64)));
    typedef std::int32_t Half __attribute__((vector_size(64)));
};
template <>
struct DrawnLanes<H4> {
    typedef std::uint64_t Whole __attribute__((vector_size(32)));
    typedef std::int32_t Half __attribute__((vector_size(32)));
};

// How often both keys of a pair are drawn, the even one's number in the lower half of each lane. Comparisons are signed,
// with the highest bit turned: AVX2 has no others. A row is hardly ever drawn `often` times: the thresholds from there on
// are looked at only where some lane needs them.
template <class V>
struct DrawLanes {
    using Whole = typename DrawnLanes<V>::Whole;
    using Half = typename DrawnLanes<V>::Half;
    static constexpr int often = 6;
    Half u, times;

    CALIPERS_INLINE DrawLanes(const Whole& streams, std::uint64_t pair) {
        Whole state = streams + pair * gamma;
        mix(state);
        u = bits<Half>(state ^ 0x8000000080000000), times = Half{};
        count(0, often);
    }
    CALIPERS_INLINE void count(int from, int to) {
        for (int j = from; j < to; ++j) times -= u > static_cast<std::int32_t>((poisson.at[j] - 1) ^ 0x80000000);
    }
    CALIPERS_INLINE Whole rare() const { return bits<Whole>(times == often); }
    CALIPERS_INLINE Whole drawn() const { return bits<Whole>(times); }
};

// Small numbers as doubles: put into the lowest bits of 2^52, which is then taken off. Not every machine has an instruction
// for it.
template <class V, class Whole>
CALIPERS_INLINE V as_doubles(const Whole& small) {
    return bits<V>(small | 0x4330000000000000) - 4503599627370496.0;
}

// Draws of rows by pairs of keys, in eight replicates.
template <class V>
struct Draw;

template <>
struct Draw<F8> {
    DrawnLanes<F8>::Whole streams, drawn;

    CALIPERS_INLINE explicit Draw(const std::uint64_t* from) : streams(lanes<DrawnLanes<F8>::Whole>(from)) {}
    CALIPERS_INLINE void pair(std::uint64_t pair) {
        DrawLanes<F8> all(streams, pair);
        if (any(bits<I8>(all.rare()))) all.count(DrawLanes<F8>::often, Poisson::most);
        drawn = all.drawn();
    }
    CALIPERS_INLINE F8 even() const { return as_doubles<F8>(drawn & 0xffffffff); }
    CALIPERS_INLINE F8 odd() const { return as_doubles<F8>(drawn >> 32); }
};

template <>
struct Draw<Twin> {
    using Whole = DrawnLanes<H4>::Whole;
    Whole low, high, drawn_low, drawn_high;

    CALIPERS_INLINE explicit Draw(const std::uint64_t* from) : low(lanes<Whole>(from)), high(lanes<Whole>(from + 4)) {}
    CALIPERS_INLINE void pair(std::uint64_t pair) {
        DrawLanes<H4> first(low, pair), second(high, pair);
        if (const Whole rare = first.rare() | second.rare(); (rare[0] | rare[1]) | (rare[2] | rare[3])) {
            first.count(DrawLanes<H4>::often, Poisson::most), second.count(DrawLanes<H4>::often, Poisson::most);
        }
        drawn_low = first.drawn(), drawn_high = second.drawn();
    }
    CALIPERS_INLINE Twin even() const {
        return {as_doubles<H4>(drawn_low & 0xffffffff), as_doubles<H4>(drawn_high & 0xffffffff)};
    }
    CALIPERS_INLINE Twin odd() const { return {as_doubles<H4>(drawn_low >> 32), as_doubles<H4>(drawn_high >> 32)}; }
};

inline std::uint8_t draw_one(std::uint64_t stream, std::uint64_t key) {
    std::uint64_t state = stream + (key >> 1) * gamma;
    mix(state);
    const auto u = static_cast<std::uint32_t>(key & 1 ? state >> 32 : state);
    std::uint8_t times = 0;
    for (const std::uint32_t threshold : poisson.at) times += u >= threshold;
    return times;
}

// Keys are optional: uint64, one per row, next to each other.
class Keys {
public:
    Keys(nb::handle source, const char* name, std::size_t n) {
        if (source.is_none()) return;
        view_.emplace(source, name);
        if (!view_->holds<std::uint64_t>() || view_->n != n) view_->fail(" must be uint64, one a row");
        data = view_->dense<std::uint64_t>();
    }

    const std::uint64_t* data = nullptr;

private:
    std::optional<View> view_;
};

}  // namespace calipers
