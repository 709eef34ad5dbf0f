// Threads over fixed blocks. A block's bounds depend on n alone and its result goes to its own slot, so a
// reduction in block order gives the same bits for any number of threads.
#pragma once

#include <cstddef>

namespace calipers {

// CPU affinity, or CALIPERS_THREADS.
int threads();

inline std::size_t block_count(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

// Refers to a callable for as long as a call lasts. One type for all kernels: a template would compile the threads anew
// for each of them.
class BlockTask {
public:
    template <class F>
    BlockTask(const F& f)
        : f_(&f), call_([](const void* f, std::size_t b, std::size_t begin, std::size_t end) {
              (*static_cast<const F*>(f))(b, begin, end);
          }) {}
    void operator()(std::size_t b, std::size_t begin, std::size_t end) const { call_(f_, b, begin, end); }

private:
    const void* f_;
    void (*call_)(const void*, std::size_t, std::size_t, std::size_t);
};

// Calls f(index, begin, end) for each block of [0, n). The calling thread works too; others start only when there
// are at least `worth` items, below which starting a thread (some 30 us) costs more than it saves. The first exception
// stops the blocks not yet begun and is thrown again here, when no thread is left. Threads live as long as the call, so
// that a fork finds none.
void for_blocks(std::size_t n, std::size_t block, BlockTask f, std::size_t worth = std::size_t{1} << 17);

}  // namespace calipers
