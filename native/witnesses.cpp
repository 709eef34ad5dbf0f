// Which rows of a column of numbers show what it means: the first row of each whole number, or the first fraction, since
// fractions are not labels; and the first rows of the least and of the greatest number.
#include <cmath>
#include <limits>
#include <unordered_set>
#include <vector>

#include "array.hpp"
#include "integers.hpp"
#include "lanes.hpp"

namespace calipers {
namespace {

constexpr std::size_t chunk_rows = 2048;

// What a chunk of rows has; may_have_fraction: no number has one where this is false.
template <class T>
struct Range {
    T low, high;
    bool may_have_fraction = false, has_nan = false;
};

// A number that is added and subtracted again leaves a whole number as it is, and rounds others; the largest whole numbers
// change too.
template <class T>
CALIPERS_CLONES Range<T> range_of_floats(const T* x, std::size_t n) {
    constexpr std::size_t width = std::size_t(Lanes<T>::width);
    using Value = typename Lanes<T>::Value;
    const T most = T(3) * (T(1) / std::numeric_limits<T>::epsilon()) / 2;
    Value low{}, high{}, around{};
    low += x[0], high += x[0], around += most;
    typename Lanes<T>::Mask fraction{}, nan{};
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
        Value v;
        std::memcpy(&v, x + k, sizeof v);
        low = v < low ? v : low, high = v > high ? v : high;
        fraction |= (v + around) - around != v;
        nan |= v != v;
    }
    Range<T> out{x[0], x[0]};
    const auto add = [&](T least, T greatest, bool is_fraction, bool is_nan) {
        out.low = std::min(out.low, least), out.high = std::max(out.high, greatest);
        out.may_have_fraction |= is_fraction, out.has_nan |= is_nan;
    };
    for (std::size_t lane = 0; lane < width; ++lane) add(low[lane], high[lane], fraction[lane] != 0, nan[lane] != 0);
    for (; k < n; ++k) add(x[k], x[k], std::floor(x[k]) != x[k], x[k] != x[k]);
    return out;
}

template <class T>
Range<T> range_of(const T* x, std::size_t n) {
    if constexpr (std::is_floating_point_v<T>) {
        return range_of_floats(x, n);
    } else {
        Range<T> out{x[0], x[0]};
        for (std::size_t k = 1; k < n; ++k) out.low = std::min(out.low, x[k]), out.high = std::max(out.high, x[k]);
        return out;
    }
}

// The first rows of whole numbers, so many at most. Those beyond 64 bits, and infinities, are one.
class Labels {
public:
    explicit Labels(std::size_t most) : most_(most) {}

    template <class T>
    void add(const T* x, std::size_t n, std::size_t begin) {
        for (std::size_t k = 0; k < n && rows.size() < most_; ++k) {
            std::int64_t key;
            if constexpr (std::is_floating_point_v<T>)
                key = std::fabs(x[k]) < T(0x1p63) ? std::int64_t(x[k]) : std::numeric_limits<std::int64_t>::min();
            else
                key = std::int64_t(x[k]);
            const bool is_small = std::uint64_t(key) < std::size(is_known_);
            if (is_small ? is_known_[key] : !others_.insert(key).second) continue;
            if (is_small) is_known_[key] = true;
            rows.push_back(std::int64_t(begin + k));
        }
    }

    std::vector<std::int64_t> rows;

private:
    std::size_t most_;
    bool is_known_[256] = {};
    std::unordered_set<std::int64_t> others_;
};

template <class T>
nb::tuple telling_rows_of(const View& view, std::size_t most) {
    const Column<T> column(view);
    Labels labels(most);
    std::int64_t fraction = -1, nan = -1;
    {
        nb::gil_scoped_release release;
        T spare[chunk_rows], low{}, high{};
        std::size_t least = 0, greatest = 0;
        for (std::size_t begin = 0; begin < column.n && nan < 0; begin += chunk_rows) {
            const std::size_t n = std::min(chunk_rows, column.n - begin);
            const T* const x = column.rows(begin, n, spare);
            const auto row_of = [&](const auto& is_it) {
                const T* const at = std::find_if(x, x + n, is_it);
                return at == x + n ? std::int64_t{-1} : std::int64_t(begin) + (at - x);
            };
            const Range<T> range = range_of(x, n);
            if (range.has_nan) nan = row_of([](T v) { return v != v; });
            if constexpr (std::is_floating_point_v<T>)
                if (range.may_have_fraction && fraction < 0) fraction = row_of([](T v) { return std::floor(v) < v; });
            if (begin == 0 || range.low < low)
                low = range.low, least = std::size_t(row_of([&](T v) { return v == low; }));
            if (begin == 0 || range.high > high)
                high = range.high, greatest = std::size_t(row_of([&](T v) { return v == high; }));
            if (fraction < 0 && nan < 0) labels.add(x, n, begin);
        }
        if (fraction >= 0) labels.rows = {fraction};
        if (column.n > 0) labels.rows.push_back(std::int64_t(least)), labels.rows.push_back(std::int64_t(greatest));
    }
    return nb::make_tuple(row_numbers(labels.rows), nan);
}

nb::tuple telling_rows(nb::handle values, std::size_t most) {
    const View view(values, "values");
    if (view.holds<double>()) return telling_rows_of<double>(view, most);
    if (view.holds<float>()) return telling_rows_of<float>(view, most);
    const bool has_sign = view.kind == 'i';
    if (!has_sign && view.kind != 'u' && view.kind != 'b') view.fail(" must be numbers of a usual type");
    switch (view.size) {
        case 1: return has_sign ? telling_rows_of<std::int8_t>(view, most) : telling_rows_of<std::uint8_t>(view, most);
        case 2: return has_sign ? telling_rows_of<std::int16_t>(view, most) : telling_rows_of<std::uint16_t>(view, most);
        case 4: return has_sign ? telling_rows_of<std::int32_t>(view, most) : telling_rows_of<std::uint32_t>(view, most);
        default: return has_sign ? telling_rows_of<std::int64_t>(view, most) : telling_rows_of<std::uint64_t>(view, most);
    }
}

}  // namespace

void init_witnesses(nb::module_& m) {
    m.def("telling_rows", &telling_rows, nb::arg("values"), nb::arg("most"),
          "(rows, nan): the first row of each of at most so many whole numbers, or of a fraction, and of the least and of the "
          "greatest number; and the first row that is NaN, or -1. Rows are those up to it.");
}

}  // namespace calipers
