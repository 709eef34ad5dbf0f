// Log loss and squared error of two samples: moments to the third order, merged over fixed blocks. Beside them, how many rows
// were wrong, and what the losses would have been had every row been of the other class.
#include <algorithm>
#include <vector>

#include "loss_block.hpp"
#include "merge.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 13;

template <class T>
BothLosses loss_moments(const TwoSamples<T>& s, const double* pw, const double* nw, double clip) {
    const std::size_t of_pos = block_count(s.positives, block_rows), of_neg = block_count(s.negatives, block_rows);
    std::vector<BothLosses> blocks(of_pos + of_neg);
    for_blocks(blocks.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
        const bool positive = b < of_pos;
        const std::size_t rows = positive ? s.positives : s.negatives;
        const std::size_t begin = (positive ? b : b - of_pos) * block_rows, n = std::min(block_rows, rows - begin);
        const double* w = positive ? pw : nw;
        const OneClass<T> part{(positive ? s.pos : s.neg) + begin, w ? w + begin : nullptr, n, positive};
        add_losses<ClassLosses>(clip, part, clip, blocks[b]);
    }, 16);
    BothLosses out;
    for (const BothLosses& b : blocks) out.merge(b);
    return out;
}

// The same of rows as they come, without splitting them by class.
nb::tuple row_moments(nb::handle scores, nb::handle codes, std::uint32_t positive, double clip) {
    const View view(scores, "scores"), code_view(codes, "codes");
    const Codes column(code_view);
    if (view.n != code_view.n) throw nb::value_error("scores and codes differ in length");
    std::vector<BothLosses> blocks(block_count(view.n, block_rows));
    std::vector<LossRange> ranges(blocks.size());
    view.floats([&](auto zero) {
        using T = decltype(zero);
        const Column<T> rows(view);
            nb::gil_scoped_release release;
        for_blocks(view.n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            std::vector<T> spare(rows.in_place ? 0 : end - begin);
            std::uint32_t own[block_rows];
            column.read(begin, end - begin, own);
            const T* const scores = rows.rows(begin, end - begin, spare.data());
            add_losses<RowLosses>(clip, AnyClass<T>{scores, own, end - begin, positive}, clip, blocks[b], ranges[b]);
        });
    });
    BothLosses out;
    LossRange all;
    for (const BothLosses& b : blocks) out.merge(b);
    for (const LossRange& r : ranges)
        all.low = std::min(all.low, r.low), all.high = std::max(all.high, r.high), all.nan |= r.nan;
    return nb::make_tuple(out.log.tuple(), out.square.tuple(), out.beside(), all.low, all.high, all.nan);
}

nb::tuple losses(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights, double clip) {
    return with_samples(pos, neg, [&](const auto& samples) {
        const Weights pw(pos_weights, "pos_weights", samples.positives);
        const Weights nw(neg_weights, "neg_weights", samples.negatives);
        BothLosses both;
        {
            nb::gil_scoped_release release;
            both = loss_moments(samples, pw.data, nw.data, clip);
        }
        return nb::make_tuple(both.log.tuple(), both.square.tuple(), both.beside());
    });
}

}  // namespace

void init_losses(nb::module_& m) {
    m.def("losses", &losses, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("clip"),
          "(log_loss, squared, beside): each (n, w, w2, mean, m2, m3) with weighted central sums over both samples, and "
          "(weight of rows predicted wrong, mean log loss and mean squared error had every row been of the other class).");
    m.def("row_losses", &row_moments, nb::arg("scores"), nb::arg("codes"), nb::arg("positive"), nb::arg("clip"),
          "(log_loss, squared, beside, low, high, nan) of rows in any order; moments as in `losses`.");
}

}  // namespace calipers
