// The walk with row weights, of all rows, of parts of them, and of rows that are drawn again.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <vector>

#include "draws.hpp"
#include "weighted_walker.hpp"

namespace calipers {
namespace weighted {
namespace {

template <class T>
Result walk_samples(const TwoSamples<T>& s, const double* pw, const double* nw, const Summed* summed = nullptr) {
    const Blocks<T> blocks(s, pw, nw, summed);
    Walker walker(s.positives, s.negatives, blocks.total());
    walker.add(blocks);
    return walker.result();
}

Result walk_weighted(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, nb::handle powers) {
    return with_samples(pos, neg, [&](const auto& samples) {
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        if (powers.is_none()) {
            nb::gil_scoped_release release;
            return walk_samples(samples, pw.data, nw.data);
        }
        const nb::tuple four = nb::cast<nb::tuple>(powers);
        const Weights pos2(four[0], "powers", samples.positives), pos4(four[1], "powers", samples.positives);
        const Weights neg2(four[2], "powers", samples.negatives), neg4(four[3], "powers", samples.negatives);
        const Summed summed{pos2.data, pos4.data, neg2.data, neg4.data};
        nb::gil_scoped_release release;
        return walk_samples(samples, pw.data, nw.data, &summed);
    });
}

// The weights of the rows of each code: their compensated sums, and what these lost by rounding.
nb::object weight_sums(nb::handle weights, nb::handle codes, std::size_t count) {
    const View view(codes, "codes");
    if (!view.holds<std::uint16_t>()) view.fail(" must be uint16");
    const Weights w(weights, "weights", view.n);
    const std::uint16_t* const of = view.dense<std::uint16_t>();
    std::vector<Sum> sums(count);
    for (std::size_t k = 0; k < view.n; ++k) {
        if (of[k] >= count) throw nb::value_error("a code is too large");
        sums[of[k]] += w.data[k];
    }
    const Fresh out(dtype<double>(), nb::make_tuple(count, 2));
    for (std::size_t c = 0; c < count; ++c) out.as<double>()[2 * c] = sums[c].sum, out.as<double>()[2 * c + 1] = sums[c].lost;
    return out.array;
}

// The rows of a class that a replicate draws, with how often each is drawn, times its weight.
template <class T>
struct Drawn {
    std::vector<T> scores;
    std::vector<double> weights;

    Drawn(const T* sorted, const double* own, const std::uint64_t* keys, std::uint64_t first_key, std::size_t n,
          std::uint64_t stream, bool fixed) {
        double total = 0, drawn = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double weight = own ? own[k] : 1, times = draw_one(stream, keys ? keys[k] : first_key + k);
            total += weight, drawn += times * weight;
            if (times * weight > 0) scores.push_back(sorted[k]), weights.push_back(times * weight);
        }
        if (fixed)  // a restated prevalence: the class keeps its weight
            for (double& weight : weights) weight *= total / drawn;
    }
};

nb::object resampled_walks(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                           nb::handle pos_keys, nb::handle neg_keys, bool fixed, std::uint64_t seed,
                           std::uint64_t first, std::size_t count) {
    const Fresh out(dtype<double>(), nb::make_tuple(count, 2));
    with_samples(pos, neg, [&](const auto& s) {
        using T = std::decay_t<decltype(s.pos[0])>;
        const Weights pw(pos_weights, "pos_weights", s.positives), nw(neg_weights, "neg_weights", s.negatives);
        const Keys pk(pos_keys, "pos_keys", s.positives), nk(neg_keys, "neg_keys", s.negatives);
        nb::gil_scoped_release release;
        const std::size_t worth = (std::size_t{1} << 14) / std::max<std::size_t>(s.size(), 1) + 2;
        for_blocks(count, 1, [&](std::size_t, std::size_t r, std::size_t) {
            const std::uint64_t from = stream(seed, first + r);
            const Drawn<T> p(s.pos, pw.data, pk.data, 0, s.positives, from, fixed);
            const Drawn<T> n(s.neg, nw.data, nk.data, negatives_from, s.negatives, from, fixed);
            Result walked;
            if (!p.scores.empty() && !n.scores.empty())
                walked = walk_samples(TwoSamples<T>(p.scores.data(), n.scores.data(), p.scores.size(), n.scores.size()),
                                      p.weights.data(), n.weights.data());
            out.as<double>()[2 * r] = walked.eer, out.as<double>()[2 * r + 1] = walked.break_even;
        }, worth);
    });
    return out.array;
}

}  // namespace
}  // namespace weighted

void init_walk_weighted(nb::module_& m) {
    using weighted::Walker;
    bind_walk<double>(m, "WeightedWalk");
    nb::class_<Walker>(m, "WeightedWalker")
        .def("__init__", [](Walker* at, std::pair<std::size_t, std::size_t> rows, std::array<double, 2> pos,
                            std::array<double, 2> neg) {
                 new (at) Walker(rows.first, rows.second, {{pos[0], pos[1]}, {neg[0], neg[1]}});
             }, nb::arg("rows"), nb::arg("pos"), nb::arg("neg"),
             "rows: how many positives and negatives. pos, neg: their weight, and what its sum lost by rounding.")
        .def("add", [](Walker& w, nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights) {
                 with_samples(pos, neg, [&](const auto& s) {
                     using T = std::decay_t<decltype(s.pos[0])>;
                     const Weights pw(pos_weights, "pos_weights", s.positives);
                     const Weights nw(neg_weights, "neg_weights", s.negatives);
                     nb::gil_scoped_release release;
                     w.add(weighted::Blocks<T>(s, pw.data, nw.data));
                 });
             }, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights"), nb::arg("neg_weights"),
             "The next rows: two ascending samples, all above those before.")
        .def("add_tied", &Walker::add_tied, nb::arg("value"), nb::arg("positives"), nb::arg("negatives"), nb::arg("pos"),
             nb::arg("neg"), "The next rows, which have one value; pos, neg: sums of weights, squares and fourth powers.")
        .def("result", &Walker::result)
        .def("thresholds", [](const Walker& w) {
                 nb::list out;
                 for (const weighted::Point& at : w.thresholds())
                     out.append(nb::make_tuple(at.threshold, w.all().pos.value() - at.tp, w.all().neg.value() - at.fp,
                                               at.below2_pos, at.below2_neg));
                 return out;
             }, "(threshold, weights of positives and negatives below, squared weights) of ks, youden, f1, corner, eer, "
                "break_even.");
    m.def("weight_sums", &weighted::weight_sums, nb::arg("weights"), nb::arg("codes"), nb::arg("count"),
          "By code: the sum of the weights, and what it lost by rounding.");
    m.def("walk_weighted", &weighted::walk_weighted, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights"),
          nb::arg("neg_weights"), nb::arg("powers") = nb::none(),
          "The walk with positive weights: values as of repeated rows, powers of influences with those of weights. "
          "powers: where weights are sums over rows, the sums of their squares and of their fourth powers, of positives "
          "and then of negatives.");
    m.def("resampled_walks", &weighted::resampled_walks, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("pos_keys").none(), nb::arg("neg_keys").none(), nb::arg("fixed"),
          nb::arg("seed"), nb::arg("first"), nb::arg("count"),
          "A row for each replicate from `first` on: equal error rate and break-even point; NaN where undefined.");
}

}  // namespace calipers
