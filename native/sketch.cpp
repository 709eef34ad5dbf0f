// A sketch of scores: cells that say between which two scores how many positives and negatives lie. A cell's box is the
// smallest dyadic interval of keys that contains it, so that any two boxes are nested or disjoint and the boxes of
// different sketches meet again. Cells are sorted by where their boxes begin, the larger box first.
#include <vector>

#include "keys.hpp"
#include "merge.hpp"

namespace calipers {
namespace {

using Counts = std::uint64_t;

struct Cell {
    Key<double> low, high;
    Counts pos, neg;

    int level() const { return bit_length(low ^ high); }
    Key<double> box() const { return level() < 64 ? low >> level() << level() : 0; }

    void join(const Cell& o) {
        low = std::min(low, o.low), high = std::max(high, o.high);
        pos += o.pos, neg += o.neg;
    }
};

bool before(const Cell& a, const Cell& b) {
    if (a.low == a.high && b.low == b.high) return a.low < b.low;  // as most are
    return a.box() < b.box() || (a.box() == b.box() && a.level() > b.level());
}

using Cells = std::vector<Cell>;
using Places = std::vector<std::size_t>;
using Fences = std::vector<Key<double>>;  // ascending

// Joins neighbouring cells until they are few enough. The boxes are a tree: between two neighbours lies the border of a
// node, the smallest one that contains both. All cells of a node become one where their share of the rows (of the
// positives plus of the negatives) is at most that of the heaviest node that has to be joined. What lies in a node has a
// smaller share than the node, so that it is enough to look at the borders. A border of a node that contains a fence
// stays: counts on both sides of a fence are exact.
class Shrinking {
public:
    Shrinking(const Cells& cells, const Fences& fences) : cells_(cells), shares_(cells.size() - 1) {
        sum_up(fences);
        find_shares();
    }

    // At most this number of cells, unless fences separate more. places: of each cell, which of them it is in.
    Cells to(std::size_t most, Places& places) const {
        const std::size_t joins = cells_.size() - most;
        std::vector<double> order(shares_);
        std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(joins - 1), order.end());
        const double heaviest = std::min(order[joins - 1], everything);
        Cells out;
        out.reserve(most);
        out.push_back(cells_[0]);
        places.assign(cells_.size(), 0);
        for (std::size_t k = 0; k < shares_.size(); ++k) {
            if (shares_[k] <= heaviest)
                out.back().join(cells_[k + 1]);
            else
                out.push_back(cells_[k + 1]);
            places[k + 1] = out.size() - 1;
        }
        return out;
    }

private:
    static constexpr double everything = 3;  // more than the positives and the negatives have together

    // The share of the rows in the cells before each, and how many fences were passed on the way.
    void sum_up(const Fences& fences) {
        Counts pos = 0, neg = 0;
        for (const Cell& cell : cells_) pos += cell.pos, neg += cell.neg;
        const double of_pos = pos ? 1 / double(pos) : 0, of_neg = neg ? 1 / double(neg) : 0;
        below_.reserve(cells_.size() + 1), passed_.reserve(cells_.size() + 1);
        below_.push_back(0), passed_.push_back(0);
        pos = neg = 0;
        std::size_t zone = 0;
        for (const Cell& cell : cells_) {
            pos += cell.pos, neg += cell.neg;
            below_.push_back(double(pos) * of_pos + double(neg) * of_neg);
            const bool same = (zone == 0 || fences[zone - 1] <= cell.low) && (zone == fences.size() || cell.low < fences[zone]);
            passed_.push_back(passed_.back() + std::size_t(!same));
            if (!same) zone = std::size_t(std::upper_bound(fences.begin(), fences.end(), cell.low) - fences.begin());
        }
    }

    // The share of the node at each border: it reaches to the next border of a larger node on either side.
    void find_shares() {
        const std::size_t borders = shares_.size();
        std::vector<std::uint8_t> level(borders);
        Key<double> box = cells_[0].box();
        for (std::size_t k = 0; k < borders; ++k) {
            const Key<double> next = cells_[k + 1].box();
            level[k] = std::uint8_t(std::max(cells_[k].level(), bit_length(box ^ next)));
            box = next;
        }
        std::vector<std::size_t> begin(borders), larger;  // borders of nodes that may be the next larger one
        for (std::size_t k = 0; k < borders; ++k) {
            while (!larger.empty() && level[larger.back()] <= level[k]) larger.pop_back();
            begin[k] = larger.empty() ? 0 : larger.back() + 1;
            larger.push_back(k);
        }
        larger.clear();
        for (std::size_t k = borders; k-- > 0;) {
            while (!larger.empty() && level[larger.back()] <= level[k]) larger.pop_back();
            const std::size_t end = larger.empty() ? cells_.size() : larger.back() + 1;
            const bool fenced = passed_[end] != passed_[begin[k] + 1];
            shares_[k] = fenced ? 2 * everything : below_[end] - below_[begin[k]];
            larger.push_back(k);
        }
    }

