// Places of numbers among sorted ones. A binary search over a million scores waits for memory at nearly every step; a table
// of where equal steps of the range begin leaves it a few.
#include <algorithm>
#include <cmath>
#include <vector>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t rows_per_step = 4, most_steps = 1 << 18, block_rows = 1 << 14;

template <class T>
class Steps {
public:
    Steps(const T* sorted, std::size_t n) : sorted_(sorted), n_(n) {
        const double low = n ? double(sorted[0]) : 0, range = n ? double(sorted[n - 1]) - low : 0;
        steps_ = range > 0 && std::isfinite(range) ? std::min(most_steps, n / rows_per_step + 1) : 1;
        low_ = low, scale_ = steps_ > 1 ? double(steps_) / range : 0;
        begin_.assign(steps_ + 1, static_cast<std::uint32_t>(n));
        for (std::size_t i = n; i-- > 0;) begin_[step(sorted[i])] = static_cast<std::uint32_t>(i);
        for (std::size_t b = steps_; b-- > 0;) begin_[b] = std::min(begin_[b], begin_[b + 1]);
    }

    // How many of the sorted numbers are less than x. Chosen without branches, which would be guessed wrong half the time.
    std::size_t left(T x) const {
        const std::size_t b = step(x);
        std::size_t from = begin_[b], count = begin_[b + 1] - from;
        while (count > 0) {
            const std::size_t half = (count + 1) / 2;
            from += sorted_[from + half - 1] < x ? half : 0;
            count -= half;
        }
        return from;
    }

    // How many are at most x, of which `left` are less.
    std::size_t right(T x, std::size_t left) const {
        if (left == n_ || sorted_[left] != x) return left;
        if (left + 1 == n_ || sorted_[left + 1] != x) return left + 1;  // most numbers occur once
        return static_cast<std::size_t>(std::upper_bound(sorted_ + left, sorted_ + begin_[step(x) + 1], x) - sorted_);
    }

private:
    // Rises with x, so that numbers of other steps are less, or greater.
    std::size_t step(T x) const {
        if (steps_ == 1) return 0;
        const double at = (double(x) - low_) * scale_;
        return !(at > 0) ? 0 : at >= double(steps_ - 1) ? steps_ - 1 : static_cast<std::size_t>(at);
    }

    const T* sorted_;
    std::size_t n_, steps_;
    double low_, scale_;
    std::vector<std::uint32_t> begin_;
};

nb::object places(nb::handle sorted, nb::handle values) {
    const View among(sorted, "sorted"), of(values, "values");
    if (among.n >= std::uint32_t(-1)) throw nb::value_error("too many sorted numbers");
    const Fresh left(dtype<std::int64_t>(), of.n), right(dtype<std::int64_t>(), of.n);
    among.floats([&](auto zero) {
        using T = decltype(zero);
        if (!of.holds<T>()) of.fail(" must have the type of `sorted`");
        const T *from = among.dense<T>(), *x = of.dense<T>();
        nb::gil_scoped_release release;
        const Steps<T> steps(from, among.n);
        for_blocks(of.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t less = steps.left(x[k]);
                left.as<std::int64_t>()[k] = static_cast<std::int64_t>(less);
                right.as<std::int64_t>()[k] = static_cast<std::int64_t>(steps.right(x[k], less));
            }
        });
    });
    return nb::make_tuple(left.array, right.array);
}

}  // namespace

void init_places(nb::module_& m) {
    m.def("places", &places, nb::arg("sorted"), nb::arg("values"),
          "numpy.searchsorted(sorted, values) from the left and from the right, of contiguous floats of one type.");
}

}  // namespace calipers
