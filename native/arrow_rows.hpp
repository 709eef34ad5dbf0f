// Runs of rows of one Arrow array: text as keys of a dictionary, numbers as plain numbers.
#pragma once

#include "arrow.hpp"
#include "array.hpp"
#include "dictionary.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace calipers {

// Data that breaks the rules of the format: to read it would be to read memory that is not its own. A ValueError in Python.
class BrokenArrow : public nb::builtin_exception {
public:
    explicit BrokenArrow(const char* what) : nb::builtin_exception(nb::exception_type::value_error, what) {}
};

inline bool bit(const void* bits, std::size_t i) { return static_cast<const unsigned char*>(bits)[i >> 3] >> (i & 7) & 1; }

// A run of rows of one array. The offset of a record batch adds to that of its column.
struct Rows {
    const ArrowArray* array;
    std::size_t offset, n;

    explicit Rows(const ArrowArray& whole) : Rows(whole, whole.offset, whole.length) {}
    Rows(const ArrowArray& batch, std::size_t column)
        : Rows(child(batch, column), batch.offset + child(batch, column).offset, batch.length) {}

    const void* buffer(std::size_t i) const { return array->buffers[i]; }
    bool has_nulls() const { return array->n_buffers > 0 && array->null_count != 0 && buffer(0) && n > 0; }
    bool valid(std::size_t i) const { return bit(buffer(0), offset + i); }
    template <class T>
    Dense<T> values(std::size_t i = 1) const {
        return {static_cast<const char*>(buffer(i)) + offset * sizeof(T)};
    }

private:
    Rows(const ArrowArray& of, std::int64_t first, std::int64_t length)
        : array(&of), offset(static_cast<std::size_t>(first)), n(static_cast<std::size_t>(length)) {
        if (first < 0 || length < 0 || of.offset < 0) throw BrokenArrow("a length or an offset is negative");
        for (std::int64_t i = 1; n > 0 && i < std::min<std::int64_t>(of.n_buffers, 2); ++i)
            if (!buffer(static_cast<std::size_t>(i))) throw BrokenArrow("the values are missing");
    }
    static const ArrowArray& child(const ArrowArray& batch, std::size_t column) {
        if (static_cast<std::int64_t>(column) >= batch.n_children) throw BrokenArrow("a batch lacks a column of its schema");
        if (batch.children[column]->length < batch.length) throw BrokenArrow("a column is shorter than its batch");
        return *batch.children[column];
    }
};

inline bool is_text(const std::string& format) { return format == "u" || format == "U" || format == "vu"; }

// Calls f with a function from the row to the key of its text.
template <class F>
void with_text(const std::string& format, const Rows& rows, F&& f) {
    const auto by_offsets = [&](auto ends) {
        const auto last = static_cast<std::size_t>(ends[rows.n]);
        return [ends, last, text = static_cast<const char*>(rows.buffer(2))](std::size_t i) {
            const auto begin = static_cast<std::size_t>(ends[i]);
            const std::size_t bytes = static_cast<std::size_t>(ends[i + 1]) - begin;
            return bytes <= 16 && begin + 16 <= last ? short_key_of(text + begin, bytes) : key_of(text + begin, bytes);
        };
    };
    if (format == "u") return f(by_offsets(rows.values<std::int32_t>()));
    if (format == "U") return f(by_offsets(rows.values<std::int64_t>()));
    const char* const views = static_cast<const char*>(rows.buffer(1)) + rows.offset * 16;
    f([views, buffers = rows.array->buffers](std::size_t i) {
        const char* const view = views + i * 16;  // length, then the text itself or prefix, buffer and offset
        const auto bytes = static_cast<std::size_t>(load<std::int32_t>(view));
        const char* text = view + 4;
        if (bytes > 12)
            text = static_cast<const char*>(buffers[2 + load<std::int32_t>(view + 8)]) + load<std::int32_t>(view + 12);
        return key_of(text, bytes);
    });
}

