// libgomp's entry points for critical sections and for atomics without an instruction.
#include "base/export.hpp"
#include "omp/tool/mutexes.hpp"

using namespace xylem::omp;

namespace {

// Inlined in the entry points: a tool is told where they were called.
[[gnu::always_inline]] inline void enter(tool::MutexKind kind, LockWord& word) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), kind, word);
  lock(word);
}

[[gnu::always_inline]] inline void leave(tool::MutexKind kind, LockWord& word) {
  if (tool::on()) [[unlikely]]
    return tool::unlock(tool::here(), kind, word);
  unlock(word);
}

using enum tool::MutexKind;

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_critical_start() { enter(critical, unnamed_critical()); }
XYLEM_EXPORT void GOMP_critical_end() { leave(critical, unnamed_critical()); }
XYLEM_EXPORT void GOMP_critical_name_start(void** storage) {
  enter(critical, named_critical(storage));
}
XYLEM_EXPORT void GOMP_critical_name_end(void** storage) {
  leave(critical, named_critical(storage));
}
XYLEM_EXPORT void GOMP_atomic_start() { enter(atomic, atomic_fallback()); }
XYLEM_EXPORT void GOMP_atomic_end() { leave(atomic, atomic_fallback()); }

}  // extern "C"
