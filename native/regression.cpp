// True and predicted numbers: joint moments, and moments of row-wise losses, in one pass over fixed blocks.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <vector>

#include "columns.hpp"
#include "joint.hpp"
#include "moments.hpp"
#include "row_losses.hpp"

namespace calipers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Calls f(begin, count) for each tile of a block.
template <class F>
void tiles(const Columns::Block& block, const F& f) {
    for (std::size_t at = 0; at < block.padded; at += tile_rows) f(at, std::min(tile_rows, block.padded - at));
}

struct Range {
    double truth = infinity, predicted = infinity, error = 0, most = -infinity;

    bool moderate() const { return truth > 1e-40 && predicted > 1e-40 && most < 1e40; }
};

struct FindRange {
    template <class V>
    CALIPERS_INLINE static void run(const double* y, const double* p, std::size_t n, Range& out) {
        V truth = all_lanes<V>(infinity), predicted = truth, most = -truth, error = all_lanes<V>(0);
        for (std::size_t i = 0; i < n; i += 8) {
            const V t = from8<V>(y + i), m = from8<V>(p + i);
            truth = less_of(t, truth), predicted = less_of(m, predicted), error = more_of(size_of(m - t), error);
            most = more_of(m, more_of(t, most));
        }
        out.truth = least(truth), out.predicted = least(predicted), out.error = -least(-error), out.most = -least(-most);
    }
};

CALIPERS_CLONES bool any_zero(const double* y, std::size_t n) {
    int zeros = 0;
    for (std::size_t i = 0; i < n; ++i) zeros |= y[i] == 0;
    return zeros != 0;
}

// The weights of rows whose true value is not 0: the others have no relative error. Those given where there are none such.
const double* relative_weights(const double* y, const double* w, std::size_t n, double* spare) {
    if (!any_zero(y, n)) return w;
    for (std::size_t i = 0; i < n; ++i) spare[i] = y[i] == 0 ? 0.0 : w ? w[i] : 1.0;
    return spare;
}

// A loss, and the one answer for all rows that its rows are to be compared with, if any.
struct Asked {
    Loss loss;
    std::size_t beside;  // which of the joint moments of the answer's losses and its own; none: no_answer
    double answer;
};
constexpr std::size_t no_answer = ~std::size_t{0};

void add_losses(const Columns::Block& block, const std::vector<Asked>& asked, bool moderate, Moments* moments,
                Joint* beside) {
    Divisors divisors;
    for (const Asked& one : asked) {
        divisors.need(one.loss);
        if (one.beside != no_answer) divisors.need(one.loss, one.answer);
    }
    std::vector<MomentSums> sums(asked.size());
    std::vector<BesideSums> of_answers(asked.size());
    tiles(block, [&](std::size_t at, std::size_t n) {
        alignas(64) double found[tile_rows], spare[tile_rows];
        const double *y = block.x + at, *w = block.w ? block.w + at : nullptr;
        Tile tile(y, block.y + at, n, divisors, moderate);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const auto& [loss, place, answer] = asked[k];
            const bool of_others = loss.kind == Loss::percentage && loss.parameter == 0;
            tile.losses(loss, found);
            add(sums[k], found, of_others ? relative_weights(y, w, n, spare) : w, n);
            if (place == no_answer) continue;
            tile.losses_of(answer, loss, spare);
            add(of_answers[k], spare, found, w, n, sums[k]);
        }
    });
    for (std::size_t k = 0; k < asked.size(); ++k) {
        moments[k] = sums[k].moments();
        if (asked[k].beside != no_answer) beside[asked[k].beside] = of_answers[k].joint(sums[k]);
    }
}

// The joint moments at `first`, and at every `step` from there on, merged.
nb::tuple merged(const std::vector<Joint>& blocks, std::size_t first = 0, std::size_t step = 1) {
    Joint all;
    for (std::size_t b = first; b < blocks.size(); b += step) all.merge(blocks[b]);
    return all.tuple();
}

using Kinds = std::vector<std::pair<std::string, double>>;
using Answers = std::vector<std::pair<std::size_t, double>>;

