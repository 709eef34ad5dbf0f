// Two columns of numbers of any real type, read as doubles in fixed blocks.
#pragma once

#include <algorithm>
#include <string>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {

constexpr std::size_t rows_a_block = 1 << 13;

// A column of any real type, read as doubles.
inline void read(const View& view, std::size_t begin, std::size_t count, double* out) {
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

// Two columns of one length and weights, or none, and their blocks as doubles.
class Columns {
public:
    Columns(nb::handle first, const char* a, nb::handle second, const char* b, nb::handle weights)
        : first_(first, a), second_(second, b), n(first_.n), weights_(weights, "weights", n) {
        for (const View* view : {&first_, &second_}) {
            const bool whole = view->kind == 'i' || view->kind == 'u' || view->kind == 'b';
            if (!whole && !(view->kind == 'f' && (view->size == 4 || view->size == 8)))
                view->fail(" must be float32, float64 or integers");
        }
        if (n != second_.n) throw nb::value_error((std::string(a) + " and " + b + " differ in length").c_str());
    }

    // Rows [begin, end), padded to whole vectors with the values of the first row and weight 0; where they are so
    // already, they are read in place. No weights: all are 1.
    struct Block {
        const double *x, *y, *w;
        std::size_t rows, padded;
        alignas(64) double spare[3][rows_a_block];

        Block(const Columns& from, std::size_t begin, std::size_t end) : rows(end - begin), padded((rows + 7) / 8 * 8) {
            x = column(from.first_, begin, spare[0]), y = column(from.second_, begin, spare[1]);
            w = from.weights_.data ? from.weights_.data + begin : nullptr;
            if (rows == padded) return;
            for (std::size_t i = 0; i < padded; ++i) spare[2][i] = i < rows ? (w ? w[i] : 1.0) : 0.0;
            w = spare[2];
        }

    private:
        const double* column(const View& view, std::size_t begin, double* to) const {
            if (view.holds<double>() && view.stride == 8 && aligned<double>(view.data, 8) && rows == padded)
                return view.dense<double>() + begin;
            read(view, begin, rows, to);
            std::fill(to + rows, to + padded, to[0]);
            return to;
        }
    };

    // Calls f(index, block) for each block, from all threads.
    template <class F>
    void blocks(const F& f) const {
        nb::gil_scoped_release release;
        for_blocks(n, rows_a_block, [&](std::size_t b, std::size_t begin, std::size_t end) {
            f(b, Block(*this, begin, end));
        }, std::size_t{1} << 15);
    }
    std::size_t block_count() const { return calipers::block_count(n, rows_a_block); }

private:
    View first_, second_;

public:
    const std::size_t n;

private:
    Weights weights_;
};

}  // namespace calipers
