// Scores to four parts of one buffer: positives below and above a pivot, then negatives. Two passes over fixed blocks,
// count and scatter, so that each block knows where it writes. The pivot makes two halves of equal work for two
// threads.
#include "split.hpp"

#include <algorithm>
#include <vector>

#include "half_lanes.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;
// One part's stage for whole-vector stores, which may write a cache line past its end. The plain kernel keeps to
// chunk_rows: a power of two makes its index a shift.
template <class T>
constexpr std::size_t stage_rows = chunk_rows + 64 / sizeof(T);

template <class C>
CALIPERS_CLONES void mark(const C* codes, std::size_t n, C positive, std::int32_t* __restrict out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<std::int32_t>(-(codes[k] != positive));
}

// The count of one chunk. Masks are -1 where true, so counts are subtracted.
template <class T>
CALIPERS_CLONES void count_chunk(const T* s, const std::int32_t* other, std::size_t n, T pivot, Split<T>& out) {
    using V = typename HalfLanes<T>::Value;
    using M = typename HalfLanes<T>::Mask;
    constexpr std::size_t width = HalfLanes<T>::width;
    M high{}, neg{}, both{}, nan{};
    Extremes<T> range;
    std::size_t k = 0;
    for (; k + 2 * width <= n; k += 2 * width) {
        range.see(s + k);
        for (std::size_t at = k; at < k + 2 * width; at += width) {
            const V x = lanes<V>(s + at);
            const M up = ~(x < pivot), is = __builtin_convertvector(lanes<typename HalfLanes<T>::Ints>(other + at), M);
            high -= up;
            neg -= is;
            both -= up & is;
            nan -= x != x;
        }
    }
    range.add_to(out.low, out.high);
    std::size_t highs = 0, negatives = 0, high_negatives = 0, nans = 0;
    for (std::size_t l = 0; l < width; ++l)
        highs += high[l], negatives += neg[l], high_negatives += both[l], nans += nan[l];
    for (; k < n; ++k) {
        const bool up = !(s[k] < pivot), is = other[k] != 0;
        highs += up, negatives += is, high_negatives += up && is, nans += s[k] != s[k];
        out.low = s[k] < out.low ? s[k] : out.low;
        out.high = s[k] > out.high ? s[k] : out.high;
    }
    out.parts[0].count += n - negatives - (highs - high_negatives);
    out.parts[1].count += highs - high_negatives;
    out.parts[2].count += negatives - high_negatives;
    out.parts[3].count += high_negatives;
    out.nans += nans;
}

// Whether no row falls (sign 1) or rises (sign -1) after the one before. NaN compares false, so a part with NaN is
// never taken for sorted.
template <class T>
CALIPERS_CLONES bool monotone(const T* v, std::size_t n, T sign) {
    int broken = 0;
    for (std::size_t k = 1; k < n; ++k) broken |= !(sign * v[k - 1] <= sign * v[k]);
    return !broken;
}

template <class T>
void note_order(Part<T>& part, const T* v, std::size_t n, bool first) {
    if (n == 0) return;
    if (first) part.first = part.last = v[0];
    part.ascending = part.ascending && part.last <= v[0] && monotone(v, n, T(1));
    part.descending = part.descending && part.last >= v[0] && monotone(v, n, T(-1));
    part.last = v[n - 1];
}

// Appends each row to its part's stage: no branch to mispredict, and the four lengths live in one register, 16 bits
// each, because four counters in memory would each wait for their last store.
template <class T>
CALIPERS_CLONES void scatter_chunk(const T* __restrict s, const std::int32_t* __restrict other, std::size_t n, T pivot,
                                   T* __restrict stage, std::size_t counts[4]) {
    std::uint64_t lengths = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const T v = s[k] + T(0);  // -0.0 becomes 0.0: they tie, and a sort by bits must see it
        const std::size_t part = std::size_t(other[k] & 2) + std::size_t(!(v < pivot));
        stage[part * chunk_rows + ((lengths >> (16 * part)) & 0xffff)] = v;
        lengths += std::uint64_t{1} << (16 * part);
    }
    for (int p = 0; p < 4; ++p) counts[p] = (lengths >> (16 * p)) & 0xffff;
}