// What one pass finds: (joint of truth and error, joint of their sizes, a tuple of moments for each loss, extremes, and
// for each of `answers`, a loss and one answer for all rows, the joint of the answer's loss and that of the predictions,
// to the second order).
// `keep`: both columns as doubles too, the rows of one array, written while they are in the cache.
nb::tuple regression(nb::handle y, nb::handle p, nb::handle w, const Kinds& kinds, bool joint, const Answers& answers,
                     bool keep) {
    const Columns columns(y, "truth", p, "predicted", w);
    const Fresh kept(dtype<double>(), nb::make_tuple(2, keep ? columns.n : 0));
    double* const copy = kept.as<double>();
    std::vector<Asked> asked;
    for (const auto& [name, parameter] : kinds) asked.push_back({Loss::of(name, parameter), no_answer, 0.0});
    for (std::size_t i = 0; i < answers.size(); ++i)
        asked.at(answers[i].first).beside = i, asked[answers[i].first].answer = answers[i].second;
    const std::size_t count = columns.block_count(), each = asked.size();
    std::vector<Joint> both(joint ? count : 0), sizes(joint ? count : 0), beside(count * answers.size());
    std::vector<Moments> found(count * each);
    std::vector<Range> ranges(count);
    columns.blocks([&](std::size_t b, const Columns::Block& block) {
        if (keep) {
            std::copy(block.x, block.x + block.rows, copy + b * rows_a_block);
            std::copy(block.y, block.y + block.rows, copy + columns.n + b * rows_a_block);
        }
        on_lanes<FindRange>(block.x, block.y, block.padded, ranges[b]);
        add_losses(block, asked, ranges[b].moderate(), found.data() + b * each, beside.data() + b * answers.size());
        if (!joint) return;
        joint_of<Of::errors>(block.x, block.y, block.w, block.padded, block.rows, both[b]);
        joint_of<Of::sizes>(block.x, block.y, block.w, block.padded, block.rows, sizes[b]);
    });
    Range most;
    for (const Range& b : ranges) {
        most.truth = std::min(most.truth, b.truth), most.predicted = std::min(most.predicted, b.predicted);
        most.error = std::max(most.error, b.error);
    }
    nb::list moments, compared;
    for (std::size_t k = 0; k < each; ++k) {
        Moments whole;
        for (std::size_t b = 0; b < count; ++b) whole.merge(found[b * each + k]);
        moments.append(whole.tuple());
    }
    for (std::size_t i = 0; i < answers.size(); ++i) compared.append(merged(beside, i, answers.size()));
    return nb::make_tuple(merged(both), merged(sizes), moments, nb::make_tuple(most.truth, most.predicted, most.error), compared,
                          kept.array);
}

nb::tuple joint_moments(nb::handle x, nb::handle y, nb::handle w) {
    const Columns columns(x, "x", y, "y", w);
    std::vector<Joint> found(columns.block_count());
    columns.blocks([&](std::size_t b, const Columns::Block& block) {
        joint_of<Of::both>(block.x, block.y, block.w, block.padded, block.rows, found[b]);
    });
    return merged(found);
}

nb::object row_losses(nb::handle y, nb::handle p, const std::string& name, double parameter) {
    const Columns columns(y, "truth", p, "predicted", nb::none());
    const Loss loss = Loss::of(name, parameter);
    Divisors divisors;
    divisors.need(loss);
    const Fresh out(dtype<double>(), columns.n);
    columns.blocks([&](std::size_t b, const Columns::Block& block) {
        tiles(block, [&](std::size_t at, std::size_t n) {
            alignas(64) double found[tile_rows];
            Tile(block.x + at, block.y + at, n, divisors, false).losses(loss, found);
            std::copy(found, found + std::min(n, block.rows - at), out.as<double>() + b * rows_a_block + at);
        });
    });
    return out.array;
}

}  // namespace

void init_regression(nb::module_& m) {
    m.def("regression", &regression, nb::arg("truth"), nb::arg("predicted"), nb::arg("weights").none(), nb::arg("kinds"),
          nb::arg("joint"), nb::arg("answers") = Answers(), nb::arg("keep") = false,
          "(joint of truth and error, joint of their sizes, moments of each loss, extremes, joint of each answer, copies).");
    m.def("joint_moments", &joint_moments, nb::arg("x"), nb::arg("y"), nb::arg("weights").none(),
          "(n, w, w2, [mean x, mean y, central sums 20 11 02 30 ... 04]).");
    m.def("loss_rows", &row_losses, nb::arg("truth"), nb::arg("predicted"), nb::arg("kind"), nb::arg("parameter") = 0.0,
          "The loss of each row.");
}

}  // namespace calipers
