// Threads over fixed blocks. A block's bounds depend on n alone and its result goes to its own slot, so a
// reduction in block order gives the same bits for any number of threads.
#pragma once

#include <cstddef>

namespace calipers {

// How many threads a call may use, itself included: CALIPERS_THREADS, at most 256 or as many as there are CPUs; else
// the least of the CPUs that this process may run on, its cgroup's quota, and OMP_NUM_THREADS, which joblib sets in its
// workers so that all of them together fill the machine once.
int threads();

// The most threads for later calls from this thread, where CALIPERS_THREADS says nothing; 0: no limit. Returns the limit
// before. Engines that have a task per core set it in a task, which may share its process with other work.
int limit_threads(int most);

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

// Calls f(index, begin, end) for each block of [0, n). The calling thread works too; threads of a pool join it only when
// there are at least `worth` items, below which waking a thread (some 10 us) costs more than it saves. The first
// exception stops the blocks not yet begun and is thrown again here, when no other thread works on them any more.
// A block may itself call for_blocks.
void for_blocks(std::size_t n, std::size_t block, BlockTask f, std::size_t worth = std::size_t{1} << 16);

}  // namespace calipers
