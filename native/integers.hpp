// Integers to dense codes in order of value.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "array.hpp"
#include "dictionary.hpp"
#include "parallel.hpp"

namespace calipers {

constexpr std::size_t encoded_rows = std::size_t{1} << 16;  // a block of rows for one thread

inline nb::object row_numbers(const std::vector<std::int64_t>& rows) {
    Fresh out(dtype<std::int64_t>(), rows.size());
    if (!rows.empty()) std::memcpy(out.data, rows.data(), rows.size() * sizeof(std::int64_t));
    return out.array;
}

// Integers of less than 64 bits, one by one.
struct Narrow {
    const View& view;
    std::uint64_t operator[](std::size_t i) const {
        const char* const at = view.data + static_cast<std::ptrdiff_t>(i) * view.stride;
        if (view.size == 4) return load<std::uint32_t>(at);
        return view.size == 2 ? load<std::uint16_t>(at) : load<std::uint8_t>(at);
    }
};

// Integers of any width and sign as unsigned keys of the same order: v ^ bias, with the sign bit as the bias. Only the
// loops over all rows know the width; the rest sees 64 bits.
class Integers {
public:
    explicit Integers(const View& view)
        : view_(view), n_(view.n), bias_(view.kind == 'i' ? std::uint64_t{1} << (8 * view.size - 1) : 0) {}

    nb::tuple encode() {
        take_sample();
        if (hi_ - lo_ < 255) {
            if (auto done = few(); done.is_valid()) return nb::borrow<nb::tuple>(done);
        }
        {
            nb::gil_scoped_release release;
            range_of_all();
        }
        if (hi_ - lo_ < 255) return nb::borrow<nb::tuple>(few());
        const std::uint64_t span = hi_ - lo_;
        if (span < (1u << 20) && span / 8 < n_ + 1024) return by_table(static_cast<std::size_t>(span) + 1);
        return by_hash();
    }

private:
    static constexpr std::size_t chunk_rows = 2048, most_sampled = 1024;

    // Calls f with a column of unsigned integers of the width.
    template <class F>
    void with_width(const F& f) const {
        switch (view_.size) {
            case 1: return f(Column<std::uint8_t>(view_), std::uint8_t{});
            case 2: return f(Column<std::uint16_t>(view_), std::uint16_t{});
            case 4: return f(Column<std::uint32_t>(view_), std::uint32_t{});
            default: return f(Column<std::uint64_t>(view_), std::uint64_t{});
        }
    }

    // Calls f(rows, begin, end) for the rows of each chunk of a block, until f returns false.
    template <class U, class F>
    static void each_chunk(const Column<U>& column, std::size_t begin, std::size_t end, const F& f) {
        U spare[chunk_rows];
        for (std::size_t from = begin; from < end; from += chunk_rows) {
            const std::size_t to = std::min(end, from + chunk_rows);
            if (!f(column.rows(from, to - from, spare), from, to)) return;
        }
    }

    // The first rows and some spread over all: sorted labels are common, and their head has one class only.
    std::size_t sampled() const { return std::min<std::size_t>(n_, most_sampled); }
    std::size_t sample(std::size_t i) const {
        return n_ <= most_sampled || i < most_sampled / 2 ? i : (i - most_sampled / 2) * (n_ / (most_sampled / 2));
    }

    void take_sample() {
        with_width([&](const auto& column, auto bias) {
            bias = static_cast<decltype(bias)>(bias_);
            for (std::size_t i = 0; i < sampled(); ++i)
                sample_[i] = static_cast<decltype(bias)>(column[sample(i)] ^ bias);
        });
        lo_ = n_ ? sample_[0] : 0, hi_ = lo_;
        for (std::size_t i = 0; i < sampled(); ++i) lo_ = std::min(lo_, sample_[i]), hi_ = std::max(hi_, sample_[i]);
    }

    void range_of_all() {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges(block_count(n_, encoded_rows));
        with_width([&](const auto& column, auto zero) {
            using U = decltype(zero);
            for_blocks(n_, encoded_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
                U lo = static_cast<U>(lo_), hi = static_cast<U>(hi_);
                const U bias = static_cast<U>(bias_);
                each_chunk(column, begin, end, [&, bias](const U* v, std::size_t from, std::size_t to) {
                    for (std::size_t i = 0; i < to - from; ++i) {
                        const U key = v[i] ^ bias;
                        lo = std::min(lo, key), hi = std::max(hi, key);
                    }
                    return true;
                });
                ranges[b] = {lo, hi};
            });
        });
        for (const auto& [lo, hi] : ranges) lo_ = std::min(lo_, lo), hi_ = std::max(hi_, hi);
    }

