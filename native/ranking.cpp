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
#include "documents.hpp"
#include "parallel.hpp"
#include "ranked_query.hpp"

namespace calipers {
namespace {

// Several queries per block, so that a thread has enough work.
std::size_t queries_a_block(std::size_t queries, std::size_t rows) {
    const std::size_t mean = rows / std::max<std::size_t>(1, queries) + 1;
    return std::max<std::size_t>(1, (std::size_t{1} << 13) / mean);
}

template <class F>
void for_queries(std::size_t queries, std::size_t rows, const F& f) {
    const auto block = [&](std::size_t, std::size_t begin, std::size_t end) { f(begin, end); };
    for_blocks(queries, queries_a_block(queries, rows), block, rows < (1 << 14) ? queries + 1 : 0);
}

// Queries begin one after another, within the rows.
void check_starts(const View& starts, std::size_t rows) {
    const std::int64_t* const at = starts.dense<std::int64_t>();
    const bool fits = starts.n > 0 && at[0] == 0 && static_cast<std::size_t>(at[starts.n - 1]) <= rows;
    if (!fits || !std::is_sorted(at, at + starts.n)) starts.fail(" do not fit the rows");
}

// Codes of at least `queries` are ignored. Writes where each query starts.
void group(const Codes& codes, const double* scores, const Ids* ids, std::size_t queries, std::int64_t* starts,
           Document* out) {
    const std::size_t n = codes.view.n, parts = std::max<std::size_t>(1, std::min<std::size_t>(threads(), n >> 16));
    const std::size_t size = (n + parts - 1) / parts;
    std::vector<std::vector<std::size_t>> at(parts, std::vector<std::size_t>(queries));
    codes.rows([&](auto query) {
        for_blocks(parts, 1, [&](std::size_t p, std::size_t, std::size_t) {
            for (std::size_t i = p * size; i < std::min(n, (p + 1) * size); ++i)
                if (query[i] < queries) ++at[p][query[i]];
        }, 2);
        std::size_t sum = 0;
        for (std::size_t q = 0; q < queries; ++q) {
            starts[q] = static_cast<std::int64_t>(sum);
            for (auto& part : at) sum += std::exchange(part[q], sum);
        }
        starts[queries] = static_cast<std::int64_t>(sum);
        for_blocks(parts, 1, [&](std::size_t p, std::size_t, std::size_t) {
            for (std::size_t i = p * size; i < std::min(n, (p + 1) * size); ++i) {
                if (query[i] >= queries) continue;
                const std::size_t to = at[p][query[i]]++;
                out[to] = {descending(scores[i]), ids ? ids->hash(i) : 0, static_cast<std::uint32_t>(i)};
            }
        }, 2);
    });
}

// Judgements (starts, order, fingerprints, grades, ids) as `rank_rows` gave them, or None.
class Judgements {
public:
    Judgements(nb::handle given, std::size_t queries) {
        if (given.is_none()) return;
        const nb::tuple parts = nb::cast<nb::tuple>(given);
        const char* const names[] = {"starts", "order", "fingerprints", "grades"};
        for (std::size_t i = 0; i < 4; ++i) views_[i].emplace(parts[i], names[i]);
        pool.emplace(Pool{views_[0]->dense<std::int64_t>(), views_[1]->dense<std::int64_t>(),
                          views_[2]->dense<std::uint32_t>(), views_[3]->dense<double>(), nb::cast<const Ids*>(parts[4])});
        const std::size_t rows = views_[0]->n == queries + 1 ? static_cast<std::size_t>(pool->starts[queries]) : ~std::size_t{0};
        for (std::size_t i = 1; i < 4; ++i)
            if (views_[i]->n != rows || pool->ids->size() != rows) views_[i]->fail(" and starts of judgements do not fit together");
    }
    std::optional<Pool> pool;

private:
    std::optional<View> views_[4];
};

// (starts, gains, tied, ties, again, order, fingerprints): rows by query and falling score. gains: of the judgements, NaN where there
// is none, or of `beside`, which lie beside the rows; tied: of the same score as the row before; again: a row whose id
// its query had before, or -1. Order and fingerprints of ids are empty where they are not asked for.
nb::tuple rank_rows(nb::handle queries, std::size_t count, nb::handle scores, const Ids* ids, bool by_id,
                    nb::handle beside, nb::handle judged, bool ordered) {
    const View q(queries, "queries"), s(scores, "scores");
    const Codes codes(q);
    if (!s.holds<double>() || s.n != q.n || q.n >= std::numeric_limits<std::uint32_t>::max())
        s.fail(" must be float64, one a row, fewer than 2^32");
    const double* score = s.dense<double>();
    const Weights given(beside, "beside", q.n);
    const Judgements judgements(judged, count);
    if (ids ? ids->size() != q.n : judgements.pool.has_value()) s.fail(" must have as many ids");
    const Fresh starts(dtype<std::int64_t>(), count + 1);
    std::int64_t* const begin = starts.as<std::int64_t>();
    const Pages<Document> documents = pages<Document>(q.n);
    {
        nb::gil_scoped_release release;
        group(codes, score, ids, count, begin, documents.get());
    }
    const auto total = static_cast<std::size_t>(begin[count]);
    const Fresh order(dtype<std::int64_t>(), ordered ? total : 0), hash(dtype<std::uint32_t>(), ordered ? total : 0);
    const Fresh gains(dtype<double>(), total), tied(dtype<bool>(), total);
    std::vector<std::size_t> ties(count, 0);
    std::vector<std::int64_t> again(count, -1);
    {
        nb::gil_scoped_release release;
        for_queries(count, total, [&](std::size_t first, std::size_t last) {
            Repeats repeats;
            Grader grader;
            std::vector<std::uint64_t> places, spare;
            std::vector<std::pair<std::uint64_t, std::uint64_t>> tied_ids;
            std::vector<double> gain;
            for (std::size_t k = first; k < last; ++k) {
                const std::int64_t at = begin[k];
                const auto n = static_cast<std::size_t>(begin[k + 1] - at);
                const Document* const own = documents.get() + at;
                gain.assign(n, std::numeric_limits<double>::quiet_NaN());
                for (std::size_t i = 0; given.data && i < n; ++i) gain[i] = given.data[own[i].row];
                if (ids) again[k] = repeats.find(own, n, *ids);
                if (const auto& pool = judgements.pool) grader.grade(own, n, *ids, *pool, k, gain.data());
                sort_places(own, n, places, spare);
                if (ids && by_id) break_ties(places.data(), n, own, *ids, ordered ? nullptr : gain.data(), tied_ids);
                for (std::size_t i = 0; i < n; ++i) {
                    const bool same = i > 0 && own[places[i]].key == own[places[i - 1]].key;
                    gains.as<double>()[at + i] = gain[places[i]];
                    tied.as<bool>()[at + i] = same;
                    ties[k] += same;
                }
                for (std::size_t i = 0; ordered && i < n; ++i) {
                    order.as<std::int64_t>()[at + i] = own[places[i]].row;
                    hash.as<std::uint32_t>()[at + i] = own[places[i]].hash;
                }
            }
        });
    }
    std::size_t all = 0;
    for (const std::size_t t : ties) all += t;
    const auto found = std::find_if(again.begin(), again.end(), [](std::int64_t r) { return r >= 0; });
    return nb::make_tuple(starts.array, gains.array, tied.array, all, found == again.end() ? std::int64_t{-1} : *found,
                          order.array, hash.array);
}

// (starts, grades): the gains of each query that are known, its own pool of judgements.
nb::tuple known_gains(nb::handle starts, nb::handle gains) {
    const View s(starts, "starts"), g(gains, "gains");
    if (!g.holds<double>()) g.fail(" must be float64, by query");
    check_starts(s, g.n);
    const std::int64_t* const begin = s.dense<std::int64_t>();
    const double* const gain = g.dense<double>();
    const std::size_t queries = s.n - 1;
    const Fresh ends(dtype<std::int64_t>(), s.n);
    std::int64_t* const end = ends.as<std::int64_t>();
    end[0] = 0;
    {
        nb::gil_scoped_release release;
        for_queries(queries, g.n, [&](std::size_t first, std::size_t last) {
            for (std::size_t q = first; q < last; ++q)
                end[q + 1] = std::count_if(gain + begin[q], gain + begin[q + 1], [](double x) { return x == x; });
        });
        for (std::size_t q = 0; q < queries; ++q) end[q + 1] += end[q];
    }
    const Fresh grades(dtype<double>(), static_cast<std::size_t>(end[queries]));
    {
        nb::gil_scoped_release release;
        for_queries(queries, g.n, [&](std::size_t first, std::size_t last) {
            for (std::size_t q = first; q < last; ++q)
                std::copy_if(gain + begin[q], gain + begin[q + 1], grades.as<double>() + end[q], [](double x) { return x == x; });
        });
    }
    return nb::make_tuple(ends.array, grades.array);
}

// One row per query: the requested measures, and the numbers of retrieved, judged among them, relevant and judged.
nb::tuple rank_measures(nb::handle starts, nb::handle gains, nb::handle tied, nb::handle pool_starts, nb::handle pool,
                        const std::vector<std::tuple<std::string, double, double, double>>& asked, bool condensed) {
    const View s(starts, "starts"), g(gains, "gains"), ps(pool_starts, "pool_starts"), pg(pool, "pool");
    const std::int64_t *begin = s.dense<std::int64_t>(), *from = ps.dense<std::int64_t>();
    const double *gain = g.dense<double>(), *grades = pg.dense<double>();
    if (!g.holds<double>() || !pg.holds<double>() || s.n != ps.n) g.fail(" and the pool must be float64, by query");
    check_starts(s, g.n), check_starts(ps, pg.n);
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
    m.def("known_gains", &known_gains, nb::arg("starts"), nb::arg("gains"), "(starts, grades) that are not NaN, by query.");
    m.def("rank_rows", &rank_rows, nb::arg("queries"), nb::arg("count"), nb::arg("scores"), nb::arg("ids").none(),
          nb::arg("by_id"), nb::arg("beside").none(), nb::arg("judged").none(), nb::arg("ordered") = false,
          "(starts, gains, tied, ties, again, order, fingerprints): rows by query and falling score, with judgements.");
    m.def("rank_measures", &rank_measures, nb::arg("starts"), nb::arg("gains"), nb::arg("tied").none(),
          nb::arg("pool_starts"), nb::arg("pool"), nb::arg("asked"), nb::arg("condensed"),
          "(values, counts): measures (name, k, level, extra) of each query, and its counts.");
}

}  // namespace calipers
