// Cells of ascending scores, found without a look at every row: the tree of boxes is cut open from the top, and a box whose
// rows stay together is one cell. Each class may have several runs, which are merged only within boxes that fit the cache.
#include "cells.hpp"
#include "runs.hpp"

namespace calipers {
namespace {

// Scores of both classes.
template <class T>
struct Scores {
    Runs<T> pos, neg;

    std::size_t positives() const { return rows_of(pos); }
    std::size_t negatives() const { return rows_of(neg); }
    std::size_t size() const { return positives() + negatives(); }

    // All of them in one cell; there are some.
    Cell cell() const {
        Cell all{~Key<double>{0}, 0, positives(), negatives()};
        for (const Runs<T>* runs : {&pos, &neg})
            for (const Run<T>& run : *runs) {
                all.low = std::min(all.low, key_of(double(run.begin[0])));
                all.high = std::max(all.high, key_of(double(run.end[-1])));
            }
        return all;
    }
};

// Scores of which each class is in one run: those of several runs are merged here.
template <class T>
class Merged {
public:
    TwoSamples<T> of(const Scores<T>& s) {
        const Run<T> pos = one(s.pos, pos_), neg = one(s.neg, neg_);
        return {pos.begin, neg.begin, pos.size(), neg.size()};
    }

private:
    static Run<T> one(const Runs<T>& runs, std::vector<T>& room) {
        if (runs.empty()) return {nullptr, nullptr};
        if (runs.size() == 1) return runs[0];
        const std::size_t rows = rows_of(runs);
        if (room.size() < rows) room.resize(rows);
        merge_runs(runs, room.data());
        return {room.data(), room.data() + rows};
    }

    std::vector<T> pos_, neg_;
};

// The boxes that are small enough, or have one value. A larger one is cut in two halves, and so is one that contains a
// fence.
template <class T, class IsSmall>
class Boxes {
public:
    Boxes(const Scores<T>& scores, std::size_t likely, const Fences& fences, IsSmall is_small)
        : fences_(fences), is_small_(is_small) {
        cells.reserve(std::min(scores.size(), likely));
        add(scores);
    }

    Cells cells;

private:
    static Key<double> key(T value) { return key_of(double(value)); }
    static bool is_less(T value, Key<double> k) { return key(value) < k; }

    void add(const Scores<T>& scores) {
        if (scores.size() == 0) return;
        if (scores.size() <= cached_rows || (scores.pos.size() <= 1 && scores.neg.size() <= 1)) {
            const TwoSamples<T> s = merged_.of(scores);
            return add(s, {}, s.end());
        }
        const Cell cell = scores.cell();
        if (is_whole(cell)) return cells.push_back(cell);
        Scores<T> below, above;
        split(scores.pos, half(cell), below.pos, above.pos), split(scores.neg, half(cell), below.neg, above.neg);
        add(below), add(above);
    }

    void add(const TwoSamples<T>& s, State from, State to) {
        const Key<double> low = key(s.value(from));
        Key<double> high = low;
        if (to.i > from.i) high = std::max(high, key(s.pos[to.i - 1]));
        if (to.j > from.j) high = std::max(high, key(s.neg[to.j - 1]));
        const Cell cell{low, high, to.i - from.i, to.j - from.j};
        if (is_whole(cell)) return cells.push_back(cell);
        const State middle = below(s, half(cell), from, to);
        add(s, from, middle), add(s, middle, to);
    }

    bool is_whole(const Cell& cell) const {
        return cell.low == cell.high || (is_small_(cell) && !is_fenced(cell.low, cell.high));
    }

    // Where the upper half of a box begins.
    static Key<double> half(const Cell& cell) { return (cell.high >> (cell.level() - 1)) << (cell.level() - 1); }

    static State below(const TwoSamples<T>& s, Key<double> at, State from, State to) {
        return {static_cast<std::size_t>(std::lower_bound(s.pos + from.i, s.pos + to.i, at, is_less) - s.pos),
                static_cast<std::size_t>(std::lower_bound(s.neg + from.j, s.neg + to.j, at, is_less) - s.neg)};
    }

