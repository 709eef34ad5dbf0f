// Counts, or sums of weights, of codes and of pairs of codes.
#include <algorithm>
#include <memory>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t chunk_rows = 1024;
constexpr std::size_t one_table = (std::size_t{1} << 20) / sizeof(double);  // more cells: a table a block is too much

// Adds rows [begin, end) into `tables` tables of `cells` each. Neighbouring rows go to different tables: an addition to
// the cell just written waits some ten cycles for that store. `fill` writes a chunk's cells, in a loop of its own that
// can be vectorised.
template <class I, class V, class Fill, class Weight>
void add_rows(std::size_t begin, std::size_t end, std::size_t cells, std::size_t tables, V* sums, const Fill& fill,
              const Weight& weight) {
    I at[chunk_rows];
    V* const t0 = sums;
    V* const t1 = sums + (tables > 1 ? cells : 0);
    V* const t2 = sums + (tables > 1 ? 2 * cells : 0);
    V* const t3 = sums + (tables > 1 ? 3 * cells : 0);
    for (std::size_t from = begin; from < end; from += chunk_rows) {
        const std::size_t rows = std::min(chunk_rows, end - from);
        fill(from, rows, at);
        std::size_t i = 0;
        for (; i + 4 <= rows; i += 4) {
            t0[at[i]] += weight(from + i);
            t1[at[i + 1]] += weight(from + i + 1);
            t2[at[i + 2]] += weight(from + i + 2);
            t3[at[i + 3]] += weight(from + i + 3);
        }
        for (; i < rows; ++i) t0[at[i]] += weight(from + i);
    }
}

// Cells of all rows, of type S; V is what a block counts in.
template <class I, class V, class S, class Fill, class Weight>
std::unique_ptr<S[]> tally(std::size_t n, std::size_t cells, const Fill& fill, const Weight& weight) {
    std::unique_ptr<S[]> total(new S[cells]());
    if (cells > one_table) {
        add_rows<I>(0, n, cells, 1, total.get(), fill, weight);
        return total;
    }
    const std::size_t tables = cells <= 2048 ? 4 : 1;
    const std::size_t block = std::max(std::size_t{1} << 16, 8 * cells);  // clearing and joining stay a small part
    const std::size_t blocks = block_count(n, block);
    const std::unique_ptr<V[]> sums(new V[blocks * cells * tables]());
    // By value: what a block might change, the sum below would load again for each cell.
    const auto add = [&fill, &weight, cells, tables, first = sums.get()](std::size_t b, std::size_t begin,
                                                                          std::size_t end) {
        add_rows<I>(begin, end, cells, tables, first + b * cells * tables, fill, weight);
    };
    for_blocks(n, block, add);
    const V* from = sums.get();
    for (std::size_t t = 0; t < blocks * tables; ++t, from += cells)
        for (std::size_t c = 0; c < cells; ++c) total[c] += static_cast<S>(from[c]);
    return total;
}

// Calls keep(sums) with the cells of all rows, as int64 counts or as float64 sums of the weights.
template <class I, class Fill, class Keep>
nb::object tally_weighted(std::size_t n, std::size_t cells, const Fill& fill, nb::handle weights, const Keep& keep) {
    if (weights.is_none()) {
        std::unique_ptr<std::int64_t[]> sums;
        {
            nb::gil_scoped_release release;
            sums = tally<I, std::uint32_t, std::int64_t>(n, cells, fill, [](std::size_t) { return 1; });
        }
        return keep(sums.get());
    }
    const View view(weights, "weights");
    if (!view.holds<double>() || view.n != n) view.fail(" must be float64, one a row");
    std::unique_ptr<double[]> sums;
    {
        nb::gil_scoped_release release;
        const Strided<double> at{view.data, view.stride};
        sums = tally<I, double, double>(n, cells, fill, [at](std::size_t i) { return at[i]; });
    }
    return keep(sums.get());
}

// Where codes are counted: missing codes, and any other that has no cell, go to cell k, which is not returned.
struct Places {
    Codes codes;
    std::size_t k;

    // Calls put(i, place) for rows begin to begin + count.
    template <class Put>
    void each(std::size_t begin, std::size_t count, const Put& put) const {
        codes.rows([&, k = k](auto at) {
            using C = std::decay_t<decltype(at[0])>;
            const C end = static_cast<C>(std::min<std::size_t>(k, static_cast<C>(-1)));
            for (std::size_t i = 0; i < count; ++i) put(i, at[begin + i] < end ? at[begin + i] : k);
        });
    }
};

