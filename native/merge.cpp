// Two ascending samples of one class become one, on all threads: blocks that cut no tie know where they write.
#include "merge.hpp"

#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 15;

// A merge of two ascending samples, a row at a time. No branch: how samples interleave is as good as random.
template <class Order>
struct Strand {
    using Key = typename Order::Key;
    const Key *a, *a_end, *b, *b_end;
    Key* to;

    // How many steps cannot leave either sample.
    std::size_t safe_steps() const { return std::size_t(std::min(a_end - a, b_end - b)); }

    CALIPERS_INLINE void step() {
        const Key x = *a, y = *b;
        const bool first = Order::at_most(x, y);
        *to++ = first ? x : y;
        a += first, b += !first;
    }
};

// A step waits for its loads and its comparison, so several merges that step in turn cost little more than one.
template <class T>
void merge_rows(const TwoSamples<T>& s, std::size_t begin, std::size_t end, T* to) {
    constexpr std::size_t strands = 4;
    State cuts[strands + 1];
    for (std::size_t k = 0; k <= strands; ++k) cuts[k] = s.group_of(begin + (end - begin) * k / strands);
    if (cuts[0].i + cuts[0].j == cuts[strands].i + cuts[strands].j) return;  // a tie that another block has
    with_order(s.value(cuts[0]), s.last_below(cuts[strands]), [&](auto order) {
        using Order = decltype(order);
        using Key = typename Order::Key;
        const auto strand = [&](std::size_t k) {
            const State x = cuts[k], y = cuts[k + 1];
            const auto *a = reinterpret_cast<const Key*>(s.pos), *b = reinterpret_cast<const Key*>(s.neg);
            return Strand<Order>{a + x.i, a + y.i, b + x.j, b + y.j, reinterpret_cast<Key*>(to) + x.i + x.j};
        };
        Strand<Order> p = strand(0), q = strand(1), r = strand(2), t = strand(3);
        while (const std::size_t steps = std::min({p.safe_steps(), q.safe_steps(), r.safe_steps(), t.safe_steps()}))
            for (std::size_t k = 0; k < steps; ++k) p.step(), q.step(), r.step(), t.step();
        const auto is_less = [](Key x, Key y) { return !Order::at_most(y, x); };
        for (const Strand<Order>& rest : {p, q, r, t})
            std::merge(rest.a, rest.a_end, rest.b, rest.b_end, rest.to, is_less);
    });
}

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
                if (!weighted) return merge_rows(s, begin, end, to);
                const State x = s.group_of(begin), y = s.group_of(end);
                merge_weighted(s, x, y, wa.data, wb.data, to, weights.as<double>());
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
