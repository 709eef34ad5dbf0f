#include "cpus.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace calipers {
namespace {

int by_affinity() {
#ifdef __linux__
    // A set of 1024 CPUs is refused where the kernel knows more.
    for (int most = 1024; most <= 1 << 16; most *= 4) {
        cpu_set_t* set = CPU_ALLOC(most);
        if (set == nullptr) break;
        const std::size_t size = CPU_ALLOC_SIZE(most);
        const bool known = sched_getaffinity(0, size, set) == 0;
        const int count = known ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (known) return std::max(1, count);
        if (errno != EINVAL) break;
    }
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// CPUs that `quota` of every `period` microseconds are worth, rounded up: half a CPU more would stand idle.
double cpus(double quota, double period) { return quota > 0 && period > 0 ? std::ceil(quota / period) : INFINITY; }

// Version 2 of cgroups: "max 100000" or "150000 100000".
double quota_of(const std::string& folder) {
    double quota = 0, period = 0;
    std::ifstream(folder + "/cpu.max") >> quota >> period;  // "max" leaves 0
    return cpus(quota, period);
}

// Version 1: a file each, -1 for no limit.
double old_quota_of(const std::string& folder) {
    double quota = 0, period = 0;
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    return cpus(quota, period);
}

// The least quota of a cgroup and of those above it.
double least_quota(const std::string& root, std::string path, double (*read)(const std::string&)) {
    double least = read(root);
    for (; path.size() > 1; path.resize(path.rfind('/'))) least = std::min(least, read(root + path));
    return least;
}

// Lines are "0::/path" (version 2) or "4:cpu,cpuacct:/path" (version 1).
int by_quota() {
    double least = INFINITY;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos || line[second + 1] != '/') continue;
        const std::string path = line.substr(second + 1);
        std::istringstream controllers(line.substr(first + 1, second - first - 1));
        if (second == first + 1) least = std::min(least, least_quota("/sys/fs/cgroup", path, quota_of));
        for (std::string one; std::getline(controllers, one, ',');)
            if (one == "cpu") least = std::min(least, least_quota("/sys/fs/cgroup/cpu", path, old_quota_of));
    }
    return least < INT_MAX ? std::max(1, static_cast<int>(least)) : INT_MAX;
}

}  // namespace

int available_cpus() {
    static const int quota = by_quota();
    return std::min(by_affinity(), quota);
}

int positive_setting(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr) return 0;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    // OMP_NUM_THREADS may be a list, of which the first counts for threads that are not nested.
    return end == text || (*end != '\0' && *end != ',') || value < 1 ? 0 : static_cast<int>(std::min<long>(value, INT_MAX));
}

}  // namespace calipers
