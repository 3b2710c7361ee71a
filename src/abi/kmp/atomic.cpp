// LLVM's entry points around a piece of code that no other such piece may interrupt: atomics that
// atomics.table has no function for.
#include "abi/kmp/kmp.hpp"
#include "omp/sync/lock.hpp"

using namespace xylem;

extern "C" {

XYLEM_EXPORT void __kmpc_atomic_start() { omp::lock(omp::atomic_fallback()); }
XYLEM_EXPORT void __kmpc_atomic_end() { omp::unlock(omp::atomic_fallback()); }

}  // extern "C"
