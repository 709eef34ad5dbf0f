// Ranked documents: rows to rank order by query, their judgements, and the measures of each query. A query is worked on
// by one thread and writes to its own slots, so that the same bits come out for any number of threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "array.hpp"
#include "ids.hpp"
#include "parallel.hpp"
#include "ranked_query.hpp"

namespace calipers {
namespace {

// Some queries a block: as many as make it worth a thread's while.
std::size_t queries_a_block(std::size_t queries, std::size_t rows) {
    const std::size_t mean = rows / std::max<std::size_t>(1, queries) + 1;
    return std::max<std::size_t>(1, (std::size_t{1} << 13) / mean);
}

template <class F>
void for_queries(std::size_t queries, std::size_t rows, const F& f) {
    const auto block = [&](std::size_t, std::size_t begin, std::size_t end) { f(begin, end); };
    for_blocks(queries, queries_a_block(queries, rows), block, rows < (1 << 14) ? queries + 1 : 0);
}

struct Item {
    std::uint64_t key;  // ascends as the score descends
    std::uint64_t row;
};

std::uint64_t descending(double score) {
    const double plain = score == 0 ? 0.0 : score;  // -0 and 0 are one score
    std::uint64_t bits;
    std::memcpy(&bits, &plain, 8);
    return bits >> 63 ? bits : ~(bits | std::uint64_t{1} << 63);
}

// By key, rows that share one in their order. Byte by byte from the last: bytes that all keys share cost nothing.
void sort_items(Item* items, std::size_t n, std::vector<Item>& spare) {
    if (n < 128) {
        std::stable_sort(items, items + n, [](const Item& a, const Item& b) { return a.key < b.key; });
        return;
    }
    std::uint32_t counts[8][256] = {};
    for (std::size_t i = 0; i < n; ++i)
        for (int b = 0; b < 8; ++b) ++counts[b][items[i].key >> (8 * b) & 255];
    spare.resize(std::max(spare.size(), n));
    Item *from = items, *to = spare.data();
    for (int b = 0; b < 8; ++b) {
        if (counts[b][items[0].key >> (8 * b) & 255] == n) continue;
        std::uint32_t at = 0;
        for (auto& count : counts[b]) at += std::exchange(count, at);
        for (std::size_t i = 0; i < n; ++i) to[counts[b][from[i].key >> (8 * b) & 255]++] = from[i];
        std::swap(from, to);
    }
    if (from != items) std::copy_n(from, n, items);
}

// Rows by query, in their order: where each query starts, and the items.
void group(const Codes& codes, const double* scores, std::size_t queries, std::int64_t* starts, Item* items) {
    const std::size_t n = codes.view.n, parts = std::max<std::size_t>(1, std::min<std::size_t>(threads(), n >> 16));
    const std::size_t size = (n + parts - 1) / parts;
    std::vector<std::vector<std::size_t>> at(parts, std::vector<std::size_t>(queries));
    codes.rows([&](auto query) {
        for_blocks(parts, 1, [&](std::size_t p, std::size_t, std::size_t) {
            for (std::size_t i = p * size; i < std::min(n, (p + 1) * size); ++i) ++at[p][query[i]];
        }, 2);
        std::size_t sum = 0;
        for (std::size_t q = 0; q < queries; ++q) {
            starts[q] = static_cast<std::int64_t>(sum);
            for (auto& part : at) sum += std::exchange(part[q], sum);
        }
        starts[queries] = static_cast<std::int64_t>(sum);
        for_blocks(parts, 1, [&](std::size_t p, std::size_t, std::size_t) {
            for (std::size_t i = p * size; i < std::min(n, (p + 1) * size); ++i)
                items[at[p][query[i]]++] = {descending(scores[i]), i};
        }, 2);
    });
}

// (starts, order, tied, ties): rows by query and falling score; tied: of the same score as the row before.
nb::tuple rank_order(nb::handle queries, std::size_t count, nb::handle scores) {
    const View q(queries, "queries"), s(scores, "scores");
    const Codes codes(q);
    if (!s.holds<double>() || s.n != q.n) s.fail(" must be float64, one a row");
    const double* score = s.dense<double>();
    codes.rows([&](auto code) {
        for (std::size_t i = 0; i < q.n; ++i)
            if (code[i] >= count) q.fail(" hold a code beyond their number");
    });
    const Fresh starts(dtype<std::int64_t>(), count + 1), order(dtype<std::int64_t>(), q.n);
    const Fresh tied(dtype<bool>(), q.n);
    std::vector<std::size_t> ties(count, 0);
    {
        nb::gil_scoped_release release;
        const std::unique_ptr<Item[]> items(new Item[q.n]);
        std::int64_t* const begin = starts.as<std::int64_t>();
        group(codes, score, count, begin, items.get());
        for_queries(count, q.n, [&](std::size_t first, std::size_t last) {
            std::vector<Item> spare;
            for (std::size_t k = first; k < last; ++k) {
                Item* const own = items.get() + begin[k];
                const auto n = static_cast<std::size_t>(begin[k + 1] - begin[k]);
                sort_items(own, n, spare);
                for (std::size_t i = 0; i < n; ++i) {
                    const bool same = i > 0 && own[i].key == own[i - 1].key;
                    order.as<std::int64_t>()[begin[k] + i] = static_cast<std::int64_t>(own[i].row);
                    tied.as<bool>()[begin[k] + i] = same;
                    ties[k] += same;
                }
            }
        });
    }
    std::size_t all = 0;
    for (const std::size_t t : ties) all += t;
    return nb::make_tuple(starts.array, order.array, tied.array, all);
}

// Tied rows by falling id.
nb::object break_ties(nb::handle order, nb::handle tied, const Ids& ids) {
    const View o(order, "order"), t(tied, "tied");
    const std::int64_t* row = o.dense<std::int64_t>();
    const std::uint8_t* tie = t.dense<std::uint8_t>();
    const Fresh out(dtype<std::int64_t>(), o.n);
    std::int64_t* const to = out.as<std::int64_t>();
    nb::gil_scoped_release release;
    std::copy_n(row, o.n, to);
    std::vector<std::size_t> sets;
    for (std::size_t i = 1; i < o.n; ++i)
        if (tie[i] && !tie[i - 1]) sets.push_back(i - 1);
    for_blocks(sets.size(), 256, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
            std::size_t end = sets[s] + 1;
            while (end < o.n && tie[end]) ++end;
            std::sort(to + sets[s], to + end, [&](std::int64_t a, std::int64_t b) { return ids.less(b, a); });
        }
    }, 1024);
    return out.array;
}

