// True and predicted numbers: joint moments to the fourth order, and moments of row-wise losses, in one pass over fixed
// blocks. A block is read once into the cache; its mean is taken before its central sums, so that 1e9 with errors of 1e-3
// keeps its digits.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "array.hpp"
#include "log8.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t block_rows = 1 << 12;
constexpr double infinity = std::numeric_limits<double>::infinity();

CALIPERS_INLINE F8 size_of(const F8& x) { return x < 0 ? -x : x; }

// A column of any real type, read as doubles a block at a time.
void read(const View& view, std::size_t begin, std::size_t count, double* out) {
    const auto as = [&](auto zero) {
        view.rows<decltype(zero)>([&](auto at) {
            for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(at[begin + i]);
        });
    };
    const bool is_signed = view.kind == 'i';
    if (view.kind == 'f') return view.floats(as);
    if (view.kind == 'b') return as(std::uint8_t{});
    if (view.size == 1) return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    if (view.size == 2) return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    if (view.size == 4) return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
}

void check(const View& view) {
    const bool whole = view.kind == 'i' || view.kind == 'u' || view.kind == 'b';
    if (!whole && !(view.kind == 'f' && (view.size == 4 || view.size == 8)))
        view.fail(" must be float32, float64 or integers");
}

// Means, and the central sums of order (j, k) with 2 <= j + k <= 4.
struct Joint {
    double n = 0, w = 0, w2 = 0, x = 0, y = 0;
    double sums[5][5] = {};

    // The sums about another point, by the binomial theorem.
    void move(double to_x, double to_y) {
        static constexpr double choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
        double by_x[5] = {1}, by_y[5] = {1}, old[5][5];
        for (int i = 1; i < 5; ++i) by_x[i] = by_x[i - 1] * (x - to_x), by_y[i] = by_y[i - 1] * (y - to_y);
        std::copy(&sums[0][0], &sums[0][0] + 25, &old[0][0]);
        old[0][0] = w;
        for (int j = 0; j < 5; ++j)
            for (int k = 0; j + k < 5; ++k) {
                if (j + k < 2) continue;
                double s = 0;
                for (int a = 0; a <= j; ++a)
                    for (int b = 0; b <= k; ++b) s += choose[j][a] * choose[k][b] * by_x[j - a] * by_y[k - b] * old[a][b];
                sums[j][k] = s;
            }
        x = to_x, y = to_y;
    }

    void merge(Joint o) {
        if (o.w == 0) return;
        if (w == 0) {
            *this = o;
            return;
        }
        const double share = o.w / (w + o.w), to_x = x + (o.x - x) * share, to_y = y + (o.y - y) * share;
        move(to_x, to_y), o.move(to_x, to_y);
        for (int j = 0; j < 5; ++j)
            for (int k = 0; j + k < 5; ++k) sums[j][k] += o.sums[j][k];
        n += o.n, w += o.w, w2 += o.w2;
    }

    nb::tuple tuple() const {
        nb::list found;
        found.append(x), found.append(y);
        for (int order = 2; order < 5; ++order)
            for (int k = 0; k <= order; ++k) found.append(sums[order - k][k]);
        return nb::make_tuple(std::size_t(n), w, w2, found);
    }
};

