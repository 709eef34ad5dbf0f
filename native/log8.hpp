// The natural logarithm of eight numbers at once.
#pragma once

#include <cstdint>
#include <limits>

#include "twin.hpp"

namespace calipers {

// log(x) for x >= 0 within an ulp: x = 2^k m with m in [sqrt(1/2), sqrt(2)), then the fdlibm series in
// s = (m - 1) / (m + 1). No table and no branch, so all lanes run at once; libm one by one is eight times slower.
// No x is zero or subnormal where `normal`. F are lanes of doubles, U of as many integers.
template <bool normal, class U, class F>
CALIPERS_INLINE void log_lanes(F& x) {
    const F tiny = F{} + 0x1p-1022, zero{};
    const auto subnormal = x < tiny, nothing = x == zero;
    F scaled = x;
    if constexpr (!normal) scaled = subnormal ? x * 0x1p54 : x;
    constexpr std::uint64_t half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;  // sqrt(1/2), and 1
    const U above = bits<U>(scaled) - half + one;  // wraps for negative lanes, whose result is not used
    const U mantissa = (above & 0xfffffffffffff) + half;
    // The exponent and 1023 as a double without AVX-512's conversion: they are the last bits of 2^52 + k + 1023. A shift
    // of signed numbers, without the 1023, would be taken apart.
    const U magic = (above >> 52) | 0x4330000000000000;
    F k = bits<F>(magic) - (0x1p52 + 1023);
    if constexpr (!normal) k -= subnormal ? F{} + 54 : zero;
    const F f = bits<F>(mantissa) - 1.0;
    const F s = f / (2.0 + f), z = s * s, w = z * z, half_square = 0.5 * f * f;
    const F even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const F odd = z * (6.666666666666735130e-01 +
                       w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const F series = s * (half_square + (even + odd)) + k * 1.90821492927058770002e-10;
    const F log = ((series - half_square) + f) + k * 6.93147180369123816490e-01;
    x = log;
    if constexpr (!normal) x = nothing ? F{} - std::numeric_limits<double>::infinity() : log;
}

template <bool normal>
CALIPERS_INLINE void log8(F8& x) {
    log_lanes<normal, U8>(x);
}
template <bool normal>
CALIPERS_INLINE void log8(Twin& x) {
    typedef std::uint64_t U4 __attribute__((vector_size(32)));
    log_lanes<normal, U4>(x.low), log_lanes<normal, U4>(x.high);
}

}  // namespace calipers
