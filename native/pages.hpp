// Memory for as many items as a column has rows, not initialised. In huge pages where the system has them on request:
// the faults of small ones cost more than what is written there.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calipers {

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Pages = std::unique_ptr<T[], Free>;

template <class T>
Pages<T> pages(std::size_t n) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = n * sizeof(T) + 1;
    void* const memory =
        bytes < 2 * page ? std::malloc(bytes) : std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!memory) throw std::bad_alloc();
#ifdef __linux__
    if (bytes >= 2 * page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return Pages<T>(static_cast<T*>(memory));
}

}  // namespace calipers
