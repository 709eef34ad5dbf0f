// A matrix of any strides.
#pragma once

#include "array.hpp"

namespace calipers {

template <class T>
struct Table {
    const char* data;
    std::ptrdiff_t down, across;
    std::size_t rows, columns;
    bool in_place;  // rows can be read where they are

    explicit Table(const View& view)
        : data(view.data),
          down(view.stride),
          across(view.across),
          rows(view.n),
          columns(view.columns),
          in_place(across == static_cast<std::ptrdiff_t>(sizeof(T)) && aligned<T>(data, down)) {}

    T at(std::size_t r, std::size_t c) const {
        return load<T>(data + static_cast<std::ptrdiff_t>(r) * down + static_cast<std::ptrdiff_t>(c) * across);
    }

    // A row's columns side by side: in place, or gathered into `spare`.
    const T* row(std::size_t r, T* spare) const {
        if (!in_place) return gathered(r, spare);
        return reinterpret_cast<const T*>(data + static_cast<std::ptrdiff_t>(r) * down);
    }

private:
    // A call of its own, so that its loop takes no registers from the loop over a row.
    [[gnu::noinline]] const T* gathered(std::size_t r, T* spare) const {
        for (std::size_t c = 0; c < columns; ++c) spare[c] = at(r, c);
        return spare;
    }
};

}  // namespace calipers
