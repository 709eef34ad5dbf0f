// The native module: one line a kernel file. Kernels check nothing; batch.py already has.
#include <nanobind/nanobind.h>

#include "parallel.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
    m.doc() = "Kernels of calipers. Not public: statistics/ and labels.py are the only callers.";
    m.def("threads", &calipers::threads, "How many threads a kernel may use: CPU affinity, or CALIPERS_THREADS.");
}
