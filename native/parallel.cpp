#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace calipers {

int threads() {
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

void for_blocks(std::size_t n, std::size_t block, BlockTask f, std::size_t worth) {
    const std::size_t blocks = block_count(n, block);
    const std::size_t extra =
        n < worth || blocks < 2 ? 0 : std::min<std::size_t>(static_cast<std::size_t>(threads()), blocks) - 1;
    if (extra == 0) {
        for (std::size_t b = 0; b < blocks; ++b) f(b, b * block, std::min(n, (b + 1) * block));
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr first;
    const auto work = [&]() noexcept {
        try {
            for (std::size_t b = next++; b < blocks; b = next++) f(b, b * block, std::min(n, (b + 1) * block));
        } catch (...) {
            if (!failed.exchange(true)) first = std::current_exception();
            next = blocks;
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(extra);  // so that a thread that has started is never lost
    try {
        while (pool.size() < extra) pool.emplace_back(work);
    } catch (const std::system_error&) {
        // The system gives no more threads: those that there are do the work, if need be this one alone.
    } catch (const std::bad_alloc&) {
    }
    work();
    for (auto& thread : pool) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace calipers