    const Cells& cells_;
    std::vector<double> shares_, below_;
    std::vector<std::size_t> passed_;
};

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

Fences read_fences(nb::handle values) {
    const View view(values, "fences");
    if (!view.holds<double>()) view.fail(" must be float64");
    Fences fences(view.n);
    std::transform(view.dense<double>(), view.dense<double>() + view.n, fences.begin(), key_of<double>);
    std::sort(fences.begin(), fences.end());
    return fences;
}

nb::tuple written(const Cells& cells) {
    const Fresh low(dtype<double>(), cells.size()), high(dtype<double>(), cells.size());
    const Fresh pos(dtype<std::int64_t>(), cells.size()), neg(dtype<std::int64_t>(), cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
        low.as<double>()[k] = value_of<double>(cells[k].low), high.as<double>()[k] = value_of<double>(cells[k].high);
        pos.as<std::int64_t>()[k] = std::int64_t(cells[k].pos), neg.as<std::int64_t>()[k] = std::int64_t(cells[k].neg);
    }
    return nb::make_tuple(low.array, high.array, pos.array, neg.array);
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
        // An eighth of the budget stays free, so that not every merge has to make room.
        if (cells.size() > budget) {
            Places fewer;
            cells = Shrinking(cells, kept).to(budget - budget / 8, fewer);
            for (std::size_t& place : places) place = fewer[place];
        }
    }
    const Fresh out(dtype<std::int64_t>(), places.size());
    std::copy(places.begin(), places.end(), out.as<std::int64_t>());
    return nb::make_tuple(written(cells), out.array);
}

nb::tuple count_scores(nb::handle pos, nb::handle neg) {
    return with_samples(pos, neg, [&](const auto& s) {
        Cells cells;
        {
            nb::gil_scoped_release release;
            cells.reserve(s.size());
            for (State at; !s.at_end(at);) {
                const auto value = s.value(at);
                const State from = at;
                while (at.i < s.positives && s.pos[at.i] == value) ++at.i;
                while (at.j < s.negatives && s.neg[at.j] == value) ++at.j;
                const Key<double> key = key_of(double(value));
                cells.push_back({key, key, at.i - from.i, at.j - from.j});
            }
        }
        return written(cells);
    });
}

// Cells of about `most` rows or one value each, whose boxes are nested or disjoint like all others: a box with more rows
// is cut in two halves, and so is one that contains a fence.
template <class T>
class Boxes {
public:
    Boxes(const TwoSamples<T>& s, std::size_t most, const Fences& fences) : s_(s), most_(most), fences_(fences) {
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
        if (low == high || (cell.pos + cell.neg <= most_ && !is_fenced(low, high))) {
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
    std::size_t most_;
    const Fences& fences_;
};

nb::tuple box_scores(nb::handle pos, nb::handle neg, std::size_t most, nb::handle fences) {
    const Fences kept = read_fences(fences);
    return with_samples(pos, neg, [&](const auto& s) {
        using T = std::decay_t<decltype(*s.pos)>;
        Cells cells;
        {
            nb::gil_scoped_release release;
            cells = std::move(Boxes<T>(s, most, kept).cells);
        }
        return written(cells);
    });
}

}  // namespace

void init_sketch(nb::module_& m) {
    m.def("count_scores", &count_scores, nb::arg("pos"), nb::arg("neg"),
          "(low, high, pos, neg): a cell for each distinct value of two ascending samples, with how often it occurs.");
    m.def("box_scores", &box_scores, nb::arg("pos"), nb::arg("neg"), nb::arg("most"), nb::arg("fences"),
          "The same, with cells of at most `most` rows instead, unless these have one value; none is over a fence.");
    m.def("merge_cells", &merge_cells, nb::arg("sketches"), nb::arg("budget"), nb::arg("fences"),
          "The cells of several sketches, each (low, high, pos, neg); more than `budget` are joined, none over a fence. Then, "
          "of each cell of the first sketch and of those after it, which of these it is in.");
}

}  // namespace calipers