    // Values within lo_ .. hi_, fewer than 256: subtract and check. An invalid object when some value lies outside.
    nb::object few() {
        const std::size_t span = static_cast<std::size_t>(hi_ - lo_) + (n_ > 0);
        const Fresh out(dtype<std::uint8_t>(), n_);
        std::uint8_t* const codes = out.as<std::uint8_t>();
        std::vector<std::int64_t> rows(span, -1);
        {
            nb::gil_scoped_release release;
            for (std::size_t i = sampled(); i-- > 0;)
                rows[static_cast<std::size_t>(sample_[i] - lo_)] = static_cast<std::int64_t>(sample(i));
            auto dense = close_gaps(rows);
            if (!subtract(codes, span, dense)) {
                if (dense.empty()) return {};
                // A value in a gap, or one outside the range: subtract again and look where the values are.
                if (!subtract(codes, span, {})) return {};
                rows = look_for_all(codes, span);
                dense = close_gaps(rows);
                if (!dense.empty())
                    for_blocks(n_, encoded_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                        for (std::size_t i = begin; i < end; ++i) codes[i] = dense[codes[i]];
                    });
            }
        }
        return nb::make_tuple(out.array, row_numbers(rows));
    }

    // Leaves only the classes that have a row. Returns the table to their numbers, or nothing when all have one.
    static std::vector<std::uint8_t> close_gaps(std::vector<std::int64_t>& rows) {
        if (std::find(rows.begin(), rows.end(), -1) == rows.end()) return {};
        std::vector<std::uint8_t> dense(256, 255);
        std::size_t classes = 0;
        for (std::size_t c = 0; c < rows.size(); ++c)
            if (rows[c] >= 0) dense[c] = static_cast<std::uint8_t>(classes), rows[classes++] = rows[c];
        rows.resize(classes);
        return dense;
    }

    // Codes by the distance from lo_, and through a table if there is one. False when a value has no code.
    bool subtract(std::uint8_t* codes, std::size_t span, const std::vector<std::uint8_t>& table) const {
        std::atomic<bool> outside{false};
        with_width([&](const auto& column, auto zero) {
            using U = decltype(zero);
            for_blocks(n_, encoded_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                each_chunk(column, begin, end, [&](const U* v, std::size_t from, std::size_t to) {
                    const U any = distances(v, to - from, static_cast<U>(bias_), static_cast<U>(lo_), codes + from);
                    if ((any >> 4) >> 4 != 0 || !look_up(codes + from, to - from, span, table)) outside = true;
                    return !outside.load(std::memory_order_relaxed);
                });
            });
        });
        return !outside;
    }

    // Plain loops one by one: a comparison of 64-bit integers would keep the first from being vectorised.
    template <class U>
    static U distances(const U* v, std::size_t n, U bias, U lo, std::uint8_t* codes) {
        U any = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const U d = static_cast<U>((v[i] ^ bias) - lo);
            codes[i] = static_cast<std::uint8_t>(d);
            any |= d;
        }
        return any;
    }

    static bool look_up(std::uint8_t* codes, std::size_t n, std::size_t span, const std::vector<std::uint8_t>& table) {
        if (const std::uint8_t* const dense = table.data()) {
            for (std::size_t i = 0; i < n; ++i) codes[i] = dense[codes[i]];
            span = 255;
        }
        std::uint8_t top = 0;
        for (std::size_t i = 0; i < n; ++i) top = std::max(top, codes[i]);
        return top < span;
    }

    std::vector<std::int64_t> look_for_all(const std::uint8_t* codes, std::size_t span) const {
        std::vector<std::vector<std::uint32_t>> found(block_count(n_, encoded_rows));
        for_blocks(n_, encoded_rows, [&](std::size_t b, std::size_t begin, std::size_t end) {
            std::uint32_t last[256] = {};  // 1 + row in the block; stores only, so that no step waits for another
            for (std::size_t i = begin; i < end; ++i) last[codes[i]] = static_cast<std::uint32_t>(i - begin + 1);
            found[b].assign(last, last + span);
        });
        std::vector<std::int64_t> rows(span, -1);
        for (std::size_t b = 0; b < found.size(); ++b)
            for (std::size_t c = 0; c < span; ++c)
                if (rows[c] < 0 && found[b][c]) rows[c] = static_cast<std::int64_t>(b * encoded_rows + found[b][c] - 1);
        return rows;
    }

    // Calls f(distances from lo_, begin, end) for each chunk of a block. For spans that fit in 32 bits.
    template <class F>
    void each_distance(std::size_t begin, std::size_t end, const F& f) const {
        std::uint32_t distance[chunk_rows];
        with_width([&](const auto& column, auto zero) {
            using U = decltype(zero);
            each_chunk(column, begin, end, [&](const U* v, std::size_t from, std::size_t to) {
                for (std::size_t i = 0; i < to - from; ++i)
                    distance[i] = static_cast<std::uint32_t>((v[i] ^ static_cast<U>(bias_)) - static_cast<U>(lo_));
                f(distance, from, to);
                return true;
            });
        });
    }

    nb::tuple by_table(std::size_t span) {
        std::vector<std::uint32_t> number(span, 0);
        std::size_t classes = 0;
        {
            nb::gil_scoped_release release;
            std::vector<std::atomic<std::uint8_t>> seen(span);
            for_blocks(n_, encoded_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                each_distance(begin, end, [&](const std::uint32_t* at, std::size_t from, std::size_t to) {
                    for (std::size_t i = 0; i < to - from; ++i) {  // read first: a store takes the line from the others
                        auto& mark = seen[at[i]];
                        if (!mark.load(std::memory_order_relaxed)) mark.store(1, std::memory_order_relaxed);
                    }
                });
            });
            for (std::size_t v = 0; v < span; ++v)
                if (seen[v].load(std::memory_order_relaxed)) number[v] = static_cast<std::uint32_t>(classes++);
        }
        return narrowest(classes, [&](auto zero) {
            using C = decltype(zero);
            const Fresh out(dtype<C>(), n_);
            C* const codes = out.as<C>();
            std::vector<std::int64_t> rows(classes, -1);
            {
                nb::gil_scoped_release release;
                const std::vector<C> narrow(number.begin(), number.end());
                for_blocks(n_, encoded_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                    each_distance(begin, end, [&](const std::uint32_t* at, std::size_t from, std::size_t to) {
                        for (std::size_t i = 0; i < to - from; ++i) codes[from + i] = narrow[at[i]];
                    });
                });
                for (std::size_t i = 0, left = classes; left > 0; ++i)
                    if (rows[codes[i]] < 0) rows[codes[i]] = static_cast<std::int64_t>(i), --left;
            }
            return nb::make_tuple(out.array, row_numbers(rows));
        });
    }

    nb::tuple by_hash() {
        Encoder encoder(n_);
        std::vector<std::int64_t> rows;
        {
            nb::gil_scoped_release release;
            const auto append = [&](auto at) {
                encoder.append(n_, [at, bias = bias_](std::size_t i, Key& out) {
                    out = {at[i] ^ bias, 0, 64, nullptr};
                    return true;
                });
            };
            if (view_.size == 8)
                append(Strided<std::uint64_t>{view_.data, view_.stride});
            else
                append(Narrow{view_});
            const auto& entries = encoder.classes().entries();
            std::vector<std::uint32_t> order(entries.size()), rank(entries.size());
            std::iota(order.begin(), order.end(), 0u);
            std::sort(order.begin(), order.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return entries[x].key.a < entries[y].key.a; });
            for (std::uint32_t r = 0; r < order.size(); ++r) {
                rank[order[r]] = r;
                rows.push_back(static_cast<std::int64_t>(entries[order[r]].row));
            }
            encoder.renumber(rank);
        }
        return nb::make_tuple(codes_of(encoder), row_numbers(rows));
    }

    const View& view_;
    std::size_t n_;
    std::uint64_t bias_, lo_ = 0, hi_ = 0;
    std::uint64_t sample_[most_sampled];
};

}  // namespace calipers
