// The natural logarithm of eight numbers at once.
#pragma once

#include <cstdint>
#include <limits>

#include "lanes.hpp"

namespace calipers {

// log(x) for x >= 0 within an ulp: x = 2^k m with m in [sqrt(1/2), sqrt(2)), then the fdlibm series in
// s = (m - 1) / (m + 1). No table and no branch, so eight lanes run at once; libm one by one is eight times slower.
// No x is zero or subnormal where `normal`.
template <bool normal>
CALIPERS_INLINE void log8(F8& x) {
    const F8 tiny = F8{} + 0x1p-1022, zero{};
    const I8 subnormal = x < tiny, nothing = x == zero;
    F8 scaled = x;
    if constexpr (!normal) scaled = subnormal ? x * 0x1p54 : x;
    constexpr std::uint64_t half = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
    const I8 above = bits<I8>(bits<U8>(scaled) - half);  // wraps for negative lanes, whose result is not used
    const I8 exponent = above >> 52;
    const I8 mantissa = bits<I8>(bits<U8>(above & 0xfffffffffffff) + half);
    // An integer under 2^51 to a double without AVX-512's conversion: it lands in the mantissa of 1.5 * 2^52.
    const I8 magic = exponent + 0x4338000000000000;
    F8 k = bits<F8>(magic) - 6755399441055744.0;
    if constexpr (!normal) k -= subnormal ? F8{} + 54 : zero;
    const F8 f = bits<F8>(mantissa) - 1.0;
    const F8 s = f / (2.0 + f), z = s * s, w = z * z, half_square = 0.5 * f * f;
    const F8 even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const F8 odd = z * (6.666666666666735130e-01 +
                        w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const F8 series = s * (half_square + (even + odd)) + k * 1.90821492927058770002e-10;
    const F8 log = ((series - half_square) + f) + k * 6.93147180369123816490e-01;
    x = log;
    if constexpr (!normal) x = nothing ? F8{} - std::numeric_limits<double>::infinity() : log;
}

}  // namespace calipers
