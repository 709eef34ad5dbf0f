// Sums over the rows that bootstrap replicates draw (see draws.hpp): of tables, bins, labels and means, several of them, and
// several models, in one pass that draws each row once.
#include <algorithm>
#include <memory>
#include <vector>

#include "draws.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t chunk = 256;     // rows drawn before they are summed: their draws stay in the nearest cache
constexpr std::size_t together = 4;    // lanes of replicates that a task takes through the rows
constexpr std::size_t task = together * width;

// Cells that rows are summed into: one per code, of each row's value, or 1 where there are no values.
struct Cells {
    const std::uint32_t* codes;
    const double* values;
    std::size_t first, count;
};

struct Rows {
    std::size_t n;
    const double* weights;
    const std::uint64_t* keys;
};

// `drawn` and `cells` hold eight doubles per row and per cell.
struct DrawRows {
    template <class V>
    CALIPERS_INLINE static void run(const Rows& rows, std::size_t begin, std::size_t count, const std::uint64_t* streams,
                                    double* drawn) {
        Draw<V> draw(streams);
        if (rows.keys) {
            for (std::size_t k = 0; k < count; ++k) {
                const std::uint64_t key = rows.keys[begin + k];
                draw.pair(key >> 1);
                store8(drawn + k * width, key & 1 ? draw.odd() : draw.even());
            }
        } else {
            for (std::size_t k = 0; k < count; k += 2) {  // begin is even; one draw more than `count` has its place
                draw.pair((begin + k) >> 1);
                store8(drawn + k * width, draw.even()), store8(drawn + (k + 1) * width, draw.odd());
            }
        }
        if (!rows.weights) return;
        for (std::size_t k = 0; k < count; ++k)
            store8(drawn + k * width, from8<V>(drawn + k * width) * rows.weights[begin + k]);
    }
};

struct AddRows {
    template <class V>
    CALIPERS_INLINE static void run(const Cells& c, std::size_t begin, std::size_t count, const double* drawn,
                                    double* cells) {
        const std::uint32_t* codes = c.codes ? c.codes + begin : nullptr;
        const double* values = c.values ? c.values + begin : nullptr;
        cells += c.first * width;
        if (!codes) {
            V sum = from8<V>(cells);
            for (std::size_t k = 0; k < count; ++k)
                sum += values ? from8<V>(drawn + k * width) * values[k] : from8<V>(drawn + k * width);
            store8(cells, sum);
            return;
        }
        for (std::size_t k = 0; k < count; ++k) {
            double* cell = cells + codes[k] * width;
            const V times = from8<V>(drawn + k * width);
            store8(cell, from8<V>(cell) + (values ? times * values[k] : times));
        }
    }
};

// One task: up to `task` replicates from `first` on.
void sum_rows(const Rows& rows, const std::vector<Cells>& columns, std::size_t size, std::uint64_t seed,
              std::uint64_t first, std::size_t count, double* out) {
    const std::size_t groups = (count + width - 1) / width;
    const std::unique_ptr<double[]> cells(new double[groups * size * width]());
    alignas(64) double drawn[chunk * width];
    std::uint64_t streams[task];
    for (std::size_t l = 0; l < task; ++l) streams[l] = stream(seed, first + l);
    for (std::size_t begin = 0; begin < rows.n; begin += chunk) {
        const std::size_t some = std::min(chunk, rows.n - begin);
        for (std::size_t g = 0; g < groups; ++g) {
            double* sums = cells.get() + g * size * width;
            on_lanes<DrawRows>(rows, begin, some, streams + g * width, drawn);
            for (const Cells& column : columns) on_lanes<AddRows>(column, begin, some, drawn, sums);
        }
    }
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t k = 0; k < size; ++k) out[r * size + k] = cells[(r / width * size + k) * width + r % width];
}

// A column of the caller, checked: codes below the number of cells, values and codes one per row.
class Checked {
public:
    Checked(nb::handle codes, std::size_t count, nb::handle values, std::size_t n, std::size_t first)
        : values_(values, "values", n), cells{nullptr, values_.data, first, count} {
        if (codes.is_none()) {
            if (count != 1) throw nb::value_error("rows without codes are summed into one cell");
            return;
        }
        codes_.emplace(codes, "codes");
        if (!codes_->holds<std::uint32_t>() || codes_->n != n) codes_->fail(" must be uint32, one per row");
        cells.codes = codes_->dense<std::uint32_t>();
        if (std::any_of(cells.codes, cells.codes + n, [&](std::uint32_t code) { return code >= count; }))
            throw nb::value_error("a code lies beyond the cells");
    }

private:
    std::optional<View> codes_;
    Weights values_;

public:
    Cells cells;
};

nb::object resampled_sums(std::size_t n, nb::handle columns, nb::handle weights, nb::handle keys, std::uint64_t seed,
                          std::uint64_t first, std::size_t count) {
    const Weights own(weights, "weights", n);
    const Keys groups(keys, "keys", n);
    std::vector<std::unique_ptr<Checked>> checked;
    std::vector<Cells> cells;
    std::size_t size = 0;
    for (const nb::handle column : columns) {
        const auto cells_of_it = nb::cast<std::size_t>(column[1]);
        checked.push_back(std::make_unique<Checked>(column[0], cells_of_it, column[2], n, size));
        cells.push_back(checked.back()->cells);
        size += cells_of_it;
    }
    const Fresh out(dtype<double>(), nb::make_tuple(count, size));
    nb::gil_scoped_release release;
    const Rows rows{n, own.data, groups.data};
    const std::size_t worth = (std::size_t{1} << 17) / std::max<std::size_t>(n, 1) + 2;
    for_blocks(count, task, [&](std::size_t, std::size_t begin, std::size_t end) {
        sum_rows(rows, cells, size, seed, first + begin, end - begin, out.as<double>() + begin * size);
    }, worth);
    return out.array;
}

}  // namespace

void init_resampled_sums(nb::module_& m) {
    m.def("resampled_sums", &resampled_sums, nb::arg("n"), nb::arg("columns"), nb::arg("weights").none(),
          nb::arg("keys").none(), nb::arg("seed"), nb::arg("first"), nb::arg("count"),
          "A row for each replicate from `first` on: the sums of columns (codes or None, number of cells, values or None)."
          " Row k is drawn as key k, or as its own key.");
}

}  // namespace calipers