// Few classes need no wider cells than these: eight in one instruction. The loops take plain values, since a compiler
// must assume that bytes alias whatever else they could read.
void byte_cells(const std::uint8_t* __restrict code, std::size_t n, std::uint8_t k, std::uint16_t* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = code[i] < k ? code[i] : k;
}

void byte_cells(const std::uint8_t* __restrict row, const std::uint8_t* __restrict column, std::size_t n,
                std::uint8_t k, std::uint16_t* __restrict out) {
    const std::uint16_t across = static_cast<std::uint16_t>(k + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t down = row[i] < k ? row[i] : k, along = column[i] < k ? column[i] : k;
        out[i] = static_cast<std::uint16_t>(down * across + along);
    }
}

nb::object bincount(nb::handle codes, std::size_t k, nb::handle weights) {
    const View view(codes, "codes");
    const Codes all(view);
    const auto keep = [&](auto* sums) {
        using S = std::decay_t<decltype(*sums)>;
        const Fresh out(dtype<S>(), k);
        std::copy(sums, sums + k, out.as<S>());
        return out.array;
    };
    if (view.size == 1 && k < 256) {
        const auto fill = [at = Column<std::uint8_t>(view), last = static_cast<std::uint8_t>(k)](
                              std::size_t from, std::size_t rows, std::uint16_t* out) {
            std::uint8_t spare[chunk_rows];
            byte_cells(at.rows(from, rows, spare), rows, last, out);
        };
        return tally_weighted<std::uint16_t>(view.n, k + 1, fill, weights, keep);
    }
    const auto fill = [places = Places{all, k}](std::size_t from, std::size_t rows, std::size_t* out) {
        places.each(from, rows, [out](std::size_t i, std::size_t place) { out[i] = place; });
    };
    return tally_weighted<std::size_t>(view.n, k + 1, fill, weights, keep);
}

// A call of its own: where GCC knows that the tables do not overlap, it copies a row by `rep movs`, which takes longer
// to start than a short row takes to copy.
template <class S>
[[gnu::noinline]] void copy_cells(const S* sums, std::size_t k, S* out) {
    for (std::size_t t = 0; t < k; ++t) std::copy_n(sums + t * (k + 1), k, out + t * k);
}

nb::object confusion(nb::handle truth, nb::handle pred, std::size_t k, nb::handle weights) {
    const View rows(truth, "truth codes"), columns(pred, "pred codes");
    const Codes down(rows), across(columns);
    if (rows.n != columns.n) throw nb::value_error("truth and pred differ in length");
    const std::size_t cells = (k + 1) * (k + 1);
    const auto keep = [&](auto* sums) {
        using S = std::decay_t<decltype(*sums)>;
        const Fresh out(dtype<S>(), nb::make_tuple(k, k));
        copy_cells(sums, k, out.as<S>());
        return out.array;
    };
    if (rows.size == 1 && columns.size == 1 && k < 255) {
        const auto fill = [t = Column<std::uint8_t>(rows), p = Column<std::uint8_t>(columns),
                           last = static_cast<std::uint8_t>(k)](std::size_t from, std::size_t n, std::uint16_t* out) {
            std::uint8_t spare_t[chunk_rows], spare_p[chunk_rows];
            byte_cells(t.rows(from, n, spare_t), p.rows(from, n, spare_p), n, last, out);
        };
        return tally_weighted<std::uint16_t>(rows.n, cells, fill, weights, keep);
    }
    const auto fill = [row = Places{down, k}, column = Places{across, k}](std::size_t from, std::size_t n,
                                                                           std::size_t* out) {
        row.each(from, n, [out, across = row.k + 1](std::size_t i, std::size_t place) { out[i] = place * across; });
        column.each(from, n, [out](std::size_t i, std::size_t place) { out[i] += place; });
    };
    return tally_weighted<std::size_t>(rows.n, cells, fill, weights, keep);
}

}  // namespace

void init_confusion(nb::module_& m) {
    m.def("bincount", &bincount, nb::arg("codes"), nb::arg("k"), nb::arg("weights").none() = nb::none(),
          "How often each code occurs, or its sum of weights; a missing code is left out.");
    m.def("confusion", &confusion, nb::arg("truth"), nb::arg("pred"), nb::arg("k"),
          nb::arg("weights").none() = nb::none(),
          "How often each pair of codes occurs, truth in rows; a row with a missing code is left out.");
}

}  // namespace calipers
