// LLVM's entry points around a piece of code that no other such piece may interrupt: atomics that
// atomics.table has no function for.
#include "abi/kmp/kmp.hpp"
#include "omp/tool/mutexes.hpp"

using namespace xylem;

extern "C" {

XYLEM_EXPORT void __kmpc_atomic_start() {
  if (omp::tool::on()) [[unlikely]]
    return omp::tool::lock(omp::tool::here(), omp::tool::MutexKind::atomic, omp::atomic_fallback());
  omp::lock(omp::atomic_fallback());
}
XYLEM_EXPORT void __kmpc_atomic_end() {
  if (omp::tool::on()) [[unlikely]]
    return omp::tool::unlock(omp::tool::here(), omp::tool::MutexKind::atomic,
                             omp::atomic_fallback());
  omp::unlock(omp::atomic_fallback());
}

}  // extern "C"
