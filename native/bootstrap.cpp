// Bootstrap replicates of everything about a scorer, drawn as weights over the once-sorted order. How often a row (or
// its cluster) is drawn is Poisson(1), a hash of seed, replicate and key: it depends on no other row, so that parts of
// the rows, and any number of threads, draw alike.
#include <cmath>
#include <memory>
#include <vector>

#include "curve_points.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t width = 8;  // replicates that go through the rows together, one a lane
constexpr std::size_t columns = 5;
typedef std::uint64_t U8 __attribute__((vector_size(64)));
typedef std::uint8_t B8 __attribute__((vector_size(8)));

// SplitMix64 (Steele, Lea and Flood 2014): the state moves by gamma a key, the output is a bijection of the state.
constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
constexpr std::uint64_t negatives_from = std::uint64_t{1} << 40;  // keys of negatives that have none of their own

template <class V>
CALIPERS_INLINE void mix(V& x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
}

std::uint64_t stream(std::uint64_t seed, std::uint64_t replicate) {
    mix(seed);
    std::uint64_t state = seed + (replicate + 1) * gamma;
    mix(state);
    return state;
}

// Inversion of 32 bits: the draw is the number of thresholds 2^32 P(X <= j) at or below them. Two keys share a hash, the
// even one has its lower half.
struct Poisson {
    static constexpr int most = 12;
    std::uint32_t at[most];

    constexpr Poisson() : at() {
        double term = 0.36787944117144232160, sum = 0;
        for (int j = 0; j < most; ++j) {
            sum += term, term /= j + 1;
            at[j] = static_cast<std::uint32_t>(sum * 4294967296.0 + 0.5);
        }
    }
};
constexpr Poisson poisson;

typedef std::uint32_t U16 __attribute__((vector_size(64)));
typedef std::int32_t I16 __attribute__((vector_size(64)));

// Both keys of a pair in eight replicates.
CALIPERS_INLINE void draw_pair(const U8& streams, std::uint64_t pair, I8& even, I8& odd) {
    U8 state = streams + pair * gamma;
    mix(state);
    const U16 u = bits<U16>(state);
    I16 k{};
    for (int j = 0; j < Poisson::most; ++j) k -= u >= poisson.at[j];
    even = bits<I8>(k) & 0xffff, odd = bits<I8>(k) >> 32;
}

std::uint8_t draw_one(std::uint64_t stream, std::uint64_t key) {
    std::uint64_t state = stream + (key >> 1) * gamma;
    mix(state);
    const auto u = static_cast<std::uint32_t>(key & 1 ? state >> 32 : state);
    std::uint8_t times = 0;
    for (const std::uint32_t threshold : poisson.at) times += u >= threshold;
    return times;
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

struct Sums {
    F8 weight{}, log{}, square{};

    template <class T>
    CALIPERS_INLINE void add(const Class<T>& c, std::size_t k, const I8& times, B8& drawn) {
        drawn = __builtin_convertvector(times, B8);
        F8 x = __builtin_convertvector(times, F8);
        if (c.weights) x *= c.weights[k];
        weight += x;
        if (c.log.empty()) return;
        const double wrong = c.positive ? 1.0 - double(c.scores[k]) : double(c.scores[k]);
        log += x * c.log[k], square += x * (wrong * wrong);
    }
};

// Draws every row of a class in eight replicates, and adds up weights and losses.
template <class T>
CALIPERS_CLONES void draw_class(const Class<T>& c, const std::uint64_t* streams, B8* drawn, Sums& out) {
    const U8 from = lanes<U8>(streams);
    Sums sums;
    I8 even, odd;
    if (c.keys) {
        for (std::size_t k = 0; k < c.n; ++k) {
            draw_pair(from, c.keys[k] >> 1, even, odd);
            sums.add(c, k, c.keys[k] & 1 ? odd : even, drawn[k]);
        }
    } else {
        for (std::size_t k = 0; k < c.n; k += 2) {
            draw_pair(from, (c.first + k) >> 1, even, odd);
            sums.add(c, k, even, drawn[k]);
            if (k + 1 < c.n) sums.add(c, k + 1, odd, drawn[k + 1]);
        }
    }
    out = sums;
}

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
    F8 pairs2{}, precision{}, apart{};
};

