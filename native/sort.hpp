// Scores split by class, each class ascending.
#pragma once

#include "split.hpp"

namespace calipers {

constexpr std::size_t threaded_rows = 1 << 16;  // fewer are sorted by one thread

// The positives, then the negatives, as T at `memory`; for_numpy, the caller sorts those of the four parts that do not
// ascend.
template <class T>
Split<T> sort_scores(const ScoredRows<T>& rows, bool for_numpy, char* memory);

}  // namespace calipers
