// Long columns of numbers: their means, a copy, and the values that lie between two numbers, for quantiles without a sort.
#include <nanobind/stl/pair.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "columns.hpp"
#include "twin.hpp"

namespace calipers {
namespace {

constexpr std::size_t chunk_rows = 512;

struct Picked {
    std::size_t below = 0;
    std::vector<double> inside;
};

CALIPERS_CLONES void sizes(const double* x, const double* y, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::fabs(y[i] - x[i]);
}

// How many are below, and those inside: each is written, and counts only where it is inside.
void pick_plain(const double* x, std::size_t n, double first, double last, double* to, Picked& out) {
    std::size_t inside = 0;
    for (std::size_t i = 0; i < n; ++i) {
        to[inside] = x[i];
        out.below += x[i] < first, inside += (x[i] >= first) & (x[i] <= last);
    }
    out.inside.insert(out.inside.end(), to, to + inside);
}

#ifdef CALIPERS_AVX512
CALIPERS_AVX512 void pick_wide(const double* x, std::size_t n, double first, double last, double* to, Picked& out) {
    const __m512d from = _mm512_set1_pd(first), until = _mm512_set1_pd(last);
    double* end = to;
    for (std::size_t i = 0; i < n; i += 8) {
        const auto rows = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);
        const __m512d values = _mm512_maskz_loadu_pd(rows, x + i);
        const __mmask8 low = _mm512_mask_cmp_pd_mask(rows, values, from, _CMP_LT_OQ);
        const __mmask8 held = _mm512_mask_cmp_pd_mask(rows & ~low, values, until, _CMP_LE_OQ);
        out.below += static_cast<std::size_t>(__builtin_popcount(low));
        _mm512_storeu_pd(end, _mm512_maskz_compress_pd(held, values));
        end += __builtin_popcount(held);
    }
    out.inside.insert(out.inside.end(), to, end);
}
#endif

auto picker() {
#ifdef CALIPERS_AVX512
    if (has_avx512()) return &pick_wide;
#endif
    return &pick_plain;
}

// (how many lie below `first`, those from `first` to `last` in the order of the rows): of the values, or of the sizes of
// their differences from another column.
nb::tuple pick(nb::handle values, nb::handle other, double first, double last) {
    const bool apart = !other.is_none();
    const Columns columns(values, "values", apart ? other : values, "other", nb::none());
    std::vector<Picked> found(columns.block_count());
    const auto pick_chunk = picker();
    columns.blocks([&](std::size_t b, const Columns::Block& block) {
        for (std::size_t at = 0; at < block.rows; at += chunk_rows) {
            alignas(64) double size[chunk_rows], inside[chunk_rows + 8];  // a vector may be stored past the last
            const std::size_t n = std::min(chunk_rows, block.rows - at);
            if (apart) sizes(block.x + at, block.y + at, n, size);
            pick_chunk(apart ? size : block.x + at, n, first, last, inside, found[b]);
        }
    });
    std::size_t below = 0, total = 0;
    for (const Picked& block : found) below += block.below, total += block.inside.size();
    const Fresh inside(dtype<double>(), total);
    double* to = inside.as<double>();
    for (const Picked& block : found) to = std::copy(block.inside.begin(), block.inside.end(), to);
    return nb::make_tuple(below, inside.array);
}

struct AddDifferences {
    template <class V>
    CALIPERS_INLINE static void run(const double* x, std::size_t n, double from, double& out) {
        V sum = all_lanes<V>(0);
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8) sum += from8<V>(x + i) - from;
        out = total(sum);
        for (; i < n; ++i) out += x[i] - from;
    }
};

// The means of two columns, as the first value and what the others differ from it: exact where all are the same. One is
// finite where all values are, unless differences are too large for a double.
nb::tuple means(nb::handle first, nb::handle second) {
    const Columns columns(first, "first", second, "second", nb::none());
    if (columns.n == 0) return nb::make_tuple(std::nan(""), std::nan(""));
    std::vector<double> sums(columns.block_count()), others(columns.block_count());
    const Columns::Block start(columns, 0, 1);
    const double x = start.x[0], y = start.y[0], n = static_cast<double>(columns.n);
    columns.blocks([&](std::size_t b, const Columns::Block& block) {
        on_lanes<AddDifferences>(block.x, block.rows, x, sums[b]);
        on_lanes<AddDifferences>(block.y, block.rows, y, others[b]);
    });
    return nb::make_tuple(x + std::accumulate(sums.begin(), sums.end(), 0.0) / n,
                          y + std::accumulate(others.begin(), others.end(), 0.0) / n);
}

// Copies of two columns of one type as the rows of one array, made from all threads. One block of memory, because new
// memory costs more than what is written to it, and the allocator gives back two at once to the system.
nb::object copied(nb::handle first, nb::handle second) {
    const View columns[] = {View(first, "first"), View(second, "second")};
    const std::size_t n = columns[0].n, size = columns[0].size;
    if (columns[1].n != n || columns[1].size != size || columns[1].kind != columns[0].kind)
        columns[1].fail(" must be of the type and length of the first");
    const Fresh out(first.attr("dtype"), nb::make_tuple(2, n));
    {  // the GIL is back before the array is handed out
        nb::gil_scoped_release release;
        for_blocks(n, std::size_t{1} << 15, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t c = 0; c < 2; ++c) {
                const View& view = columns[c];
                char* const to = out.data + c * n * size;
                if (view.stride == static_cast<std::ptrdiff_t>(size))
                    std::memcpy(to + begin * size, view.data + begin * size, (end - begin) * size);
                else
                    for (std::size_t i = begin; i < end; ++i)
                        std::memcpy(to + i * size, view.data + static_cast<std::ptrdiff_t>(i) * view.stride, size);
            }
        });
    }
    return out.array;
}

}  // namespace

void init_pick(nb::module_& m) {
    m.def("means", &means, nb::arg("first"), nb::arg("second"), "The means of two columns of numbers.");
    m.def("copied", &copied, nb::arg("first"), nb::arg("second"), "Two columns of one type as an array of two rows.");
    m.def("pick", &pick, nb::arg("values"), nb::arg("other").none(), nb::arg("first"), nb::arg("last"),
          "(how many values, or sizes of differences, lie below `first`; those from `first` to `last`).");
}

}  // namespace calipers