// Counts are exact in doubles as long as P N < 2^52. `up` and `down` restate the classes' totals p and n.
CALIPERS_CLONES void walk(const std::vector<std::uint8_t>& rows, const B8* pos, const B8* neg, const double* pw,
                          const double* nw, const F8* totals, Walked& out) {
    const F8 p = totals[0], n = totals[1], up = totals[2], down = totals[3], one = F8{} + 1;
    F8 tp{}, fp{}, a{}, b{}, pairs2{}, precision{}, apart{};
    for (const std::uint8_t row : rows) {  // `pos` and `neg` point behind the last row not yet met
        if (row & 1) {
            F8 x = __builtin_convertvector(*--pos, F8);
            if (pw) x *= *--pw;
            a += x, tp += x;
        } else {
            F8 x = __builtin_convertvector(*--neg, F8);
            if (nw) x *= *--nw;
            b += x, fp += x;
        }
        if (!(row & 2)) continue;
        const F8 above = tp * up, called = above + fp * down;
        precision += a * above / (called > 0 ? called : one);
        pairs2 += a * (2 * fp - b);
        const F8 gap = tp * n - fp * p, size = gap < 0 ? -gap : gap;
        apart = size > apart ? size : apart;
        a = F8{}, b = F8{};
    }
    out = {pairs2, precision, apart};
}

// AUC, AP, KS, log loss and squared error of eight replicates; NaN where a class was not drawn, or without losses.
template <class T>
void replicates(const Class<T>& pos, const Class<T>& neg, const std::vector<std::uint8_t>& rows, bool fixed,
                const std::uint64_t* streams, B8* drawn, double (*out)[columns]) {
    Sums of_pos, of_neg;
    draw_class(pos, streams, drawn, of_pos), draw_class(neg, streams, drawn + pos.n, of_neg);
    F8 totals[4] = {of_pos.weight, of_neg.weight, F8{} + 1, F8{} + 1};
    for (std::size_t l = 0; l < width && fixed; ++l)  // a restated prevalence: what is drawn varies within the classes
        totals[2][l] = pos.weight / of_pos.weight[l], totals[3][l] = neg.weight / of_neg.weight[l];
    Walked walked;
    const B8 *pos_end = drawn + pos.n, *neg_end = pos_end + neg.n;
    walk(rows, pos_end, neg_end, pos.weights ? pos.weights + pos.n : nullptr,
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

const std::uint64_t* keys_of(const std::optional<View>& view, std::size_t n) {
    if (!view) return nullptr;
    if (!view->holds<std::uint64_t>() || view->n != n) view->fail(" must be uint64, one a row");
    return view->dense<std::uint64_t>();
}

nb::object bootstrap(nb::handle pos, nb::handle neg, nb::handle pos_weights, nb::handle neg_weights,
                     nb::handle pos_keys, nb::handle neg_keys, bool fixed, bool losses, double clip, std::uint64_t seed,
                     std::uint64_t first, std::size_t count) {
    std::optional<View> pk, nk;
    if (!pos_keys.is_none()) pk.emplace(pos_keys, "pos_keys");
    if (!neg_keys.is_none()) nk.emplace(neg_keys, "neg_keys");
    const Fresh out(dtype<double>(), nb::make_tuple(count, columns));
    with_samples(pos, neg, [&](const auto& s) {
        const Weights pw(pos_weights, "pos_weights", s.positives), nw(neg_weights, "neg_weights", s.negatives);
        const std::uint64_t *pos_own = keys_of(pk, s.positives), *neg_own = keys_of(nk, s.negatives);
        nb::gil_scoped_release release;
        const Class of_pos(s.pos, s.positives, true, pw.data, pos_own, 0, losses, clip);
        const Class of_neg(s.neg, s.negatives, false, nw.data, neg_own, negatives_from, losses, clip);
        const std::vector<std::uint8_t> rows = descending(s);
        const std::size_t worth = (std::size_t{1} << 17) / std::max<std::size_t>(s.size(), 1) + 2;
        for_blocks(count, width, [&](std::size_t, std::size_t begin, std::size_t end) {
            const std::unique_ptr<B8[]> drawn(new B8[s.size()]);
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
    std::optional<View> view;
    if (!keys.is_none()) view.emplace(keys, "keys");
    const std::uint64_t *own = keys_of(view, n), start = stream(seed, replicate);
    const Fresh out(dtype<std::uint8_t>(), n);
    for (std::size_t k = 0; k < n; ++k) out.as<std::uint8_t>()[k] = draw_one(start, own ? own[k] : from + k);
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
