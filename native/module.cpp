// The native module: one line a kernel file. Kernels check types and shapes; what values mean is
// batch.py's to check.
#include <nanobind/nanobind.h>

#include "array.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace calipers {
void init_area(nb::module_&);
void init_arrow(nb::module_&);
void init_bins(nb::module_&);
void init_bootstrap(nb::module_&);
void init_influences(nb::module_&);
void init_resampled_sums(nb::module_&);
void init_clusters(nb::module_&);
void init_lists(nb::module_&);
void init_concordance(nb::module_&);
void init_confusion(nb::module_&);
void init_encode(nb::module_&);
void init_ids(nb::module_&);
void init_indicators(nb::module_&);
void init_objects(nb::module_&);
void init_own(nb::module_&);
void init_sort(nb::module_& m);
void init_sort_columns(nb::module_& m);
void init_walk(nb::module_& m);
void init_walk_weighted(nb::module_& m);
void init_sweep(nb::module_& m);
void init_losses(nb::module_& m);
void init_pick(nb::module_& m);
void init_regression(nb::module_& m);
void init_rows(nb::module_& m);
void init_pairs(nb::module_& m);
void init_ranking(nb::module_& m);
void init_stream(nb::module_& m);
void init_lines(nb::module_& m);
void init_merge(nb::module_& m);
void init_boxes(nb::module_& m);
void init_sketch(nb::module_& m);
void init_witnesses(nb::module_& m);
void init_slices(nb::module_& m);
void init_spill(nb::module_& m);
void init_topics(nb::module_& m);
}  // namespace calipers

NB_MODULE(_native, m) {
    m.doc() = "Kernels of calipers. Not public: statistics/ and labels.py are the only callers.";
    nb::set_leak_warnings(false);  // an exception kept until exit keeps its frame's objects: no leak of ours
    m.def("threads", &calipers::threads, "How many threads a kernel may use: CPUs, cgroup quota, OMP_NUM_THREADS, or CALIPERS_THREADS.");
    m.def("limit_threads", &calipers::limit_threads, nb::arg("most"),
          "Kernels called from this thread use at most so many threads, unless CALIPERS_THREADS says how many; 0: no limit. Returns the limit before.");
    calipers::init_arrays();
    calipers::init_area(m);
    calipers::init_arrow(m);
    calipers::init_bins(m);
    calipers::init_bootstrap(m);
    calipers::init_influences(m);
    calipers::init_resampled_sums(m);
    calipers::init_clusters(m);
    calipers::init_lists(m);
    calipers::init_concordance(m);
    calipers::init_confusion(m);
    calipers::init_encode(m);
    calipers::init_ids(m);
    calipers::init_indicators(m);
    calipers::init_objects(m);
    calipers::init_own(m);
    calipers::init_sort(m);
    calipers::init_sort_columns(m);
    calipers::init_merge(m);
    calipers::init_boxes(m);
    calipers::init_sketch(m);
    calipers::init_witnesses(m);
    calipers::init_slices(m);
    calipers::init_spill(m);
    calipers::init_topics(m);
    calipers::init_walk(m);
    calipers::init_walk_weighted(m);
    calipers::init_sweep(m);
    calipers::init_losses(m);
    calipers::init_pick(m);
    calipers::init_regression(m);
    calipers::init_rows(m);
    calipers::init_pairs(m);
    calipers::init_ranking(m);
    calipers::init_stream(m);
    calipers::init_lines(m);
}
