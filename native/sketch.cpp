// Sketches of scores become one: their cells in order, and neighbours joined where they are too many.
#include "cells.hpp"

namespace calipers {
namespace {

// A cell with its number among those that were given.
struct Given {
    Cell cell;
    std::size_t number;
};

// Appends the cells of four columns, which are in order, and brings them in order with those before. Few change places
// where one sketch lies above the other.
void append(nb::handle columns, std::vector<Given>& cells) {
    const nb::tuple four = nb::cast<nb::tuple>(columns);
    const View low(four[0], "low"), high(four[1], "high"), pos(four[2], "pos"), neg(four[3], "neg");
    if (!low.holds<double>() || !high.holds<double>()) low.fail(" and high must be float64");
    if (!pos.holds<std::int64_t>() || !neg.holds<std::int64_t>()) pos.fail(" and neg must be int64");
    if (high.n != low.n || pos.n != low.n || neg.n != low.n) low.fail(" must be as long as high, pos and neg");
    const auto middle = std::ptrdiff_t(cells.size());
    for (std::size_t k = 0; k < low.n; ++k) {
        const Cell cell{key_of(low.dense<double>()[k]), key_of(high.dense<double>()[k]),
                        Counts(pos.dense<std::int64_t>()[k]), Counts(neg.dense<std::int64_t>()[k])};
        cells.push_back({cell, cells.size()});
    }
    if (low.n == 0) return;
    const auto less = [](const Given& a, const Given& b) { return before(a.cell, b.cell); };
    const auto first = std::upper_bound(cells.begin(), cells.begin() + middle, cells[std::size_t(middle)], less);
    std::inplace_merge(first, cells.begin() + middle, cells.end(), less);
}

// Cells in order, those of one box as one; places: of each cell that was given, which of them it is in.
Cells joined(const std::vector<Given>& given, Places& places) {
    Cells out;
    out.reserve(given.size()), places.resize(given.size());
    for (const auto& [cell, number] : given) {
        if (!out.empty() && !before(out.back(), cell))  // the same box
            out.back().join(cell);
        else
            out.push_back(cell);
        places[number] = out.size() - 1;
    }
    return out;
}

nb::tuple merge_cells(nb::list sketches, std::size_t budget, nb::handle fences) {
    const Fences kept = read_fences(fences);
    std::vector<Given> given;
    for (const nb::handle columns : sketches) append(columns, given);
    Cells cells;
    Places places;
    {
        nb::gil_scoped_release release;
        cells = joined(given, places);
        if (cells.size() > budget) {
            Places fewer;
            cells = Shrinking(cells, kept).to(room(budget), fewer);
            for (std::size_t& place : places) place = fewer[place];
        }
    }
    const Fresh out(dtype<std::int64_t>(), places.size());
    std::copy(places.begin(), places.end(), out.as<std::int64_t>());
    return nb::make_tuple(written(cells), out.array);
}

}  // namespace

void init_sketch(nb::module_& m) {
    m.def("merge_cells", &merge_cells, nb::arg("sketches"), nb::arg("budget"), nb::arg("fences"),
          "The cells of several sketches, each (low, high, pos, neg); more than `budget` are joined, none over a fence. Then, "
          "of each cell of the first sketch and of those after it, which of these it is in.");
}

}  // namespace calipers