// Rows are padded to whole vectors with weight 0 and the values of the first row.
CALIPERS_CLONES void joint_block(const double* x, const double* y, const double* weights, std::size_t n,
                                 std::size_t rows, Joint& out) {
    const double first_x = x[0], first_y = y[0];
    F8 sx{}, sy{}, sw{}, sw2{};
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 w = lanes<F8>(weights + i);
        sx += w * (lanes<F8>(x + i) - first_x), sy += w * (lanes<F8>(y + i) - first_y);
        sw += w, sw2 += w * w;
    }
    out.n = double(rows), out.w = total(sw), out.w2 = total(sw2);
    if (out.w == 0) return;
    out.x = first_x + total(sx) / out.w, out.y = first_y + total(sy) / out.w;
    F8 s20{}, s11{}, s02{}, s30{}, s21{}, s12{}, s03{}, s40{}, s31{}, s22{}, s13{}, s04{};
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 w = lanes<F8>(weights + i), dx = lanes<F8>(x + i) - out.x, dy = lanes<F8>(y + i) - out.y;
        const F8 xx = dx * dx, xy = dx * dy, yy = dy * dy, wxx = w * xx, wxy = w * xy, wyy = w * yy;
        s20 += wxx, s11 += wxy, s02 += wyy;
        s30 += wxx * dx, s21 += wxx * dy, s12 += wyy * dx, s03 += wyy * dy;
        s40 += wxx * xx, s31 += wxx * xy, s22 += wxx * yy, s13 += wyy * xy, s04 += wyy * yy;
    }
    const F8* const found[5][5] = {{nullptr, nullptr, &s02, &s03, &s04}, {nullptr, &s11, &s12, &s13, nullptr},
                                   {&s20, &s21, &s22, nullptr, nullptr}, {&s30, &s31, nullptr, nullptr, nullptr},
                                   {&s40, nullptr, nullptr, nullptr, nullptr}};
    for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 5; ++k)
            if (found[j][k]) out.sums[j][k] = total(*found[j][k]);
}

// Mean and central sums of one loss.
struct Moments {
    double n = 0, w = 0, w2 = 0, mean = 0, m2 = 0, m3 = 0;

    void merge(const Moments& o) {
        if (o.w == 0) return;
        if (w == 0) {
            *this = o;
            return;
        }
        const double sum = w + o.w, d = o.mean - mean, share = o.w / sum;
        m3 += o.m3 + d * d * d * w * share * (w - o.w) / sum + 3 * d * (w * o.m2 - o.w * m2) / sum;
        m2 += o.m2 + d * d * w * share;
        mean += d * share, n += o.n, w = sum, w2 += o.w2;
    }

    nb::tuple tuple() const { return nb::make_tuple(std::size_t(n), w, w2, mean, m2, m3); }
};

CALIPERS_CLONES void moments_block(const double* x, const double* weights, std::size_t n, Moments& out) {
    double first = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (weights[i] != 0) {
            first = x[i];
            break;
        }
    F8 s{}, sw{}, sw2{}, rows{};
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 w = lanes<F8>(weights + i);
        s += w * (lanes<F8>(x + i) - first), sw += w, sw2 += w * w;
        rows += w != 0 ? F8{} + 1 : F8{};
    }
    out.n = total(rows), out.w = total(sw), out.w2 = total(sw2);
    if (out.w == 0) return;
    const double beyond = total(s);  // one rounding where values are whole, none where all are the same
    out.mean = beyond == 0 ? first : (first * out.w + beyond) / out.w;
    F8 s2{}, s3{};
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 w = lanes<F8>(weights + i), d = lanes<F8>(x + i) - out.mean, wdd = w * d * d;
        s2 += wdd, s3 += wdd * d;
    }
    out.m2 = total(s2), out.m3 = total(s3);
}

CALIPERS_INLINE bool all_small(const F8& d) { return -least(-size_of(d)) < 0.5; }

// d - log(1 + d) without the difference where d is small: with s = d / (2 + d), log(1 + d) = 2 artanh(s) and d - 2s = sd.
CALIPERS_INLINE void less_log(const F8& d, F8& out) {
    const F8 s = d / (2.0 + d), q = s * s;
    F8 series{};
    for (int k = 25; k >= 3; k -= 2) series = series * q + 1.0 / k;
    const F8 near = s * d - 2.0 * s * q * series;
    if (all_small(d)) {
        out = near;
        return;
    }
    F8 far = 1.0 + d;
    log8<false>(far);
    out = size_of(d) < 0.5 ? near : d - far;
}

CALIPERS_INLINE void log_ratio(const F8& d, F8& out) {  // log(1 + d)
    const F8 s = d / (2.0 + d), q = s * s;
    F8 series{};
    for (int k = 25; k >= 1; k -= 2) series = series * q + 1.0 / k;
    if (all_small(d)) {
        out = 2.0 * s * series;
        return;
    }
    F8 far = 1.0 + d;
    log8<false>(far);
    out = size_of(d) < 0.5 ? 2.0 * s * series : far;
}

