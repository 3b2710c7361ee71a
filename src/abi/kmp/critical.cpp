// Owns: LLVM's entry points of critical sections. The storage of a name is 32 bytes, zeroed.
#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/tool/mutexes.hpp"

using namespace xylem::abi::kmp;
using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT void __kmpc_critical(const Location*, ThreadNumber, void* storage) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), tool::MutexKind::critical, named_critical(storage));
  lock(named_critical(storage));
}

// There is one kind of lock; it spins and sleeps as need be.
XYLEM_EXPORT void __kmpc_critical_with_hint(const Location*, ThreadNumber, void* storage,
                                            uint32_t hint) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), tool::MutexKind::critical, named_critical(storage), hint);
  lock(named_critical(storage));
}

XYLEM_EXPORT void __kmpc_end_critical(const Location*, ThreadNumber, void* storage) {
  if (tool::on()) [[unlikely]]
    return tool::unlock(tool::here(), tool::MutexKind::critical, named_critical(storage));
  unlock(named_critical(storage));
}

}  // extern "C"