// Refuses text that lies outside of its buffers, as far as the interface tells: the offsets must not decrease. How long a
// buffer of text is, only string views say; whoever hands over other text must have compared the last offset with it.
inline void check_text(const std::string& format, const Rows& rows) {
    if (rows.n == 0) return;
    if (rows.array->n_buffers < 3) throw BrokenArrow("the text is missing");
    const auto check_offsets = [&](auto ends) {
        bool wrong = ends[0] < 0;
        for (std::size_t i = 0; i < rows.n; ++i) wrong |= ends[i + 1] < ends[i];
        if (wrong) throw BrokenArrow("the offsets of the text decrease or are negative");
        if (ends[rows.n] > ends[0] && !rows.buffer(2)) throw BrokenArrow("the text is missing");
    };
    if (format == "u") return check_offsets(rows.values<std::int32_t>());
    if (format == "U") return check_offsets(rows.values<std::int64_t>());
    const auto count = static_cast<std::int64_t>(rows.array->n_buffers) - 3;  // validity, views, texts, lengths of texts
    const Dense<std::int64_t> lengths{static_cast<const char*>(rows.buffer(static_cast<std::size_t>(count) + 2))};
    const char* const views = static_cast<const char*>(rows.buffer(1)) + rows.offset * 16;
    const bool nulls = rows.has_nulls();
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (nulls && !rows.valid(i)) continue;
        const std::int64_t bytes = load<std::int32_t>(views + i * 16), at = load<std::int32_t>(views + i * 16 + 8);
        const std::int64_t from = load<std::int32_t>(views + i * 16 + 12);
        if (bytes >= 0 && bytes <= 12) continue;
        if (bytes < 0 || at < 0 || at >= count || from < 0 || from + bytes > lengths[static_cast<std::size_t>(at)])
            throw BrokenArrow("a text lies outside of its buffer");
    }
}

struct Number {
    const char* format;
    const char* dtype;
    std::size_t size;
    nb::dlpack::dtype type;
};

// "b" is a bitmap and "n" has no buffers at all: both become bytes of their own.
inline const Number* number_of(const std::string& format) {
    using Code = nb::dlpack::dtype_code;
    const auto type = [](Code code, std::uint8_t bits) {
        return nb::dlpack::dtype{static_cast<std::uint8_t>(code), bits, 1};
    };
    static const Number known[] = {
        {"c", "i1", 1, type(Code::Int, 8)},    {"C", "u1", 1, type(Code::UInt, 8)},
        {"s", "i2", 2, type(Code::Int, 16)},   {"S", "u2", 2, type(Code::UInt, 16)},
        {"i", "i4", 4, type(Code::Int, 32)},   {"I", "u4", 4, type(Code::UInt, 32)},
        {"l", "i8", 8, type(Code::Int, 64)},   {"L", "u8", 8, type(Code::UInt, 64)},
        {"e", "f2", 2, type(Code::Float, 16)}, {"f", "f4", 4, type(Code::Float, 32)},
        {"g", "f8", 8, type(Code::Float, 64)}, {"b", "?", 1, type(Code::Bool, 8)},
        {"n", "f8", 8, type(Code::Float, 64)},
    };
    for (const auto& one : known)
        if (format == one.format) return &one;
    return nullptr;
}

// The rows as plain numbers, and 1 in `missing` (which starts as zeros) where there is none. True when there was one.
inline bool copy_numbers(const Number& number, const Rows& rows, char* out, char* missing) {
    if (rows.n == 0) return false;
    if (*number.format == 'n') {
        std::memset(out, 0, rows.n * number.size);
        std::memset(missing, 1, rows.n);
        return true;
    }
    if (*number.format == 'b')
        for (std::size_t i = 0; i < rows.n; ++i) out[i] = bit(rows.buffer(1), rows.offset + i);
    else
        std::memcpy(out, static_cast<const char*>(rows.buffer(1)) + rows.offset * number.size, rows.n * number.size);
    if (!rows.has_nulls()) return false;
    bool any = false;
    for (std::size_t i = 0; i < rows.n; ++i)
        if (!rows.valid(i)) {
            std::memset(out + i * number.size, 0, number.size);  // what a library leaves there differs from run to run
            missing[i] = 1, any = true;
        }
    return any;
}

}  // namespace calipers
