// Scores split by class, each class ascending. A sample says which way is the fastest: rows in order are only split,
// few distinct values are counted, and others are scattered by class and value into buckets that fit the cache, which
// are then sorted one by one; or, where NumPy sorts faster, split in four for it. Every way gives the same bits.
#include "sort.hpp"

#include "scatter.hpp"
#include "tally.hpp"

namespace calipers {
namespace {

constexpr std::size_t most_values = 24'000;    // 20 000, as far as a sample can say; more would leave the cache
constexpr std::size_t pivot_rows = 50'000;     // below, one sort a class costs less than a second thread

// Keys become values where they stand: through memcpy, since their memory changes its type.
template <class T>
CALIPERS_CLONES void become_values(char* at, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
        const T value = value_of<T>(load<Key<T>>(at + k * sizeof(T)));
        std::memcpy(at + k * sizeof(T), &value, sizeof(T));
    }
}

// The range of the rows: of each part its ends, since it ascends; with NaN, of all numbers.
template <class T, class F>
void note_range(const ScoredRows<T>& rows, const std::vector<std::size_t>& cuts, const F& value, Split<T>& out) {
    const auto offer = [&](T x) {
        out.low = x < out.low ? x : out.low, out.high = x > out.high ? x : out.high;
    };
    if (out.nans > 0)
        for (std::size_t r = 0; r < rows.scores.n; ++r) offer(rows.scores[r]);
    else
        for (std::size_t c = 0; c + 1 < cuts.size(); ++c)
            if (cuts[c] < cuts[c + 1]) offer(value(cuts[c])), offer(value(cuts[c + 1] - 1));
}

// The rows of groups one after the other, of which the first stands at `from`; ends: where each of them ends. Runs are written
// in whole vectors: what lies past an end, the next run overwrites. No branch could predict how long a run is.
template <class T>
CALIPERS_CLONES void write_runs(const T* of_group, const std::size_t* ends, std::size_t from, std::size_t to, T* values) {
    constexpr std::size_t step = 32;
    for (; from < to; ++of_group, ++ends) {
        const std::size_t end = std::min(to, *ends);
        const T value = *of_group;
        if (end + step <= to)
            do {
                for (std::size_t k = 0; k < step; ++k) values[from + k] = value;
            } while ((from += step) < end);
        else
            std::fill(values + from, values + end, value);
        from = end;
    }
}

// The values of the positives, then those of the negatives; returns how many the first are.
template <class T>
std::size_t write_groups(const std::vector<Counted<Key<T>>>& groups, T* values) {
    const std::size_t m = groups.size();
    std::vector<std::size_t> begins(2 * m + 1);  // of each value's positives, then of its negatives
    std::vector<T> of_group(2 * m);
    for (std::size_t other = 0; other < 2; ++other)
        for (std::size_t g = 0, k = other * m; g < m; ++g, ++k)
            begins[k + 1] = begins[k] + groups[g].count[other], of_group[k] = value_of<T>(groups[g].key);
    for_blocks(begins.back(), std::size_t{1} << 15, [&](std::size_t, std::size_t begin, std::size_t end) {
        const auto after = std::upper_bound(begins.begin(), begins.end(), begin);  // where the group of its first row ends
        const auto g = static_cast<std::size_t>(after - begins.begin()) - 1;
        write_runs(&of_group[g], &*after, begin, end, values);
    });
    return begins[m];
}

template <class T>
bool by_counting(const ScoredRows<T>& rows, const Sample<T>& sample, T* values, Split<T>& out) {
    const std::size_t n = rows.scores.n, likely = sample.likely_values();
    if (likely == 0 || likely > most_values || likely * 16 > n) return false;
    out.groups = tally(rows, Placing<T>(sample.values, sample.distinct, likely));
    const auto& groups = out.groups;
    if (groups.empty()) return false;
    const std::size_t positives = write_groups<T>(groups, values);
    for (const auto& group : groups)
        if (const T value = value_of<T>(group.key); value != value) out.nans += group.rows();
    for (std::size_t r = 0; out.nans > 0 && out.first_nan < 0; ++r)
        if (rows.scores[r] != rows.scores[r]) out.first_nan = static_cast<std::ptrdiff_t>(r);
    out.parts[1].count = positives, out.parts[3].count = n - positives;
    note_range(rows, {0, positives, n}, [=](std::size_t k) { return values[k]; }, out);
    return true;
}

}  // namespace

template <class T>
Split<T> sort_scores(const ScoredRows<T>& rows, bool for_numpy, char* memory) {
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    T* const values = reinterpret_cast<T*>(memory);
    const std::size_t n = rows.scores.n;
    const auto sample = sample_for(rows.scores);
    Split<T> out;
    if (sample) {
        if (sample->ordered) {
            out = split(rows, lowest, values);
            if (out.nans > 0 || (out.parts[1].ascending && out.parts[3].ascending)) return out;
            out = {};
        }
        if (by_counting(rows, *sample, values, out)) return out;
    }
    if (for_numpy) return split(rows, sample && n >= pivot_rows ? sample->median() : lowest, values);
    const Buckets<T> buckets(sample ? sample->values : std::vector<T>(), buckets_for(n));
    Key<T>* const keys = reinterpret_cast<Key<T>*>(memory);
    const Places places = scatter<T, Key<T>>(rows, nullptr, buckets, keys, out);
    sort_parts(keys, places, n, [&](std::size_t begin, const Key<T>*, std::size_t count) {
        become_values<T>(memory + begin * sizeof(T), count);
    });
    const std::size_t positives = places.begins[1];
    out.parts[1].count = positives, out.parts[3].count = n - positives;
    note_range(rows, {0, positives, n}, [=](std::size_t k) { return values[k]; }, out);
    return out;
}

