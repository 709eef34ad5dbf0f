// The area under a polyline.
#include <algorithm>
#include <cmath>
#include <vector>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

struct Part {
    double area = 0, least = INFINITY, most = -INFINITY;
};

// One pass: twice the area, and the least and the greatest step along x, which say whether x is monotone.
nb::tuple trapezoid(nb::handle xs, nb::handle ys) {
    const View left(xs, "x"), right(ys, "y");
    if (!left.holds<double>()) left.fail(" must be float64");
    if (!right.holds<double>()) right.fail(" must be float64");
    if (left.n != right.n) throw nb::value_error("x and y differ in length");
    const double *x = left.dense<double>(), *y = right.dense<double>();
    const std::size_t steps = left.n > 0 ? left.n - 1 : 0;
    std::vector<Part> parts(block_count(steps, block_rows));
    {
        nb::gil_scoped_release release;
        for_blocks(steps, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            double area[8] = {}, least[8], most[8];
            std::fill_n(least, 8, INFINITY), std::fill_n(most, 8, -INFINITY);
            std::size_t i = begin;
            for (; i + 8 <= end; i += 8)
                for (std::size_t l = 0; l < 8; ++l) {
                    const double dx = x[i + l + 1] - x[i + l];
                    least[l] = dx < least[l] ? dx : least[l], most[l] = dx > most[l] ? dx : most[l];
                    area[l] += dx * (y[i + l + 1] + y[i + l]);
                }
            for (; i < end; ++i) {
                const double dx = x[i + 1] - x[i];
                least[0] = dx < least[0] ? dx : least[0], most[0] = dx > most[0] ? dx : most[0];
                area[0] += dx * (y[i + 1] + y[i]);
            }
            for (std::size_t l = 0; l < 8; ++l) {
                parts[b].area += area[l];
                parts[b].least = std::min(parts[b].least, least[l]), parts[b].most = std::max(parts[b].most, most[l]);
            }
        });
    }
    Part all;
    for (const Part& part : parts) {
        all.area += part.area;
        all.least = std::min(all.least, part.least), all.most = std::max(all.most, part.most);
    }
    return nb::make_tuple(all.area / 2, all.least, all.most);
}

}  // namespace

void init_area(nb::module_& m) {
    m.def("trapezoid", &trapezoid, nb::arg("x"), nb::arg("y"),
          "(area, least, most): the area under a polyline, and its least and greatest step along x.");
}

}  // namespace calipers
