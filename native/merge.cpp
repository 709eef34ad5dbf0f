// Two ascending samples of one class become one, on all threads: blocks that cut no tie know where they write.
#include "merge.hpp"

#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

// One value's weights, in ascending order: no merge then depends on which sample came first.
template <class T>
void merge_weighted(const TwoSamples<T>& s, State from, State to, const double* wa, const double* wb, T* values,
                    double* weights) {
    for (State at = from; at.i < to.i || at.j < to.j;) {
        const T value = s.value(at);
        const std::size_t begin = at.i + at.j;
        for (; at.i < to.i && s.pos[at.i] == value; ++at.i) weights[at.i + at.j] = wa[at.i];
        for (; at.j < to.j && s.neg[at.j] == value; ++at.j) weights[at.i + at.j] = wb[at.j];
        std::fill(values + begin, values + at.i + at.j, value);
        std::sort(weights + begin, weights + at.i + at.j);
    }
}

nb::tuple merge_sorted(nb::handle a, nb::handle b, nb::handle a_weights, nb::handle b_weights) {
    return with_samples(a, b, [&](const auto& s) {
        using T = std::decay_t<decltype(*s.pos)>;
        const Weights wa(a_weights, "a_weights", s.positives), wb(b_weights, "b_weights", s.negatives);
        const bool weighted = wa.data != nullptr && wb.data != nullptr;
        const Fresh values(dtype<T>(), s.size()), weights(dtype<double>(), weighted ? s.size() : 0);
        {
            nb::gil_scoped_release release;
            T* const to = values.as<T>();
            for_blocks(s.size(), block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                const State x = s.group_of(begin), y = s.group_of(end);
                if (weighted)
                    merge_weighted(s, x, y, wa.data, wb.data, to, weights.as<double>());
                else
                    std::merge(s.pos + x.i, s.pos + y.i, s.neg + x.j, s.neg + y.j, to + x.i + x.j);
            });
        }
        return nb::make_tuple(values.array, weighted ? weights.array : nb::object(nb::none()));
    });
}

}  // namespace

void init_merge(nb::module_& m) {
    m.def("merge_sorted", &merge_sorted, nb::arg("a"), nb::arg("b"), nb::arg("a_weights").none(),
          nb::arg("b_weights").none(),
          "(values, weights) of two ascending samples, ascending; weights, None unless both have some, ascend within "
          "equal values.");
}

}  // namespace calipers
