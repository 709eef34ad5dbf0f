// What a walk reports, and the points of the curves that a search finds without walking.
#pragma once

#include <algorithm>
#include <limits>

#include "merge.hpp"

namespace calipers {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Pairs>
struct WalkResult {
    Pairs pairs2 = 0;
    std::size_t distinct = 0;
    double v10 = nan_value, v01 = nan_value;
    double ap = nan_value, ap_trapezoid = nan_value, ap_if2 = nan_value;
    double ap_if4 = nan_value, ap_rival = nan_value;
    double ks = nan_value, ks_threshold = nan_value, youden_threshold = nan_value;
    double f1_max = nan_value, f1_threshold = nan_value, corner_threshold = nan_value;
    double eer = nan_value, eer_threshold = nan_value;
    double break_even = nan_value, break_even_threshold = nan_value;
};

// Sums of the powers of values, of which each counts for some rows, or for some weight.
struct Powers {
    double rows = 0, one = 0, two = 0, three = 0, four = 0;

    // A number of rows with the same value.
    static Powers of(double rows, double x) { return {rows, rows * x, rows * x * x, rows * x * x * x, rows * x * x * x * x}; }

    void operator+=(const Powers& o) { rows += o.rows, one += o.one, two += o.two, three += o.three, four += o.four; }

    // The same powers of the values moved by `s`.
    double square(double s) const { return std::max(0.0, two + 2 * s * one + s * s * rows); }
    double fourth(double s) const {
        return std::max(0.0, four + 4 * s * three + 6 * s * s * two + 4 * s * s * s * one + s * s * s * s * rows);
    }
};

// The part of the walk that the ROC area needs.
template <class T>
WalkResult<std::uint64_t> walk_area(const TwoSamples<T>& samples);

// Rates at both ends of the group where misses (of positives) overtake false alarms, and the point between on the
// ROC polyline where they are equal.
inline double equal_error(double miss0, double alarm0, double miss1, double alarm1) {
    const double gap0 = miss0 - alarm0, gap1 = miss1 - alarm1;
    return alarm0 + gap0 / (gap0 - gap1) * (alarm1 - alarm0);
}

template <class Pairs>
void bind_walk(nb::module_& m, const char* name) {
    using R = WalkResult<Pairs>;
    nb::class_<R>(m, name)
        .def_ro("pairs2", &R::pairs2)
        .def_ro("distinct", &R::distinct)
        .def_ro("v10", &R::v10)
        .def_ro("v01", &R::v01)
        .def_ro("ap", &R::ap)
        .def_ro("ap_trapezoid", &R::ap_trapezoid)
        .def_ro("ap_if2", &R::ap_if2)
        .def_ro("ap_if4", &R::ap_if4)
        .def_ro("ap_rival", &R::ap_rival)
        .def_ro("ks", &R::ks)
        .def_ro("ks_threshold", &R::ks_threshold)
        .def_ro("youden_threshold", &R::youden_threshold)
        .def_ro("f1_max", &R::f1_max)
        .def_ro("f1_threshold", &R::f1_threshold)
        .def_ro("corner_threshold", &R::corner_threshold)
        .def_ro("eer", &R::eer)
        .def_ro("eer_threshold", &R::eer_threshold)
        .def_ro("break_even", &R::break_even)
        .def_ro("break_even_threshold", &R::break_even_threshold);
}

}  // namespace calipers
