// Bootstrap replicates of everything about a scorer, drawn as weights over the once-sorted order (see draws.hpp).
#include <cmath>
#include <memory>
#include <vector>

#include "curve_points.hpp"
#include "draws.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t columns = 5;

// Small whole numbers, one byte per replicate.
[[maybe_unused]] CALIPERS_INLINE void store_bytes(std::uint8_t* to, const F8& small) {
    typedef std::uint8_t B8 __attribute__((vector_size(8)));
    const B8 bytes = __builtin_convertvector(small, B8);
    std::memcpy(to, &bytes, sizeof(bytes));
}
[[maybe_unused]] CALIPERS_INLINE void store_bytes(std::uint8_t* to, const Twin& small) {
    typedef std::uint8_t B8 __attribute__((vector_size(8)));
    typedef std::int32_t N4 __attribute__((vector_size(16)));
    const N4 low = __builtin_convertvector(small.low, N4), high = __builtin_convertvector(small.high, N4);
    const B8 bytes = __builtin_convertvector(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7), B8);
    std::memcpy(to, &bytes, sizeof(bytes));
}

// One class: ascending scores, with weights, keys and log losses where there are any; keys count up from `first` else.
template <class T>
struct Class {
    const T* scores;
    std::size_t n;
    bool positive;
    const double* weights;
    const std::uint64_t* keys;
    std::uint64_t first;
    std::vector<double> log{};
    double weight = 0;

    Class(const T* scores, std::size_t n, bool positive, const double* weights, const std::uint64_t* keys,
          std::uint64_t first, bool losses, double clip)
        : scores(scores), n(n), positive(positive), weights(weights), keys(keys), first(first), log(losses ? n : 0) {
        for (std::size_t k = 0; k < log.size(); ++k) {
            const double right = positive ? double(scores[k]) : 1.0 - double(scores[k]);
            log[k] = -std::log(std::min(std::max(right, clip), 1.0 - clip));
        }
        for (std::size_t k = 0; k < n; ++k) weight += weights ? weights[k] : 1;
    }
};

// The sums of a class in eight replicates.
struct Sums {
    double weight[width], log[width], square[width];
};

// Draws every row of a class in eight replicates, and adds up weights and losses.
struct DrawClass {
    template <class V, class T>
    CALIPERS_INLINE static void run(const Class<T>& c, const std::uint64_t* streams, std::uint8_t* drawn, Sums& out) {
        V weight{}, log{}, square{};
        const auto add = [&](std::size_t k, const V& times) __attribute__((always_inline)) {
            store_bytes(drawn + k * width, times);
            const V x = c.weights ? times * c.weights[k] : times;
            weight += x;
            if (c.log.empty()) return;
            const double wrong = c.positive ? 1.0 - double(c.scores[k]) : double(c.scores[k]);
            log += x * c.log[k], square += x * (wrong * wrong);
        };
        Draw<V> draw(streams);
        if (c.keys) {
            for (std::size_t k = 0; k < c.n; ++k) {
                draw.pair(c.keys[k] >> 1);
                add(k, c.keys[k] & 1 ? draw.odd() : draw.even());
            }
        } else {
            for (std::size_t k = 0; k < c.n; k += 2) {
                draw.pair((c.first + k) >> 1);
                add(k, draw.even());
                if (k + 1 < c.n) add(k + 1, draw.odd());
            }
        }
        store8(out.weight, weight), store8(out.log, log), store8(out.square, square);
    }
};

// For each row from the highest score down: bit 0 says that it is positive, bit 1 that it is the last of its score.
template <class T>
std::vector<std::uint8_t> descending(const TwoSamples<T>& s) {
    std::vector<std::uint8_t> out(s.size());
    std::size_t i = s.positives, j = s.negatives;
    for (std::uint8_t& row : out) {
        const bool positive = i > 0 && (j == 0 || s.pos[i - 1] >= s.neg[j - 1]);
        const T t = positive ? s.pos[--i] : s.neg[--j];
        const bool more = (i > 0 && s.pos[i - 1] == t) || (j > 0 && s.neg[j - 1] == t);
        row = static_cast<std::uint8_t>(positive | (more ? 0 : 2));
    }
    return out;
}

struct Walked {
    double pairs2[width], precision[width], apart[width];
};

// Counts are exact in doubles as long as P N < 2^52. `totals`: those of the classes, p and n, and what restates them.
// `pos`, `neg` and their weights point behind the last row not yet met.
struct WalkRows {
    template <class V>
    CALIPERS_INLINE static void run(const std::vector<std::uint8_t>& rows, const std::uint8_t* pos,
                                    const std::uint8_t* neg, const double* pw, const double* nw,
                                    const double (*totals)[width], Walked& out) {
        const V p = from8<V>(totals[0]), n = from8<V>(totals[1]), up = from8<V>(totals[2]), down = from8<V>(totals[3]);
        const V one = all_lanes<V>(1), none = all_lanes<V>(0);
        V tp = none, fp = none, a = none, b = none, pairs2 = none, precision = none, apart = none, x;
        for (const std::uint8_t row : rows) {
            if (row & 1) {
                load8(x, pos -= width);
                if (pw) x *= all_lanes<V>(*--pw);
                a += x, tp += x;
            } else {
                load8(x, neg -= width);
                if (nw) x *= all_lanes<V>(*--nw);
                b += x, fp += x;
            }
            if (!(row & 2)) continue;
            const V above = tp * up, called = above + fp * down;
            precision += a * above / choose(called > 0, called, one);
            pairs2 += a * (2 * fp - b);
            apart = more_of(size_of(tp * n - fp * p), apart);
            a = none, b = none;
        }
        store8(out.pairs2, pairs2), store8(out.precision, precision), store8(out.apart, apart);
    }
};

