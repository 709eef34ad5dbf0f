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
    return a.box() < b.box() || (a.box() == b.box() && a.level() > b.level());
}

using Cells = std::vector<Cell>;

// Joins neighbouring cells until they are few enough: all cells of a node of the tree of boxes become one where together
// they have at most `share` of the rows, as shares of the positives plus shares of the negatives. No cell reaches over a
// fence: counts on both sides of it stay exact.
class Shrinking {
public:
    Shrinking(Cells& cells, const double* fences, std::size_t count) : cells_(cells) {
        for (std::size_t k = 0; k < count; ++k) fences_.push_back(key_of(fences[k]));
        std::sort(fences_.begin(), fences_.end());
    }

    void to(std::size_t most) {
        // Nodes that are just light enough have some 70 % of the share that they may have.
        constexpr double everything = 2, usual = 1.3, step = 1.1;
        for (share_ = usual * everything / double(most); cells_.size() > most; share_ *= step) {
            sum_up();
            Cells joined;
            joined.reserve(cells_.size());
            walk(0, cells_.size(), joined);
            cells_.swap(joined);
            if (share_ > everything) return;  // what is left, fences keep apart
        }
    }

private:
    void sum_up() {
        Counts pos = 0, neg = 0;
        for (const Cell& cell : cells_) pos += cell.pos, neg += cell.neg;
        const double of_pos = pos ? 1 / double(pos) : 0, of_neg = neg ? 1 / double(neg) : 0;
        below_.resize(cells_.size() + 1);
        pos = neg = 0;
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            pos += cells_[k].pos, neg += cells_[k].neg;
            below_[k + 1] = double(pos) * of_pos + double(neg) * of_neg;
        }
    }

    bool fenced(const Cell& cell) const {
        const auto next = std::upper_bound(fences_.begin(), fences_.end(), cell.low);
        return next != fences_.end() && *next <= cell.high;
    }

    // The cells [from, to), which are all those of one node and have different boxes. Each level is a bit of a key: the
    // recursion is at most 64 deep.
    void walk(std::size_t from, std::size_t to, Cells& out) const {
        for (;;) {
            if (to - from < 2) {
                out.insert(out.end(), cells_.begin() + std::ptrdiff_t(from), cells_.begin() + std::ptrdiff_t(to));
                return;
            }
            if (below_[to] - below_[from] <= share_) {
                Cell all = cells_[from];
                for (std::size_t k = from + 1; k < to; ++k) all.join(cells_[k]);
                if (!fenced(all)) {
                    out.push_back(all);
                    return;
                }
            }
            const Cell& first = cells_[from];
            int apart = bit_length(first.box() ^ cells_[to - 1].box());
            Key<double> middle = cells_[to - 1].box();
            if (first.level() >= apart) {  // it is the node itself: too heavy to take in the others, which are below it
                out.push_back(first);
                apart = first.level(), middle = first.high;
                ++from;
            }
            middle = middle >> (apart - 1) << (apart - 1);
            const auto second = std::partition_point(cells_.begin() + std::ptrdiff_t(from), cells_.begin() + std::ptrdiff_t(to),
                                                     [&](const Cell& cell) { return cell.box() < middle; });
            const std::size_t cut = static_cast<std::size_t>(second - cells_.begin());
            walk(from, cut, out);
            from = cut;
        }
    }

    Cells& cells_;
    std::vector<Key<double>> fences_;
    std::vector<double> below_;  // the share of the rows in the cells before each
    double share_ = 0;
};

// Appends the cells of four columns, which are in order.
Cells read(nb::handle columns) {
    const nb::tuple four = nb::cast<nb::tuple>(columns);
    const View low(four[0], "low"), high(four[1], "high"), pos(four[2], "pos"), neg(four[3], "neg");
    if (!low.holds<double>() || !high.holds<double>()) low.fail(" and high must be float64");
    if (!pos.holds<std::int64_t>() || !neg.holds<std::int64_t>()) pos.fail(" and neg must be int64");
    if (high.n != low.n || pos.n != low.n || neg.n != low.n) low.fail(" must be as long as high, pos and neg");
    Cells cells(low.n);
    for (std::size_t k = 0; k < low.n; ++k)
        cells[k] = {key_of(low.dense<double>()[k]), key_of(high.dense<double>()[k]), Counts(pos.dense<std::int64_t>()[k]),
                    Counts(neg.dense<std::int64_t>()[k])};
    return cells;
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

Cells merged(const Cells& a, const Cells& b) {
    Cells out;
    out.reserve(a.size() + b.size());
    const auto add = [&](const Cell& cell) {
        if (!out.empty() && !before(out.back(), cell))  // the same box
            out.back().join(cell);
        else
            out.push_back(cell);
    };
    auto x = a.begin(), y = b.begin();
    while (x != a.end() && y != b.end()) add(before(*y, *x) ? *y++ : *x++);
    std::for_each(x, a.end(), add), std::for_each(y, b.end(), add);
    return out;
}

nb::tuple merge_cells(nb::handle a, nb::handle b, std::size_t budget, nb::handle fences) {
    const Cells first = read(a), second = read(b);
    const View kept(fences, "fences");
    if (!kept.holds<double>()) kept.fail(" must be float64");
    Cells cells;
    {
        nb::gil_scoped_release release;
        cells = merged(first, second);
        // An eighth of the budget stays free, so that not every merge has to make room.
        if (cells.size() > budget) Shrinking(cells, kept.dense<double>(), kept.n).to(budget - budget / 8);
    }
    return written(cells);
}

nb::tuple count_scores(nb::handle pos, nb::handle neg) {
    return with_samples(pos, neg, [&](const auto& s) {
        Cells cells;
        {
            nb::gil_scoped_release release;
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

}  // namespace

void init_sketch(nb::module_& m) {
    m.def("count_scores", &count_scores, nb::arg("pos"), nb::arg("neg"),
          "(low, high, pos, neg): a cell for each distinct value of two ascending samples, with how often it occurs.");
    m.def("merge_cells", &merge_cells, nb::arg("a"), nb::arg("b"), nb::arg("budget"), nb::arg("fences"),
          "The cells of two sketches, each (low, high, pos, neg); more than `budget` are joined, none over a fence.");
}

}  // namespace calipers
