// Runs of rows of one Arrow array: text as keys of a dictionary, numbers as plain numbers.
#pragma once

#include "arrow.hpp"
#include "array.hpp"
#include "dictionary.hpp"

#include <nanobind/ndarray.h>

#include <cstring>
#include <string>

namespace calipers {

inline bool bit(const void* bits, std::size_t i) { return static_cast<const unsigned char*>(bits)[i >> 3] >> (i & 7) & 1; }

// A run of rows of one array. The offset of a record batch adds to that of its column.
struct Rows {
    const ArrowArray* array;
    std::size_t offset, n;

    explicit Rows(const ArrowArray& whole)
        : array(&whole), offset(static_cast<std::size_t>(whole.offset)), n(static_cast<std::size_t>(whole.length)) {}
    Rows(const ArrowArray& batch, std::size_t column)
        : array(batch.children[column]),
          offset(static_cast<std::size_t>(batch.offset + batch.children[column]->offset)),
          n(static_cast<std::size_t>(batch.length)) {}

    const void* buffer(std::size_t i) const { return array->buffers[i]; }
    bool has_nulls() const { return array->n_buffers > 0 && array->null_count != 0 && buffer(0) && n > 0; }
    bool valid(std::size_t i) const { return bit(buffer(0), offset + i); }
    template <class T>
    Dense<T> values(std::size_t i = 1) const {
        return {static_cast<const char*>(buffer(i)) + offset * sizeof(T)};
    }
};

inline bool is_text(const std::string& format) { return format == "u" || format == "U" || format == "vu"; }

// Calls f with a function from the row to the key of its text.
template <class F>
void with_text(const std::string& format, const Rows& rows, F&& f) {
    const auto by_offsets = [&](auto ends) {
        return [ends, text = static_cast<const char*>(rows.buffer(2))](std::size_t i) {
            const auto begin = static_cast<std::size_t>(ends[i]);
            return key_of(text + begin, static_cast<std::size_t>(ends[i + 1]) - begin);
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
