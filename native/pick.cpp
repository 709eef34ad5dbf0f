// Long columns of numbers: their mean, a copy, and the values that lie between two numbers, for quantiles without a sort.
#include <nanobind/stl/pair.h>

#include <cmath>
#include <vector>

#include "columns.hpp"
#include "lanes.hpp"

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

CALIPERS_CLONES void add_differences(const double* x, std::size_t n, double from, double& out) {
    F8 sum{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) sum += lanes<F8>(x + i) - from;
    out = total(sum);
    for (; i < n; ++i) out += x[i] - from;
}

// The mean of a column, as the first value and what the others differ from it: exact where all are the same. It is
// finite where all are, unless differences are too large for a double.
double mean(nb::handle column) {
    const Columns columns(column, "column", column, "column", nb::none());
    if (columns.n == 0) return std::nan("");
    std::vector<double> sums(columns.block_count());
    const double first = Columns::Block(columns, 0, 1).x[0];
    columns.blocks([&](std::size_t b, const Columns::Block& block) { add_differences(block.x, block.rows, first, sums[b]); });
    double all = 0;
    for (const double sum : sums) all += sum;
    return first + all / static_cast<double>(columns.n);
}

// A column's own copy, made from all threads: new memory costs more than what is written to it.
nb::object copied(nb::handle column) {
    const View view(column, "column");
    const Fresh out(column.attr("dtype"), view.n);
    const bool dense = view.stride == static_cast<std::ptrdiff_t>(view.size);
    nb::gil_scoped_release release;
    for_blocks(view.n, std::size_t{1} << 16, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (dense) std::memcpy(out.data + begin * view.size, view.data + begin * view.size, (end - begin) * view.size);
        for (std::size_t i = begin; !dense && i < end; ++i)
            std::memcpy(out.data + i * view.size, view.data + static_cast<std::ptrdiff_t>(i) * view.stride, view.size);
    });
    return out.array;
}

}  // namespace

void init_pick(nb::module_& m) {
    m.def("mean", &mean, nb::arg("column"), "The mean of a column of numbers.");
    m.def("copied", &copied, nb::arg("column"), "A copy of a column of numbers.");
    m.def("pick", &pick, nb::arg("values"), nb::arg("other").none(), nb::arg("first"), nb::arg("last"),
          "(how many values, or sizes of differences, lie below `first`; those from `first` to `last`).");
}

}  // namespace calipers