#ifdef CALIPERS_AVX512
CALIPERS_AVX512 CALIPERS_INLINE __m512d load_lanes(const double* from, __mmask16 lanes) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(lanes), from);
}
CALIPERS_AVX512 CALIPERS_INLINE __m512 load_lanes(const float* from, __mmask16 lanes) {
    return _mm512_maskz_loadu_ps(lanes, from);
}

CALIPERS_AVX512 CALIPERS_INLINE __mmask16 below(const __m512d& x, double pivot) {
    return _mm512_cmp_pd_mask(x, _mm512_set1_pd(pivot), _CMP_LT_OQ);
}
CALIPERS_AVX512 CALIPERS_INLINE __mmask16 below(const __m512& x, float pivot) {
    return _mm512_cmp_ps_mask(x, _mm512_set1_ps(pivot), _CMP_LT_OQ);
}

// Stores a whole vector, the chosen lanes first, and returns where they end.
CALIPERS_AVX512 CALIPERS_INLINE double* append_lanes(const __m512d& x, __mmask16 lanes, double* to) {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd(static_cast<__mmask8>(lanes), x));
    return to + __builtin_popcount(_cvtmask16_u32(lanes));
}
CALIPERS_AVX512 CALIPERS_INLINE float* append_lanes(const __m512& x, __mmask16 lanes, float* to) {
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(lanes, x));
    return to + __builtin_popcount(_cvtmask16_u32(lanes));
}

// scatter_chunk a vector at a time. What a store leaves past the end of its part, the next one overwrites. The masks
// stay in their registers: the way back to them shares a port with the compression. Straight into the parts, without a
// stage, it was slower by a tenth.
template <class T>
CALIPERS_AVX512 void scatter_chunk_wide(const T* __restrict s, const std::int32_t* __restrict other, std::size_t n,
                                        T pivot, T* __restrict stage, std::size_t counts[4]) {
    constexpr std::size_t width = Lanes<T>::width;
    T* const starts[4] = {stage, stage + stage_rows<T>, stage + 2 * stage_rows<T>, stage + 3 * stage_rows<T>};
    T *a = starts[0], *b = starts[1], *c = starts[2], *d = starts[3];
    const auto append = [&](std::size_t k, __mmask16 rows) CALIPERS_AVX512 __attribute__((always_inline)) {
        const auto x = load_lanes(s + k, rows) + T(0);
        const __m512i marks = _mm512_maskz_loadu_epi32(rows, other + k);
        const __mmask16 low = below(x, pivot), negative = _mm512_test_epi32_mask(marks, marks);
        const __mmask16 positive = _kandn_mask16(negative, rows);
        a = append_lanes(x, _kand_mask16(positive, low), a), b = append_lanes(x, _kandn_mask16(low, positive), b);
        c = append_lanes(x, _kand_mask16(negative, low), c), d = append_lanes(x, _kandn_mask16(low, negative), d);
    };
    std::size_t k = 0;
    for (; k + width <= n; k += width) append(k, static_cast<__mmask16>((1u << width) - 1));
    if (k < n) append(k, static_cast<__mmask16>((1u << (n - k)) - 1));
    counts[0] = a - starts[0], counts[1] = b - starts[1], counts[2] = c - starts[2], counts[3] = d - starts[3];
}
#endif

template <class T>
struct Scatter {
    void (*chunk)(const T*, const std::int32_t*, std::size_t, T, T*, std::size_t*) = &scatter_chunk<T>;
    std::size_t stride = chunk_rows;  // from one part's stage to the next

    Scatter() {
#ifdef CALIPERS_AVX512
        if (has_avx512()) chunk = &scatter_chunk_wide<T>, stride = stage_rows<T>;
#endif
    }
};

