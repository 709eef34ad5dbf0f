#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __unix__
#include <pthread.h>
#endif

#include "cpus.hpp"

namespace calipers {
namespace {

constexpr int most_threads = 256;  // more are a mistake in CALIPERS_THREADS: each takes some 30 us to start

// One call of for_blocks: whoever works on it takes the next turn until none is left. Turns go round as many ranges of
// blocks as there are threads, so that each thread mostly stays in one: two that first touch one huge page at once would
// both clear it.
struct Job {
    BlockTask f;
    std::size_t n, block, blocks, ranges;
    std::size_t wanted = 0, working = 0;  // threads that may still join, and that have: under the pool's lock
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr first{};
    std::condition_variable left{};

    void work() noexcept {
        const std::size_t length = (blocks + ranges - 1) / ranges, turns = length * ranges;
        try {
            for (std::size_t turn = next++; turn < turns; turn = next++) {
                const std::size_t b = turn % ranges * length + turn / ranges;
                if (b < blocks) f(b, b * block, std::min(n, (b + 1) * block));
            }
        } catch (...) {
            if (!failed.exchange(true)) first = std::current_exception();
            next = turns;
        }
    }
};

// Threads that wait for jobs. A caller works on its own job and waits only for those that joined it, so a job ends
// whatever the others do: jobs may be nested, and a pool without threads is slow but right.
class Pool {
public:
    void run(Job& job, std::size_t all) {
        std::unique_lock<std::mutex> lock(guard_);
        const auto place = jobs_.insert(jobs_.end(), &job);
        // Callers are threads too: several at once (joblib's threads) share the pool instead of filling it each.
        ++callers_;
        const std::size_t most = std::min(all > callers_ ? all - callers_ : 0, job.blocks - 1);
        start(most);
        const std::size_t wanted = job.wanted = std::min(most, threads_);
        lock.unlock();
        for (std::size_t k = 0; k < wanted; ++k) work_.notify_one();
        job.work();
        lock.lock();
        jobs_.erase(place);
        job.left.wait(lock, [&] { return job.working == 0; });
        --callers_;
    }

private:
    void start(std::size_t wanted) {
        try {
            for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The system gives no more threads: those that there are do the work, if need be the caller alone.
        } catch (const std::bad_alloc&) {
        }
    }

    Job* open_job() const {
        const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->wanted > 0; });
        return found == jobs_.end() ? nullptr : *found;
    }

    void serve() {
        std::unique_lock<std::mutex> lock(guard_);
        for (;;) {
            Job* job = nullptr;
            work_.wait(lock, [&] { return (job = open_job()) != nullptr; });
            --job->wanted, ++job->working;
            lock.unlock();
            job->work();
            lock.lock();
            // Under the lock: afterwards the caller may have returned, and the job be gone.
            if (--job->working == 0) job->left.notify_one();
        }
    }

    std::mutex guard_;
    std::condition_variable work_;
    std::list<Job*> jobs_;
    std::size_t threads_ = 0, callers_ = 0;
};

thread_local int limit_of_thread = 0;

// Never destroyed: its threads wait until the process ends. A fork has none of them, so a child begins with a new pool
// in the place of the old one, whose lock some thread of the parent may have held.
alignas(Pool) unsigned char room[sizeof(Pool)];

Pool& pool() {
    static const bool made = [] {
        new (room) Pool;
#ifdef __unix__
        pthread_atfork(nullptr, nullptr, [] { new (room) Pool; });
#endif
        return true;
    }();
    static_cast<void>(made);
    return *std::launder(reinterpret_cast<Pool*>(room));
}

}  // namespace

int threads() {
    const int asked = positive_setting("CALIPERS_THREADS"), cpus = available_cpus();
    if (asked > 0) return std::min(asked, std::max(most_threads, cpus));
    const int shared = positive_setting("OMP_NUM_THREADS");
    const int all = shared > 0 ? std::min(shared, cpus) : cpus;
    return limit_of_thread > 0 ? std::min(limit_of_thread, all) : all;
}

int limit_threads(int most) { return std::exchange(limit_of_thread, most); }

void for_blocks(std::size_t n, std::size_t block, BlockTask f, std::size_t worth) {
    const std::size_t blocks = block_count(n, block);
    const std::size_t all = n < worth || blocks < 2 ? 1 : static_cast<std::size_t>(threads());
    if (all == 1) {
        for (std::size_t b = 0; b < blocks; ++b) f(b, b * block, std::min(n, (b + 1) * block));
        return;
    }
    Job job{f, n, block, blocks, std::min(all, blocks)};
    pool().run(job, all);
    if (job.first) std::rethrow_exception(job.first);
}

}  // namespace calipers
