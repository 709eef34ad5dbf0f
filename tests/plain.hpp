// Before each file of the native module, for `make sanitize KIND=plain`: no kernel is written for AVX-512.
#include "../native/lanes.hpp"
#undef CALIPERS_AVX512
