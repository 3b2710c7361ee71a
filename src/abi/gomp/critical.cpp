// libgomp's entry points for critical sections and for atomics without an instruction.
#include "base/export.hpp"
#include "omp/sync/lock.hpp"

using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT void GOMP_critical_start() { lock(unnamed_critical()); }
XYLEM_EXPORT void GOMP_critical_end() { unlock(unnamed_critical()); }
XYLEM_EXPORT void GOMP_critical_name_start(void** storage) { lock(named_critical(storage)); }
XYLEM_EXPORT void GOMP_critical_name_end(void** storage) { unlock(named_critical(storage)); }
XYLEM_EXPORT void GOMP_atomic_start() { lock(atomic_fallback()); }
XYLEM_EXPORT void GOMP_atomic_end() { unlock(atomic_fallback()); }

}  // extern "C"