struct Loss {
    enum Kind { absolute, squared, percentage, symmetric, squared_log, pinball, huber, tweedie } kind;
    double parameter;

    static Loss of(const std::string& name, double parameter) {
        static const char* const names[] = {"absolute", "squared", "percentage", "symmetric",
                                            "squared_log", "pinball", "huber", "tweedie"};
        for (int k = 0; k < 8; ++k)
            if (name == names[k]) return {Kind(k), parameter};
        throw nb::value_error(("no loss is called " + name).c_str());
    }
};

template <Loss::Kind kind>
CALIPERS_INLINE void one_loss(const F8& y, const F8& p, double a, F8& out) {
    const F8 e = p - y, zero{};
    if constexpr (kind == Loss::absolute) out = size_of(e);
    if constexpr (kind == Loss::squared) out = e * e;
    if constexpr (kind == Loss::percentage) {  // of the size of the truth, or of `a` where that is smaller
        const F8 whole = size_of(y) < a ? zero + a : size_of(y);
        out = whole == 0 ? zero : size_of(e) / whole;
    }
    if constexpr (kind == Loss::symmetric) {
        const F8 both = size_of(y) + size_of(p);
        out = both == 0 ? zero : 2.0 * size_of(e) / both;
    }
    if constexpr (kind == Loss::squared_log) {
        log_ratio(e / (1.0 + y), out);
        out = out * out;
    }
    if constexpr (kind == Loss::pinball) out = e < 0 ? -a * e : (1 - a) * e;
    if constexpr (kind == Loss::huber) {
        const F8 far = size_of(e);
        out = far <= a ? 0.5 * e * e : a * (far - 0.5 * a);
    }
}

template <Loss::Kind kind>
CALIPERS_CLONES void fill(const double* y, const double* p, std::size_t n, double a, double* out) {
    for (std::size_t i = 0; i < n; i += 8) {
        F8 found;
        one_loss<kind>(lanes<F8>(y + i), lanes<F8>(p + i), a, found);
        std::memcpy(out + i, &found, sizeof(found));
    }
}

// Unit deviances of Poisson (power 1) and gamma (2), as 2c(d - log(1 + d)).
CALIPERS_CLONES void poisson(const double* y, const double* p, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 t = lanes<F8>(y + i), m = lanes<F8>(p + i), zero{};
        F8 found;
        less_log((m - t) / (t == zero ? zero + 1 : t), found);
        found = t == zero ? 2.0 * m : 2.0 * t * found;
        std::memcpy(out + i, &found, sizeof(found));
    }
}

CALIPERS_CLONES void gamma(const double* y, const double* p, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; i += 8) {
        const F8 t = lanes<F8>(y + i), m = lanes<F8>(p + i);
        F8 found;
        less_log((t - m) / m, found);
        found = 2.0 * found;
        std::memcpy(out + i, &found, sizeof(found));
    }
}

// 4(√y - √p)²/√p, the unit deviance of power 1.5.
CALIPERS_CLONES void between(const double* y, const double* p, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double root = std::sqrt(p[i]), gap = (p[i] - y[i]) / (std::sqrt(y[i]) + root);
        out[i] = 4 * gap * gap / root;
    }
}

void tweedie(const double* y, const double* p, std::size_t n, double power, double* out) {
    if (power == 0) return fill<Loss::squared>(y, p, n, 0, out);
    if (power == 1) return poisson(y, p, n, out);
    if (power == 2) return gamma(y, p, n, out);
    if (power == 1.5) return between(y, p, n, out);
    const double a = 1 - power, b = 2 - power;
    for (std::size_t i = 0; i < n; ++i)
        out[i] = 2 * (std::pow(std::max(y[i], 0.0), b) / (a * b) - y[i] * std::pow(p[i], a) / a +
                      std::pow(p[i], b) / b);
}