// The documents of one query, found by their fingerprints; equal ones are compared letter by letter.
class Documents {
public:
    void clear(std::size_t n) {
        std::size_t size = 64;
        while (size < 2 * n) size *= 2;
        slots_.assign(size, Slot{0, none});
        shift_ = 64;
        for (; size > 1; size /= 2) --shift_;
    }
    // The row that has this id, or `none`; then it has this one.
    std::int64_t add(const Ids& ids, std::int64_t row) {
        const std::size_t at = find(ids, row, ids);
        if (slots_[at].row != none) return slots_[at].row;
        slots_[at] = {ids.hash(row), row};
        return none;
    }
    std::int64_t at(const Ids& mine, const Ids& others, std::int64_t row) const {
        return slots_[find(others, row, mine)].row;
    }
    static constexpr std::int64_t none = -1;

private:
    struct Slot {
        std::uint64_t hash;
        std::int64_t row;
    };
    std::size_t find(const Ids& ids, std::int64_t row, const Ids& mine) const {
        const std::uint64_t hash = ids.hash(row);
        std::size_t at = static_cast<std::size_t>(hash >> shift_);
        while (slots_[at].row != none && !(slots_[at].hash == hash && mine.same(slots_[at].row, ids, row)))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    std::vector<Slot> slots_;
    int shift_ = 58;
};

// A row whose id its query had before, or -1.
std::int64_t repeated(nb::handle starts, nb::handle order, const Ids& ids) {
    const View s(starts, "starts"), o(order, "order");
    const std::int64_t *begin = s.dense<std::int64_t>(), *row = o.dense<std::int64_t>();
    const std::size_t queries = s.n - 1;
    std::vector<std::int64_t> twice(queries, -1);
    {
        nb::gil_scoped_release release;
        for_queries(queries, o.n, [&](std::size_t first, std::size_t last) {
            Documents met;
            for (std::size_t q = first; q < last; ++q) {
                met.clear(static_cast<std::size_t>(begin[q + 1] - begin[q]));
                for (std::int64_t i = begin[q]; i < begin[q + 1] && twice[q] < 0; ++i)
                    if (met.add(ids, row[i]) >= 0) twice[q] = row[i];
            }
        });
    }
    const auto found = std::find_if(twice.begin(), twice.end(), [](std::int64_t r) { return r >= 0; });
    return found == twice.end() ? -1 : *found;
}

// The judgement of each ranked row, NaN where there is none. pool_order: judgements by query.
nb::object judge(nb::handle starts, nb::handle order, const Ids& ids, nb::handle pool_starts, nb::handle pool_order,
                 const Ids& pool_ids, nb::handle pool_gains) {
    const View s(starts, "starts"), o(order, "order"), ps(pool_starts, "pool_starts"), po(pool_order, "pool_order");
    const View pg(pool_gains, "pool_gains");
    const std::int64_t *begin = s.dense<std::int64_t>(), *row = o.dense<std::int64_t>();
    const std::int64_t *from = ps.dense<std::int64_t>(), *judged = po.dense<std::int64_t>();
    const double* grade = pg.dense<double>();
    if (!pg.holds<double>() || s.n != ps.n) pg.fail(" must be float64, by query");
    const Fresh out(dtype<double>(), o.n);
    double* const gains = out.as<double>();
    nb::gil_scoped_release release;
    for_queries(s.n - 1, o.n, [&](std::size_t first, std::size_t last) {
        Documents pool;
        for (std::size_t q = first; q < last; ++q) {
            pool.clear(static_cast<std::size_t>(from[q + 1] - from[q]));
            for (std::int64_t j = from[q]; j < from[q + 1]; ++j) pool.add(pool_ids, judged[j]);
            for (std::int64_t i = begin[q]; i < begin[q + 1]; ++i) {
                const std::int64_t found = pool.at(pool_ids, ids, row[i]);
                gains[i] = found < 0 ? std::numeric_limits<double>::quiet_NaN() : grade[found];
            }
        }
    });
    return out.array;
}

// One row a query of the measures asked for, and retrieved, judged among them, relevant, judged of each query.
nb::tuple rank_measures(nb::handle starts, nb::handle gains, nb::handle tied, nb::handle pool_starts, nb::handle pool,
                        const std::vector<std::tuple<std::string, double, double, double>>& asked, bool condensed) {
    const View s(starts, "starts"), g(gains, "gains"), ps(pool_starts, "pool_starts"), pg(pool, "pool");
    const std::int64_t *begin = s.dense<std::int64_t>(), *from = ps.dense<std::int64_t>();
    const double *gain = g.dense<double>(), *grades = pg.dense<double>();
    if (!g.holds<double>() || !pg.holds<double>() || s.n != ps.n) g.fail(" and the pool must be float64, by query");
    std::vector<Step> steps;
    for (const auto& [name, k, level, extra] : asked) steps.push_back({kind_of(name), k, level, extra});
    const std::size_t queries = s.n - 1, width = steps.size();
    const Fresh values(dtype<double>(), nb::make_tuple(queries, width));
    const Fresh counts(dtype<std::int64_t>(), nb::make_tuple(queries, 4));
    std::optional<View> flags;
    if (!tied.is_none()) flags.emplace(tied, "tied");
    const bool* tie = flags ? reinterpret_cast<const bool*>(flags->dense<std::uint8_t>()) : nullptr;
    std::size_t longest = 0;
    for (std::size_t q = 0; q < queries; ++q)
        longest = std::max({longest, static_cast<std::size_t>(begin[q + 1] - begin[q]),
                            static_cast<std::size_t>(from[q + 1] - from[q])});
    {
        nb::gil_scoped_release release;
        const Discounts discounts(longest);
        for_queries(queries, g.n + pg.n, [&](std::size_t first, std::size_t last) {
            RankedQuery query(discounts);
            for (std::size_t q = first; q < last; ++q) {
                query.read(gain + begin[q], tie ? tie + begin[q] : nullptr,
                           static_cast<std::size_t>(begin[q + 1] - begin[q]), grades + from[q],
                           static_cast<std::size_t>(from[q + 1] - from[q]), condensed);
                for (std::size_t m = 0; m < width; ++m) values.as<double>()[q * width + m] = query.measure(steps[m]);
                query.count(counts.as<std::int64_t>() + 4 * q);
            }
        });
    }
    return nb::make_tuple(values.array, counts.array);
}

}  // namespace

void init_ranking(nb::module_& m) {
    m.def("rank_order", &rank_order, nb::arg("queries"), nb::arg("count"), nb::arg("scores"),
          "(starts, order, tied, ties): rows by query and falling score.");
    m.def("break_ties", &break_ties, nb::arg("order"), nb::arg("tied"), nb::arg("ids"),
          "The order with tied rows by falling id.");
    m.def("repeated", &repeated, nb::arg("starts"), nb::arg("order"), nb::arg("ids"),
          "A row whose id came before in its query, or -1.");
    m.def("judge", &judge, nb::arg("starts"), nb::arg("order"), nb::arg("ids"), nb::arg("pool_starts"),
          nb::arg("pool_order"), nb::arg("pool_ids"), nb::arg("pool_gains"),
          "The judgement of each ranked row, NaN where there is none.");
    m.def("rank_measures", &rank_measures, nb::arg("starts"), nb::arg("gains"), nb::arg("tied").none(),
          nb::arg("pool_starts"), nb::arg("pool"), nb::arg("asked"), nb::arg("condensed"),
          "(values, counts): measures (name, k, level, extra) of each query, and its counts.");
}

}  // namespace calipers