// AUC, AP, KS, log loss and squared error of eight replicates; NaN where a class was not drawn, or without losses.
template <class T>
void replicates(const Class<T>& pos, const Class<T>& neg, const std::vector<std::uint8_t>& rows, bool fixed,
                const std::uint64_t* streams, std::uint8_t* drawn, double (*out)[columns]) {
    Sums of_pos, of_neg;
    std::uint8_t *pos_end = drawn + pos.n * width, *neg_end = pos_end + neg.n * width;
    on_lanes<DrawClass>(pos, streams, drawn, of_pos), on_lanes<DrawClass>(neg, streams, pos_end, of_neg);
    double totals[4][width];
    for (std::size_t l = 0; l < width; ++l) {  // a restated prevalence: what is drawn varies within the classes
        totals[0][l] = of_pos.weight[l], totals[1][l] = of_neg.weight[l];
        totals[2][l] = fixed ? pos.weight / of_pos.weight[l] : 1, totals[3][l] = fixed ? neg.weight / of_neg.weight[l] : 1;
    }
    Walked walked;
    on_lanes<WalkRows>(rows, pos_end, neg_end, pos.weights ? pos.weights + pos.n : nullptr,
                       neg.weights ? neg.weights + neg.n : nullptr, totals, walked);
    for (std::size_t l = 0; l < width; ++l) {
        const double p = totals[0][l], n = totals[1][l], up = totals[2][l], down = totals[3][l];
        std::fill_n(out[l], columns, nan_value);
        const bool drawn_both = p > 0 && n > 0, some = p + n > 0 && (drawn_both || !fixed);
        if (some && (!pos.log.empty() || !neg.log.empty())) {
            const double all = p * up + n * down;
            out[l][3] = (of_pos.log[l] * up + of_neg.log[l] * down) / all;
            out[l][4] = (of_pos.square[l] * up + of_neg.square[l] * down) / all;
        }
        if (!drawn_both) continue;
        // Negatives at or above each positive, ties half, are what the area lacks to 1.
        out[l][0] = 1 - walked.pairs2[l] / (2 * p * n);
        out[l][1] = walked.precision[l] / p, out[l][2] = walked.apart[l] / (p * n);
    }
}

nb::object bootstrap(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                     nb::handle pos_keys, nb::handle neg_keys, bool fixed, bool losses, double clip, std::uint64_t seed,
                     std::uint64_t first, std::size_t count) {
    const Fresh out(dtype<double>(), nb::make_tuple(count, columns));
    with_samples(pos, neg, [&](const auto& s) {
        const Weights pw(pos_weights, "pos_weights", s.positives), nw(neg_weights, "neg_weights", s.negatives);
        const Keys pos_own(pos_keys, "pos_keys", s.positives), neg_own(neg_keys, "neg_keys", s.negatives);
        nb::gil_scoped_release release;
        const Class of_pos(s.pos, s.positives, true, pw.data, pos_own.data, 0, losses, clip);
        const Class of_neg(s.neg, s.negatives, false, nw.data, neg_own.data, negatives_from, losses, clip);
        const std::vector<std::uint8_t> rows = descending(s);
        const std::size_t worth = (std::size_t{1} << 17) / std::max<std::size_t>(s.size(), 1) + 2;
        for_blocks(count, width, [&](std::size_t, std::size_t begin, std::size_t end) {
            const std::unique_ptr<std::uint8_t[]> drawn(new std::uint8_t[s.size() * width]);
            std::uint64_t streams[width];
            double found[width][columns];
            for (std::size_t l = 0; l < width; ++l) streams[l] = stream(seed, first + begin + l);
            replicates(of_pos, of_neg, rows, fixed, streams, drawn.get(), found);
            std::copy_n(found[0], (end - begin) * columns, out.as<double>() + begin * columns);
        }, worth);
    });
    return out.array;
}

nb::object draws(std::uint64_t seed, std::uint64_t replicate, std::size_t n, nb::handle keys, std::uint64_t from) {
    const Keys own(keys, "keys", n);
    const std::uint64_t start = stream(seed, replicate);
    const Fresh out(dtype<std::uint8_t>(), n);
    for (std::size_t k = 0; k < n; ++k) out.as<std::uint8_t>()[k] = draw_one(start, own.data ? own.data[k] : from + k);
    return out.array;
}

}  // namespace

void init_bootstrap(nb::module_& m) {
    m.def("bootstrap", &bootstrap, nb::arg("pos"), nb::arg("neg"), nb::arg("pos_weights").none(),
          nb::arg("neg_weights").none(), nb::arg("pos_keys").none(), nb::arg("neg_keys").none(), nb::arg("fixed"),
          nb::arg("losses"), nb::arg("clip"), nb::arg("seed"), nb::arg("first"), nb::arg("count"),
          "A row for each replicate from `first` on: AUC, AP, KS, log loss, squared error; NaN where undefined.");
    m.def("draws", &draws, nb::arg("seed"), nb::arg("replicate"), nb::arg("n"), nb::arg("keys").none() = nb::none(),
          nb::arg("first") = 0,
          "How often each of n rows, or the cluster that its key names, is drawn in a replicate: Poisson(1).");
    m.attr("NEGATIVES_FROM") = negatives_from;
}

}  // namespace calipers