void losses_of(const Loss& loss, const double* y, const double* p, std::size_t n, double* out) {
    switch (loss.kind) {
        case Loss::absolute: return fill<Loss::absolute>(y, p, n, 0, out);
        case Loss::squared: return fill<Loss::squared>(y, p, n, 0, out);
        case Loss::percentage: return fill<Loss::percentage>(y, p, n, loss.parameter, out);
        case Loss::symmetric: return fill<Loss::symmetric>(y, p, n, 0, out);
        case Loss::squared_log: return fill<Loss::squared_log>(y, p, n, 0, out);
        case Loss::pinball: return fill<Loss::pinball>(y, p, n, loss.parameter, out);
        case Loss::huber: return fill<Loss::huber>(y, p, n, loss.parameter, out);
        case Loss::tweedie: return tweedie(y, p, n, loss.parameter, out);
    }
}

// One block of both columns, padded to whole vectors.
struct Block {
    alignas(64) double y[block_rows], p[block_rows], w[block_rows], own[block_rows], error[block_rows];
    std::size_t rows, padded;

    Block(const View& truth, const View& said, const double* weights, std::size_t begin, std::size_t end)
        : rows(end - begin), padded((rows + 7) / 8 * 8) {
        read(truth, begin, rows, y), read(said, begin, rows, p);
        std::fill(y + rows, y + padded, y[0]), std::fill(p + rows, p + padded, p[0]);
        for (std::size_t i = 0; i < rows; ++i) w[i] = weights ? weights[begin + i] : 1.0;
        std::fill(w + rows, w + padded, 0.0);
    }
};

struct Extremes {
    double truth = infinity, said = infinity, error = 0;
};

CALIPERS_CLONES void extremes_block(const Block& b, Extremes& out) {
    F8 truth = F8{} + infinity, said = truth, error{};
    for (std::size_t i = 0; i < b.padded; i += 8) {
        const F8 y = lanes<F8>(b.y + i), p = lanes<F8>(b.p + i), far = size_of(p - y);
        truth = y < truth ? y : truth, said = p < said ? p : said, error = far > error ? far : error;
    }
    out.truth = least(truth), out.said = least(said), out.error = -least(-error);
}

using Kinds = std::vector<std::pair<std::string, double>>;

// What one pass finds: (joint of truth and error, joint of their sizes, a tuple of moments for each loss, extremes).
nb::tuple regression(nb::handle y, nb::handle p, nb::handle w, const Kinds& kinds, bool joint) {
    const View truth(y, "truth"), said(p, "said");
    check(truth), check(said);
    if (truth.n != said.n) throw nb::value_error("truth and said differ in length");
    const Weights weights(w, "weights", truth.n);
    std::vector<Loss> losses;
    for (const auto& [name, parameter] : kinds) losses.push_back(Loss::of(name, parameter));
    const std::size_t count = block_count(truth.n, block_rows), each = losses.size();
    std::vector<Joint> both(joint ? count : 0), sizes(joint ? count : 0);
    std::vector<Moments> found(count * each);
    std::vector<Extremes> extremes(count);
    {
        nb::gil_scoped_release release;
        for_blocks(truth.n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            Block block(truth, said, weights.data, begin, end);
            extremes_block(block, extremes[b]);
            for (std::size_t k = 0; k < each; ++k) {
                double* own = block.w;
                if (losses[k].kind == Loss::percentage && losses[k].parameter == 0) {  // a true value of 0 has no relative error
                    for (std::size_t i = 0; i < block.padded; ++i) block.own[i] = block.y[i] == 0 ? 0.0 : block.w[i];
                    own = block.own;
                }
                losses_of(losses[k], block.y, block.p, block.padded, block.error);
                moments_block(block.error, own, block.padded, found[b * each + k]);
            }
            if (!joint) return;
            for (std::size_t i = 0; i < block.padded; ++i) block.error[i] = block.p[i] - block.y[i];
            joint_block(block.y, block.error, block.w, block.padded, block.rows, both[b]);
            for (std::size_t i = 0; i < block.padded; ++i)
                block.y[i] = std::fabs(block.y[i]), block.error[i] = std::fabs(block.error[i]);
            joint_block(block.y, block.error, block.w, block.padded, block.rows, sizes[b]);
        }, std::size_t{1} << 15);
    }
    Joint all, all_sizes;
    Extremes most;
    for (const Joint& b : both) all.merge(b);
    for (const Joint& b : sizes) all_sizes.merge(b);
    for (const Extremes& b : extremes) {
        most.truth = std::min(most.truth, b.truth), most.said = std::min(most.said, b.said);
        most.error = std::max(most.error, b.error);
    }
    nb::list moments;
    for (std::size_t k = 0; k < each; ++k) {
        Moments whole;
        for (std::size_t b = 0; b < count; ++b) whole.merge(found[b * each + k]);
        moments.append(whole.tuple());
    }
    return nb::make_tuple(all.tuple(), all_sizes.tuple(), moments, nb::make_tuple(most.truth, most.said, most.error));
}

