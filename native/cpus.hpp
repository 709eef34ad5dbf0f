// How many CPUs this process may use.
#pragma once

namespace calipers {

// By affinity and by the quotas of the process's cgroup and of those above it. The quota is read once.
int available_cpus();

// A whole number of at least 1 in an environment variable; 0 if there is none.
int positive_setting(const char* name);

}  // namespace calipers
