// Which losses of predicted numbers there are, and what they divide by: a tile of rows shares its divisions.
#pragma once

#include <cmath>
#include <string>

#include "array.hpp"
#include "log8.hpp"

namespace calipers {

constexpr std::size_t tile_rows = 256;  // so few that every column of a tile stays in the nearest cache

struct Loss {
    enum Kind { absolute, squared, percentage, symmetric, squared_log, pinball, huber, tweedie, log_cosh } kind;
    double parameter;

    static Loss of(const std::string& name, double parameter) {
        static const char* const names[] = {"absolute", "squared", "percentage", "symmetric",
                                            "squared_log", "pinball", "huber", "tweedie", "log_cosh"};
        for (int k = 0; k < 9; ++k)
            if (name == names[k]) return {Kind(k), parameter};
        throw nb::value_error(("no loss is called " + name).c_str());
    }
    bool power(double p) const { return kind == tweedie && parameter == p; }
};

// What losses divide by: |y|, p, |y| + |p|, y + p with 1 added to both, (√y + √p)√p, and √y + √a of an answer a.
struct Divisors {
    enum Kind { truth, predicted, both, next, roots, answer };
    static constexpr int kinds = 6;
    unsigned needed = 0;
    double of_answer = 0;

    void need(const Loss& loss) {
        if (loss.kind == Loss::percentage && loss.parameter == 0) needed |= 1u << truth;
        if (loss.kind == Loss::symmetric || loss.power(1) || loss.power(2)) needed |= 1u << both;
        if (loss.kind == Loss::squared_log) needed |= 1u << next;
        if (loss.power(2)) needed |= 1u << predicted;
        if (loss.power(1.5)) needed |= 1u << roots;
    }
    void need(const Loss& loss, double an_answer) {
        if (loss.power(1.5)) needed |= 1u << answer, of_answer = an_answer;
    }
};

CALIPERS_CLONES inline void roots_of(const double* y, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::sqrt(y[i]);
}

CALIPERS_CLONES inline void divisors_of(Divisors::Kind kind, const double* y, const double* p, const double* root_y,
                                        const double* root_p, double root_a, std::size_t n, double* out) {
    if (kind == Divisors::truth)
        for (std::size_t i = 0; i < n; ++i) out[i] = std::fabs(y[i]);
    if (kind == Divisors::predicted)
        for (std::size_t i = 0; i < n; ++i) out[i] = p[i];
    if (kind == Divisors::both)
        for (std::size_t i = 0; i < n; ++i) out[i] = std::fabs(y[i]) + std::fabs(p[i]);
    if (kind == Divisors::next)
        for (std::size_t i = 0; i < n; ++i) out[i] = (1 + y[i]) + (1 + p[i]);
    if (kind == Divisors::roots)
        for (std::size_t i = 0; i < n; ++i) out[i] = (root_y[i] + root_p[i]) * root_p[i];
    if (kind == Divisors::answer)
        for (std::size_t i = 0; i < n; ++i) out[i] = root_y[i] + root_a;
}

// 1 over each of several columns in their place, by one division a row: that of their product, times what the others are.
// A division takes as long as ten products.
template <int count>
struct InvertTogether {
    template <class V>
    CALIPERS_INLINE static void run(double* const* columns, std::size_t n) {
        for (std::size_t i = 0; i < n; i += 8) {
            V upto[count];
            upto[0] = from8<V>(columns[0] + i);
            for (int k = 1; k < count; ++k) upto[k] = upto[k - 1] * from8<V>(columns[k] + i);
            V rest = 1 / upto[count - 1];
            for (int k = count - 1; k > 0; --k) {
                const V own = from8<V>(columns[k] + i);
                store8(columns[k] + i, rest * upto[k - 1]);
                rest *= own;
            }
            store8(columns[0] + i, rest);
        }
    }
};

// The same by a division each, and 0 over 0.
CALIPERS_CLONES inline void invert(double* column, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) column[i] = column[i] == 0 ? 0.0 : 1 / column[i];
}

}  // namespace calipers