template <class T>
void count_block(const ScoredRows<T>& rows, std::size_t begin, std::size_t end, T pivot, Split<T>& out) {
    T spare[chunk_rows];
    std::int32_t other[chunk_rows];
    for (std::size_t at = begin; at < end; at += chunk_rows) {
        const std::size_t n = std::min(chunk_rows, end - at);
        const T* s = rows.scores.rows(at, n, spare);
        rows.truth.mark_others(at, n, other);
        count_chunk(s, other, n, pivot, out);
        if (out.nans > 0) out.note_nans(s, n, at);
    }
}

template <class T>
void scatter_block(const ScoredRows<T>& rows, std::size_t begin, std::size_t end, T pivot, T* const into[4],
                   Split<T>& out) {
    T spare[chunk_rows], stage[4 * stage_rows<T>];
    std::int32_t other[chunk_rows];
    std::size_t done[4] = {}, counts[4];
    const Scatter<T> scatter;
    for (std::size_t at = begin; at < end; at += chunk_rows) {
        const std::size_t n = std::min(chunk_rows, end - at);
        rows.truth.mark_others(at, n, other);
        scatter.chunk(rows.scores.rows(at, n, spare), other, n, pivot, stage, counts);
        for (int p = 0; p < 4; ++p) {
            const T* staged = stage + p * scatter.stride;
            note_order(out.parts[p], staged, counts[p], done[p] == 0);
            std::copy_n(staged, counts[p], into[p] + done[p]);
            done[p] += counts[p];
        }
    }
}

template <class T>
void append(Part<T>& all, const Part<T>& next) {
    if (next.count == 0) return;
    if (all.count == 0) {
        all = next;
        return;
    }
    all.ascending &= next.ascending && all.last <= next.first;
    all.descending &= next.descending && all.last >= next.first;
    all.last = next.last;
    all.count += next.count;
}

}  // namespace

void Positives::mark_others(std::size_t begin, std::size_t n, std::int32_t* out) const {
    codes.width([&](auto zero) {
        using C = decltype(zero);
        if (positive > std::numeric_limits<C>::max()) {
            std::fill_n(out, n, -1);
            return;
        }
        C spare[chunk_rows];
        Column<C> column(codes.view);
        column.data += offset;
        mark(column.rows(begin, n, spare), n, static_cast<C>(positive), out);
    });
}

template <class T>
Split<T> split(const ScoredRows<T>& rows, T pivot, T* values) {
    const std::size_t n = rows.scores.n;
    std::vector<Split<T>> blocks(block_count(n, block_rows));
    for_blocks(n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
        count_block(rows, begin, end, pivot, blocks[b]);
    });
    std::vector<std::size_t> offsets(4 * blocks.size());
    std::size_t at = 0;
    for (int p = 0; p < 4; ++p)
        for (std::size_t b = 0; b < blocks.size(); ++b) offsets[4 * b + p] = at, at += blocks[b].parts[p].count;
    for_blocks(n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
        T* into[4];
        for (int p = 0; p < 4; ++p) into[p] = values + offsets[4 * b + p];
        scatter_block(rows, begin, end, pivot, into, blocks[b]);
    });
    Split<T> all;
    for (const Split<T>& block : blocks) {
        for (int p = 0; p < 4; ++p) append(all.parts[p], block.parts[p]);
        if (all.first_nan < 0) all.first_nan = block.first_nan;
        all.nans += block.nans;
        all.low = std::min(all.low, block.low);
        all.high = std::max(all.high, block.high);
    }
    at = 0;
    for (Part<T>& part : all.parts) {
        if (part.descending && !part.ascending) {
            std::reverse(values + at, values + at + part.count);
            part.ascending = true;
        }
        at += part.count;
    }
    return all;
}

template Split<float> split(const ScoredRows<float>&, float, float*);
template Split<double> split(const ScoredRows<double>&, double, double*);

}  // namespace calipers
