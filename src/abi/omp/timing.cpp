// omp_get_wtime and omp_get_wtick.
#include "base/export.hpp"
#include "os/clock.hpp"

namespace {
constexpr double seconds_per_nanosecond = 1e-9;
}

extern "C" {

XYLEM_EXPORT double omp_get_wtime() {
  return static_cast<double>(xylem::os::now_ns()) * seconds_per_nanosecond;
}
XYLEM_EXPORT double omp_get_wtime_() { return omp_get_wtime(); }

XYLEM_EXPORT double omp_get_wtick() { return seconds_per_nanosecond; }
XYLEM_EXPORT double omp_get_wtick_() { return omp_get_wtick(); }

}  // extern "C"