template Split<float> sort_scores(const ScoredRows<float>&, bool, char*);
template Split<double> sort_scores(const ScoredRows<double>&, bool, char*);

namespace {

// (values, positives, negatives), or None where values were not counted.
template <class T>
nb::object columns_of(const std::vector<Counted<Key<T>>>& groups) {
    if (groups.empty()) return nb::none();
    const std::size_t n = groups.size();
    const Fresh values(dtype<T>(), n), pos(dtype<std::uint32_t>(), n), neg(dtype<std::uint32_t>(), n);
    for (std::size_t g = 0; g < n; ++g) {
        values.as<T>()[g] = value_of<T>(groups[g].key);
        pos.as<std::uint32_t>()[g] = groups[g].count[0], neg.as<std::uint32_t>()[g] = groups[g].count[1];
    }
    return nb::make_tuple(values.array, pos.array, neg.array);
}

nb::tuple split_scores(nb::handle scores, nb::handle codes, std::uint32_t positive, bool for_numpy) {
    const View view(scores, "scores"), code_view(codes, "codes");
    if (code_view.n != view.n) throw nb::value_error("scores and codes differ in length");
    return view.floats([&](auto zero) {
        using T = decltype(zero);
        const ScoredRows<T> rows{Column<T>(view), {Codes(code_view), positive}};
        const Fresh values(dtype<T>(), view.n);
        Split<T> all;
        {
            nb::gil_scoped_release release;
            all = sort_scores(rows, for_numpy, values.data);
        }
        const auto& p = all.parts;
        const std::size_t positives = p[0].count + p[1].count;
        return nb::make_tuple(values.array, nb::make_tuple(p[0].count, positives, positives + p[2].count),
                              nb::make_tuple(p[0].ascending, p[1].ascending, p[2].ascending, p[3].ascending),
                              all.nans, all.first_nan, all.low, all.high, columns_of<T>(all.groups));
    });
}

nb::tuple sort_weighted(nb::handle scores, nb::handle codes, std::uint32_t positive, nb::handle weights) {
    const View view(scores, "scores"), code_view(codes, "codes");
    if (code_view.n != view.n) throw nb::value_error("scores and codes differ in length");
    const Weights w(weights, "weights", view.n);
    return view.floats([&](auto zero) {
        using T = decltype(zero);
        using Item = Weighted<Key<T>>;
        const ScoredRows<T> rows{Column<T>(view), {Codes(code_view), positive}};
        const Fresh values(dtype<T>(), view.n), beside(dtype<double>(), view.n);
        Split<T> out;
        std::size_t positives = 0, kept = 0;
        {
            nb::gil_scoped_release release;
            T* const to = values.as<T>();
            double* const weight = beside.as<double>();
            const auto sample = sample_for(rows.scores);
            const Buckets<T> buckets(sample ? sample->values : std::vector<T>(), buckets_for(view.n));
            const auto items = pages<Item>(view.n);
            const Places places = scatter(rows, w.data, buckets, items.get(), out);
            sort_parts(items.get(), places, view.n, [&](std::size_t begin, const Item* sorted, std::size_t count) {
                for (std::size_t k = 0; k < count; ++k)
                    to[begin + k] = value_of<T>(sorted[k].key), weight[begin + k] = sorted[k].weight;
            });
            positives = places.begins[1], kept = places.begins.back();
            std::vector<std::size_t> cuts{0, positives, kept};
            for (std::size_t k = kept; k < view.n; ++k) cuts.push_back(k + 1);  // rows without weight are not sorted
            note_range(rows, cuts, [&](std::size_t k) { return value_of<T>(items[k].key); }, out);
        }
        return nb::make_tuple(values.array, beside.array, positives, kept, out.nans, out.first_nan, out.low,
                              out.high);
    });
}

}  // namespace

void init_sort(nb::module_& m) {
    m.def("split_scores", &split_scores, nb::arg("scores"), nb::arg("codes"), nb::arg("positive"),
          nb::arg("for_numpy"),
          "(values, bounds, ascending, nans, first_nan, low, high, groups): [pos low | pos high | neg low | neg high]. All "
          "parts ascend unless for_numpy, which leaves it to the caller to sort those that do not. Groups: (distinct values, "
          "positives, negatives) where there are so few that they were counted, else None.");
    m.def("sort_weighted", &sort_weighted, nb::arg("scores"), nb::arg("codes"), nb::arg("positive"),
          nb::arg("weights"),
          "(values, weights, positives, kept, nans, first_nan, low, high): [pos | neg], each ascending and rows of one score in "
          "their order. Rows of weight 0 are left out; what lies beyond `kept` has no meaning.");
}

}  // namespace calipers
