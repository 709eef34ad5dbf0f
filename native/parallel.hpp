// Threads over fixed blocks. A block's bounds depend on n alone and its result goes to its own slot, so a
// reduction in block order gives the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace calipers {

inline int threads() {
    if (const char* asked = std::getenv("CALIPERS_THREADS")) {
        const int n = std::atoi(asked);
        if (n > 0) return n;
    }
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

inline std::size_t block_count(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

// Calls f(index, begin, end) for each block of [0, n). The calling thread works too; others start only when there
// are at least `worth` items, below which starting a thread (some 30 us) costs more than it saves.
template <class F>
void for_blocks(std::size_t n, std::size_t block, F&& f, std::size_t worth = std::size_t{1} << 17) {
    const std::size_t blocks = block_count(n, block);
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        for (std::size_t b = next++; b < blocks; b = next++) f(b, b * block, std::min(n, (b + 1) * block));
    };
    const std::size_t extra =
        n < worth ? 0 : std::min<std::size_t>(static_cast<std::size_t>(threads()), blocks) - 1;
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < extra; ++t) pool.emplace_back(work);
    work();
    for (auto& t : pool) t.join();
}

}  // namespace calipers
