// Cells of a sketch of scores: between which two scores how many positives and negatives lie. A cell's box is the
// smallest dyadic interval of keys that contains it, so that any two boxes are nested or disjoint and the boxes of
// different sketches meet again. Cells are sorted by where their boxes begin, the larger box first.
#pragma once

#include <utility>
#include <vector>

#include "array.hpp"
#include "keys.hpp"

namespace calipers {

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

inline bool before(const Cell& a, const Cell& b) {
    if (a.low == a.high && b.low == b.high) return a.low < b.low;  // as most are
    return a.box() < b.box() || (a.box() == b.box() && a.level() > b.level());
}

using Cells = std::vector<Cell>;
using Places = std::vector<std::uint32_t>;
using Fences = std::vector<Key<double>>;  // ascending

// How many cells are left of more than the budget: an eighth stays free, so that not every merge has to make room.
inline std::size_t room(std::size_t budget) { return budget - budget / 8; }

// What one of so many rows adds to a share.
inline double share_of_one(Counts rows) { return rows ? 1 / double(rows) : 0; }

// Joins neighbouring cells until they are few enough. The boxes are a tree: between two neighbours lies the border of a
// node, the smallest one that contains both. All cells of a node become one where their share of the rows (of the
// positives plus of the negatives) is at most that of the heaviest node that has to be joined. What lies in a node has a
// smaller share than the node, so that it is enough to look at the borders. A border of a node that contains a fence
// stays: counts on both sides of a fence are exact.
class Shrinking {
public:
    Shrinking(Cells cells, const Fences& fences) : cells_(std::move(cells)), shares_(cells_.size() - 1) {
        sum_up(fences);
        find_shares();
    }

    // At most this number of cells, unless fences separate more. places: of each cell, which of them it is in. The cells
    // are joined where they are: new memory is a large part of the cost.
    Cells to(std::size_t most, Places* places = nullptr) && {
        const std::size_t joins = cells_.size() - most;
        std::vector<double>& order = below_;  // which is not needed any longer
        order.assign(shares_.begin(), shares_.end());
        std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(joins - 1), order.end());
        const double heaviest = std::min(order[joins - 1], everything);
        if (places) places->assign(cells_.size(), 0);
        std::uint32_t last = 0;
        for (std::size_t k = 0; k < shares_.size(); ++k) {
            if (shares_[k] <= heaviest)
                cells_[last].join(cells_[k + 1]);
            else
                cells_[++last] = cells_[k + 1];
            if (places) (*places)[k + 1] = last;
        }
        cells_.resize(last + 1);
        return std::move(cells_);
    }

private:
    static constexpr double everything = 3;  // more than the positives and the negatives have together

    // The share of the rows in the cells before each, and how many fences were passed on the way.
    void sum_up(const Fences& fences) {
        Counts pos = 0, neg = 0;
        for (const Cell& cell : cells_) pos += cell.pos, neg += cell.neg;
        const double of_pos = share_of_one(pos), of_neg = share_of_one(neg);
        below_.reserve(cells_.size() + 1), passed_.reserve(cells_.size() + 1);
        below_.push_back(0), passed_.push_back(0);
        pos = neg = 0;
        std::size_t zone = 0;
        for (const Cell& cell : cells_) {
            pos += cell.pos, neg += cell.neg;
            below_.push_back(double(pos) * of_pos + double(neg) * of_neg);
            const bool same = (zone == 0 || fences[zone - 1] <= cell.low) && (zone == fences.size() || cell.low < fences[zone]);
            passed_.push_back(passed_.back() + std::uint32_t(!same));
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
        std::vector<std::uint32_t> begin(borders), larger;  // borders of nodes that may be the next larger one
        for (std::size_t k = 0; k < borders; ++k) {
            while (!larger.empty() && level[larger.back()] <= level[k]) larger.pop_back();
            begin[k] = larger.empty() ? 0 : larger.back() + 1;
            larger.push_back(std::uint32_t(k));
        }
        larger.clear();
        for (std::size_t k = borders; k-- > 0;) {
            while (!larger.empty() && level[larger.back()] <= level[k]) larger.pop_back();
            const std::size_t end = larger.empty() ? cells_.size() : larger.back() + 1;
            const bool fenced = passed_[end] != passed_[begin[k] + 1];
            shares_[k] = fenced ? 2 * everything : below_[end] - below_[begin[k]];
            larger.push_back(std::uint32_t(k));
        }
    }

    Cells cells_;
    std::vector<double> shares_, below_;
    std::vector<std::uint32_t> passed_;
};

inline Fences read_fences(nb::handle values) {
    const View view(values, "fences");
    if (!view.holds<double>()) view.fail(" must be float64");
    Fences fences(view.n);
    std::transform(view.dense<double>(), view.dense<double>() + view.n, fences.begin(), key_of<double>);
    std::sort(fences.begin(), fences.end());
    return fences;
}

inline nb::tuple written(const Cells& cells) {
    const Fresh low(dtype<double>(), cells.size()), high(dtype<double>(), cells.size());
    const Fresh pos(dtype<std::int64_t>(), cells.size()), neg(dtype<std::int64_t>(), cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
        low.as<double>()[k] = value_of<double>(cells[k].low), high.as<double>()[k] = value_of<double>(cells[k].high);
        pos.as<std::int64_t>()[k] = std::int64_t(cells[k].pos), neg.as<std::int64_t>()[k] = std::int64_t(cells[k].neg);
    }
    return nb::make_tuple(low.array, high.array, pos.array, neg.array);
}

}  // namespace calipers