nb::tuple joint_moments(nb::handle x, nb::handle y, nb::handle w) {
    const View first(x, "x"), second(y, "y");
    check(first), check(second);
    if (first.n != second.n) throw nb::value_error("x and y differ in length");
    const Weights weights(w, "weights", first.n);
    std::vector<Joint> blocks(block_count(first.n, block_rows));
    {
        nb::gil_scoped_release release;
        for_blocks(first.n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            const Block block(first, second, weights.data, begin, end);
            joint_block(block.y, block.p, block.w, block.padded, block.rows, blocks[b]);
        });
    }
    Joint all;
    for (const Joint& b : blocks) all.merge(b);
    return all.tuple();
}

// Joint moments of the loss of always answering `base` and of the loss of the predictions.
nb::tuple against(nb::handle y, nb::handle p, nb::handle w, const std::string& name, double parameter, double base) {
    const View truth(y, "truth"), said(p, "said");
    check(truth), check(said);
    if (truth.n != said.n) throw nb::value_error("truth and said differ in length");
    const Weights weights(w, "weights", truth.n);
    const Loss loss = Loss::of(name, parameter);
    std::vector<Joint> blocks(block_count(truth.n, block_rows));
    {
        nb::gil_scoped_release release;
        for_blocks(truth.n, block_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            Block block(truth, said, weights.data, begin, end);
            losses_of(loss, block.y, block.p, block.padded, block.error);
            std::fill(block.own, block.own + block.padded, base);
            losses_of(loss, block.y, block.own, block.padded, block.p);
            joint_block(block.p, block.error, block.w, block.padded, block.rows, blocks[b]);
        }, std::size_t{1} << 15);
    }
    Joint all;
    for (const Joint& b : blocks) all.merge(b);
    return all.tuple();
}

nb::object row_losses(nb::handle y, nb::handle p, const std::string& name, double parameter) {
    const View truth(y, "truth"), said(p, "said");
    check(truth), check(said);
    if (truth.n != said.n) throw nb::value_error("truth and said differ in length");
    const Loss loss = Loss::of(name, parameter);
    Fresh out(dtype<double>(), truth.n);
    {
        nb::gil_scoped_release release;
        for_blocks(truth.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            Block block(truth, said, nullptr, begin, end);
            losses_of(loss, block.y, block.p, block.padded, block.error);
            std::copy(block.error, block.error + block.rows, out.as<double>() + begin);
        });
    }
    return out.array;
}

}  // namespace

void init_regression(nb::module_& m) {
    m.def("regression", &regression, nb::arg("truth"), nb::arg("said"), nb::arg("weights").none(), nb::arg("kinds"),
          nb::arg("joint"), "(joint of truth and error, joint of their sizes, moments of each loss, extremes).");
    m.def("joint_moments", &joint_moments, nb::arg("x"), nb::arg("y"), nb::arg("weights").none(),
          "(n, w, w2, [mean x, mean y, central sums 20 11 02 30 ... 04]).");
    m.def("losses_against", &against, nb::arg("truth"), nb::arg("said"), nb::arg("weights").none(), nb::arg("kind"),
          nb::arg("parameter"), nb::arg("base"), "Joint moments of the loss of one answer, and of the predictions.");
    m.def("loss_rows", &row_losses, nb::arg("truth"), nb::arg("said"), nb::arg("kind"), nb::arg("parameter") = 0.0,
          "The loss of each row.");
}

}  // namespace calipers
