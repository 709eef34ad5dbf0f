// Scores beside the codes of their classes, and the plain way to part them by class.
#pragma once

#include <limits>
#include <vector>

#include "array.hpp"
#include "keys.hpp"
#include "lanes.hpp"

namespace calipers {

constexpr std::size_t chunk_rows = 1024;

// Positive are the rows whose code is `positive`. Codes of any width are compared in their own.
struct Positives {
    Codes codes;
    std::uint32_t positive;
    std::ptrdiff_t offset = 0;  // in bytes, from the first code to that of the first row: a column of a matrix

    // -1 where a row is of the other classes, 0 where it is positive; n is at most chunk_rows.
    void mark_others(std::size_t begin, std::size_t n, std::int32_t* out) const;
};

template <class T>
struct ScoredRows {
    Column<T> scores;
    Positives truth;
};

template <class T>
struct Part {
    std::size_t count = 0;
    T first{}, last{};
    bool ascending = true, descending = true;
};

// Parts are positives below a pivot, other positives, negatives below it, other negatives. Groups: where values were
// counted, the keys of all of them, ascending.
template <class T>
struct Split {
    Part<T> parts[4];
    std::vector<Counted<Key<T>>> groups;
    std::size_t nans = 0;
    std::ptrdiff_t first_nan = -1;
    T low = std::numeric_limits<T>::infinity(), high = -std::numeric_limits<T>::infinity();

    // Finds the first of the NaNs, unless it is known.
    void note_nans(const T* rows, std::size_t n, std::size_t begin) {
        for (std::size_t k = 0; k < n && first_nan < 0; ++k)
            if (rows[k] != rows[k]) first_nan = static_cast<std::ptrdiff_t>(begin + k);
    }
};

// The parts side by side in `values`, each in the order of its rows or, where that descends, reversed.
template <class T>
Split<T> split(const ScoredRows<T>& rows, T pivot, T* values);

}  // namespace calipers
