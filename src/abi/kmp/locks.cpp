// Owns: LLVM's entry points of locks, which are those of the omp_ routines with other arguments.
// The lock is the program's omp_lock_t or omp_nest_lock_t, 8 bytes each.
#include "abi/omp/locks.hpp"

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::LockWord;

extern "C" {

XYLEM_EXPORT void __kmpc_init_lock(const Location*, ThreadNumber, LockWord* lock) {
  xylem_init_lock(lock);
}
// There is one kind of lock; it spins and sleeps as need be.
XYLEM_EXPORT void __kmpc_init_lock_with_hint(const Location*, ThreadNumber, LockWord* lock,
                                             uintptr_t) {
  xylem_init_lock(lock);
}
XYLEM_EXPORT void __kmpc_destroy_lock(const Location*, ThreadNumber, LockWord* lock) {
  xylem_destroy_lock(lock);
}
XYLEM_EXPORT void __kmpc_set_lock(const Location*, ThreadNumber, LockWord* lock) {
  xylem_set_lock(lock);
}
XYLEM_EXPORT void __kmpc_unset_lock(const Location*, ThreadNumber, LockWord* lock) {
  xylem_unset_lock(lock);
}
XYLEM_EXPORT int32_t __kmpc_test_lock(const Location*, ThreadNumber, LockWord* lock) {
  return xylem_test_lock(lock);
}

XYLEM_EXPORT void __kmpc_init_nest_lock(const Location*, ThreadNumber, void* lock) {
  xylem_init_boxed_nest_lock(lock);
}
XYLEM_EXPORT void __kmpc_init_nest_lock_with_hint(const Location*, ThreadNumber, void* lock,
                                                  uintptr_t) {
  xylem_init_boxed_nest_lock(lock);
}
XYLEM_EXPORT void __kmpc_destroy_nest_lock(const Location*, ThreadNumber, void* lock) {
  xylem_destroy_boxed_nest_lock(lock);
}
XYLEM_EXPORT void __kmpc_set_nest_lock(const Location*, ThreadNumber, void* lock) {
  xylem_set_boxed_nest_lock(lock);
}
XYLEM_EXPORT void __kmpc_unset_nest_lock(const Location*, ThreadNumber, void* lock) {
  xylem_unset_boxed_nest_lock(lock);
}
XYLEM_EXPORT int32_t __kmpc_test_nest_lock(const Location*, ThreadNumber, void* lock) {
  return xylem_test_boxed_nest_lock(lock);
}

}  // extern "C"