    static void split(const Runs<T>& runs, Key<double> at, Runs<T>& below, Runs<T>& above) {
        for (const Run<T>& run : runs) {
            const T* const middle = std::lower_bound(run.begin, run.end, at, is_less);
            if (middle != run.begin) below.push_back({run.begin, middle});
            if (middle != run.end) above.push_back({middle, run.end});
        }
    }

    // Whether counts below a fence are not those of whole cells.
    bool is_fenced(Key<double> low, Key<double> high) const {
        const auto next = std::upper_bound(fences_.begin(), fences_.end(), low);
        return next != fences_.end() && *next <= high;
    }

    const Fences& fences_;
    IsSmall is_small_;
    Merged<T> merged_;
};

// likely: how many they may be.
template <class T, class IsSmall>
Cells boxes(const Scores<T>& scores, std::size_t likely, const Fences& fences, IsSmall is_small) {
    return std::move(Boxes<T, IsSmall>(scores, likely, fences, is_small).cells);
}

// A cell for each distinct value.
template <class T>
Cells single_values(const Scores<T>& scores) {
    Merged<T> merged;
    const TwoSamples<T> s = merged.of(scores);
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
Cells few_cells(const Scores<T>& scores, std::size_t budget, const Fences& fences) {
    const std::size_t most = room(budget);
    const double of_pos = share_of_one(scores.positives()), of_neg = share_of_one(scores.negatives());
    for (double limit = 2 / double(most);; limit /= 4) {
        Cells cells = boxes(scores, 2 * budget, fences, [&](const Cell& cell) {
            return double(cell.pos) * of_pos + double(cell.neg) * of_neg <= limit;
        });
        if (cells.size() > budget) return Shrinking(std::move(cells), fences).to(most);
        if (std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.low == cell.high; })) return cells;
    }
}

nb::tuple count_scores(nb::list pos, nb::list neg, std::size_t budget, nb::handle fences) {
    const Fences kept = read_fences(fences);
    const Samples positives(pos), negatives(neg);
    return positives.floats([&](auto zero) {
        using T = decltype(zero);
        const Scores<T> scores{positives.runs<T>(), negatives.runs<T>()};
        Cells cells;
        {
            nb::gil_scoped_release release;
            cells = scores.size() <= budget ? single_values(scores) : few_cells(scores, budget, kept);
        }
        return written(cells);
    });
}

nb::tuple box_scores(nb::handle pos, nb::handle neg, std::size_t most, nb::handle fences) {
    const Fences kept = read_fences(fences);
    return with_samples(pos, neg, [&](const auto& s) {
        using T = std::decay_t<decltype(*s.pos)>;
        Cells cells;
        {
            nb::gil_scoped_release release;
            const Scores<T> scores{{{s.pos, s.pos + s.positives}}, {{s.neg, s.neg + s.negatives}}};
            const std::size_t likely = 2 * (scores.size() / std::max<std::size_t>(most, 1) + 1);
            cells = boxes(scores, likely, kept, [&](const Cell& cell) { return cell.pos + cell.neg <= most; });
        }
        return written(cells);
    });
}

}  // namespace

void init_boxes(nb::module_& m) {
    m.def("count_scores", &count_scores, nb::arg("pos"), nb::arg("neg"), nb::arg("budget"), nb::arg("fences"),
          "(low, high, pos, neg): a cell for each distinct value of two lists of ascending samples, with how often it occurs. "
          "More than `budget` are joined, none over a fence.");
    m.def("box_scores", &box_scores, nb::arg("pos"), nb::arg("neg"), nb::arg("most"), nb::arg("fences"),
          "(low, high, pos, neg): cells of at most `most` rows of two ascending samples, unless they have one value; none "
          "reaches over a fence.");
}

}  // namespace calipers
