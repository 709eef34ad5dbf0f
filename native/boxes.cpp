// Cells of two ascending samples, found without a look at every row: the tree of boxes is cut open from the top, and a box
// whose rows stay together is one cell.
#include "cells.hpp"
#include "merge.hpp"

namespace calipers {
namespace {

// The boxes that are small enough, or have one value. A larger one is cut in two halves, and so is one that contains a
// fence.
template <class T, class IsSmall>
class Boxes {
public:
    Boxes(const TwoSamples<T>& s, const Fences& fences, IsSmall is_small) : s_(s), fences_(fences), is_small_(is_small) {
        if (s.size() > 0) add({}, s.end());
    }

    Cells cells;

private:
    static Key<double> key(T value) { return key_of(double(value)); }

    void add(State from, State to) {
        const Key<double> low = key(s_.value(from));
        Key<double> high = low;
        if (to.i > from.i) high = std::max(high, key(s_.pos[to.i - 1]));
        if (to.j > from.j) high = std::max(high, key(s_.neg[to.j - 1]));
        const Cell cell{low, high, to.i - from.i, to.j - from.j};
        if (low == high || (is_small_(cell) && !is_fenced(low, high))) {
            cells.push_back(cell);
            return;
        }
        const Key<double> half = (high >> (cell.level() - 1)) << (cell.level() - 1);  // where the upper half begins
        const State middle = below(half, from, to);
        add(from, middle), add(middle, to);
    }

    State below(Key<double> at, State from, State to) const {
        const auto less = [](T value, Key<double> k) { return key(value) < k; };
        return {static_cast<std::size_t>(std::lower_bound(s_.pos + from.i, s_.pos + to.i, at, less) - s_.pos),
                static_cast<std::size_t>(std::lower_bound(s_.neg + from.j, s_.neg + to.j, at, less) - s_.neg)};
    }

    // Whether counts below a fence are not those of whole cells.
    bool is_fenced(Key<double> low, Key<double> high) const {
        const auto next = std::upper_bound(fences_.begin(), fences_.end(), low);
        return next != fences_.end() && *next <= high;
    }

    const TwoSamples<T>& s_;
    const Fences& fences_;
    IsSmall is_small_;
};

template <class T, class IsSmall>
Cells boxes(const TwoSamples<T>& s, const Fences& fences, IsSmall is_small) {
    return std::move(Boxes<T, IsSmall>(s, fences, is_small).cells);
}

// A cell for each distinct value.
template <class T>
Cells single_values(const TwoSamples<T>& s) {
    Cells cells;
    cells.reserve(s.size());
    for (State at; !s.at_end(at);) {
        const T value = s.value(at);
        const State from = at;
        while (at.i < s.positives && s.pos[at.i] == value) ++at.i;
        while (at.j < s.negatives && s.neg[at.j] == value) ++at.j;
        const Key<double> key = key_of(double(value));
        cells.push_back({key, key, at.i - from.i, at.j - from.j});
    }
    return cells;
}

// The cells that are left of a cell for each distinct value where those are more than the budget. They are joined in order
// of their share, so that it is enough to begin with the boxes of a smaller share than that of the last join. It is not
// known before, but it is larger if these boxes are more than the budget.
template <class T>
Cells few_cells(const TwoSamples<T>& s, std::size_t budget, const Fences& fences) {
    const std::size_t most = room(budget);
    const double of_pos = share_of_one(s.positives), of_neg = share_of_one(s.negatives);
    for (double limit = 1 / double(most);; limit /= 4) {
        Cells cells = boxes(s, fences, [&](const Cell& cell) {
            return double(cell.pos) * of_pos + double(cell.neg) * of_neg <= limit;
        });
        Places places;
        if (cells.size() > budget) return Shrinking(cells, fences).to(most, places);
        if (std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.low == cell.high; })) return cells;
    }
}

nb::tuple count_scores(nb::handle pos, nb::handle neg, std::size_t budget, nb::handle fences) {
    const Fences kept = read_fences(fences);
    return with_samples(pos, neg, [&](const auto& s) {
        Cells cells;
        {
            nb::gil_scoped_release release;
            cells = s.size() <= budget ? single_values(s) : few_cells(s, budget, kept);
        }
        return written(cells);
    });
}

nb::tuple box_scores(nb::handle pos, nb::handle neg, std::size_t most, nb::handle fences) {
    const Fences kept = read_fences(fences);
    return with_samples(pos, neg, [&](const auto& s) {
        Cells cells;
        {
            nb::gil_scoped_release release;
            cells = boxes(s, kept, [&](const Cell& cell) { return cell.pos + cell.neg <= most; });
        }
        return written(cells);
    });
}

}  // namespace

void init_boxes(nb::module_& m) {
    m.def("count_scores", &count_scores, nb::arg("pos"), nb::arg("neg"), nb::arg("budget"), nb::arg("fences"),
          "(low, high, pos, neg): a cell for each distinct value of two ascending samples, with how often it occurs. More than "
          "`budget` are joined, none over a fence.");
    m.def("box_scores", &box_scores, nb::arg("pos"), nb::arg("neg"), nb::arg("most"), nb::arg("fences"),
          "The same, with cells of at most `most` rows instead, unless these have one value.");
}

}  // namespace calipers
