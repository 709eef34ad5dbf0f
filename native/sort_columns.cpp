// Each column of a matrix of scores against the rest: sorted and walked a column per thread, while it is in the cache.
#include <vector>

#include "curve_points.hpp"
#include "pages.hpp"
#include "parallel.hpp"
#include "sort.hpp"
#include "table.hpp"

namespace calipers {
namespace {

// Columns side by side. Rows are read a tile at a time: a column alone would touch every row's cache line.
template <class T>
Pages<T> transposed(const Table<T>& table) {
    constexpr std::size_t tile = 64;
    auto out = pages<T>(table.rows * table.columns);
    for_blocks(table.rows, tile, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t c = 0; c < table.columns; ++c)
            for (std::size_t r = begin; r < end; ++r) out[c * table.rows + r] = table.at(r, c);
    }, table.rows * table.columns < threaded_rows ? table.rows + 1 : 0);
    return out;
}

struct ColumnFacts {
    std::size_t positives = 0, nans = 0;
    std::ptrdiff_t first_nan = -1;
    double low = 0, high = 0;
    WalkResult<std::uint64_t> area{};
};

nb::tuple sort_columns(nb::handle scores, nb::handle codes) {
    const View view(scores, "scores", 2);
    const bool matrix = nb::cast<int>(codes.attr("ndim")) == 2;
    const View code_view(codes, "codes", matrix ? 2 : 1);
    if (code_view.n != view.n) throw nb::value_error("scores and codes differ in length");
    if (matrix && code_view.columns != view.columns) throw nb::value_error("scores and codes differ in columns");
    return view.floats([&](auto zero) {
        using T = decltype(zero);
        const Fresh values(dtype<T>(), nb::make_tuple(view.columns, view.n));
        std::vector<ColumnFacts> facts(view.columns);
        {
            nb::gil_scoped_release release;
            const Table<T> table(view);
            const auto columns = transposed(table);
            const auto sort = [&](std::size_t k, std::size_t, std::size_t) {
                Column<T> column(view);
                column.data = reinterpret_cast<const char*>(columns.get() + k * view.n);
                column.stride = sizeof(T), column.in_place = true;
                const Positives truth = matrix ? Positives{Codes(code_view), 1, std::ptrdiff_t(k) * code_view.across}
                                               : Positives{Codes(code_view), std::uint32_t(k)};
                T* const to = values.as<T>() + k * view.n;
                const Split<T> found = sort_scores<T>({column, truth}, false, reinterpret_cast<char*>(to));
                ColumnFacts& out = facts[k];
                out.positives = found.parts[0].count + found.parts[1].count;
                out.nans = found.nans, out.first_nan = found.first_nan;
                out.low = double(found.low), out.high = double(found.high);
                if (out.nans == 0)
                    out.area = walk_area(TwoSamples<T>(to, to + out.positives, out.positives, view.n - out.positives));
            };
            for_blocks(view.columns, 1, sort, view.n * view.columns < threaded_rows ? view.columns + 1 : 0);
        }
        nb::list found;
        for (const ColumnFacts& column : facts)
            found.append(nb::make_tuple(column.positives, column.low, column.high, column.nans, column.first_nan,
                                        column.area));
        return nb::make_tuple(values.array, found);
    });
}

}  // namespace

void init_sort_columns(nb::module_& m) {
    m.def("sort_columns", &sort_columns, nb::arg("scores"), nb::arg("codes"),
          "(values, [(positives, low, high, nans, first_nan, walk), ...]): row k of values has the scores of column k, those of "
          "code k (or, of a matrix of codes, those whose code is 1) first, each part ascending; walk is of full=False.");
}

}  // namespace calipers
