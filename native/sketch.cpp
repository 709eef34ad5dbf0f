// Sketches of scores become one: their cells in order, and neighbours joined where they are too many.
#include <list>

#include "cells.hpp"

namespace calipers {
namespace {

// The cells of one sketch, from the first to the last.
class Sketch {
public:
    // number: of its first cell among those of all sketches.
    Sketch(const nb::tuple& columns, std::size_t number)
        : number(number), low_(columns[0], "low"), high_(columns[1], "high"), pos_(columns[2], "pos"), neg_(columns[3], "neg") {
        if (!low_.holds<double>() || !high_.holds<double>()) low_.fail(" and high must be float64");
        if (!pos_.holds<std::int64_t>() || !neg_.holds<std::int64_t>()) pos_.fail(" and neg must be int64");
        if (high_.n != low_.n || pos_.n != low_.n || neg_.n != low_.n) low_.fail(" must be as long as high, pos and neg");
        lows_ = low_.dense<double>(), highs_ = high_.dense<double>();
        positives_ = pos_.dense<std::int64_t>(), negatives_ = neg_.dense<std::int64_t>();
        read();
    }

    std::size_t size() const { return low_.n; }
    bool is_over() const { return at_ == size(); }

    void next() {
        ++at_, ++number;
        read();
    }

    Cell cell{};
    std::size_t number;

private:
    void read() {
        if (!is_over()) cell = {key_of(lows_[at_]), key_of(highs_[at_]), Counts(positives_[at_]), Counts(negatives_[at_])};
    }

    View low_, high_, pos_, neg_;
    const double *lows_, *highs_;
    const std::int64_t *positives_, *negatives_;
    std::size_t at_ = 0;
};

// The cells of all sketches in order, those of one box as one; places: of each cell, which of them it is in.
Cells joined(std::list<Sketch>& sketches, std::size_t count, Places& places) {
    std::vector<Sketch*> next;  // a heap
    for (Sketch& sketch : sketches)
        if (!sketch.is_over()) next.push_back(&sketch);
    const auto is_later = [](const Sketch* a, const Sketch* b) { return before(b->cell, a->cell); };
    std::make_heap(next.begin(), next.end(), is_later);
    Cells out;
    out.reserve(count), places.resize(count);
    while (!next.empty()) {
        std::pop_heap(next.begin(), next.end(), is_later);
        Sketch& first = *next.back();
        if (!out.empty() && !before(out.back(), first.cell))  // the same box
            out.back().join(first.cell);
        else
            out.push_back(first.cell);
        places[first.number] = std::uint32_t(out.size() - 1);
        first.next();
        if (first.is_over())
            next.pop_back();
        else
            std::push_heap(next.begin(), next.end(), is_later);
    }
    return out;
}

nb::tuple merge_cells(nb::list columns, std::size_t budget, nb::handle fences) {
    const Fences kept = read_fences(fences);
    std::list<Sketch> sketches;
    std::size_t count = 0;
    for (const nb::handle four : columns) {
        sketches.emplace_back(nb::cast<nb::tuple>(four), count);
        count += sketches.back().size();
    }
    Cells cells;
    Places places;
    {
        nb::gil_scoped_release release;
        cells = joined(sketches, count, places);
        if (cells.size() > budget) {
            Places fewer;
            cells = Shrinking(std::move(cells), kept).to(room(budget), &fewer);
            for (std::uint32_t& place : places) place = fewer[place];
        }
    }
    const Fresh out(dtype<std::uint32_t>(), places.size());
    std::copy(places.begin(), places.end(), out.as<std::uint32_t>());
    return nb::make_tuple(written(cells), out.array);
}

}  // namespace

void init_sketch(nb::module_& m) {
    m.def("merge_cells", &merge_cells, nb::arg("sketches"), nb::arg("budget"), nb::arg("fences"),
          "The cells of several sketches, each (low, high, pos, neg); more than `budget` are joined, none over a fence. Then, "
          "of each cell of the first sketch and of those after it, which of these it is in.");
}

}  // namespace calipers
