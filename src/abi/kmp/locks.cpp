// Owns: LLVM's entry points of locks, which do what the omp_ routines do, with other arguments. The
// lock is the program's omp_lock_t or omp_nest_lock_t, 8 bytes each.
#include "abi/omp/locks.hpp"

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::LockWord;
namespace locks = xylem::abi::locks;

extern "C" {

XYLEM_EXPORT void __kmpc_init_lock(const Location*, ThreadNumber, LockWord* lock) {
  locks::init(*lock);
}
XYLEM_EXPORT void __kmpc_init_lock_with_hint(const Location*, ThreadNumber, LockWord* lock,
                                             uintptr_t hint) {
  locks::init(*lock, hint);
}
XYLEM_EXPORT void __kmpc_destroy_lock(const Location*, ThreadNumber, LockWord* lock) {
  locks::destroy(*lock);
}
XYLEM_EXPORT void __kmpc_set_lock(const Location*, ThreadNumber, LockWord* lock) {
  locks::set(*lock);
}
XYLEM_EXPORT void __kmpc_unset_lock(const Location*, ThreadNumber, LockWord* lock) {
  locks::unset(*lock);
}
XYLEM_EXPORT int32_t __kmpc_test_lock(const Location*, ThreadNumber, LockWord* lock) {
  return locks::test(*lock);
}

XYLEM_EXPORT void __kmpc_init_nest_lock(const Location*, ThreadNumber, void* lock) {
  locks::init_boxed(lock);
}
XYLEM_EXPORT void __kmpc_init_nest_lock_with_hint(const Location*, ThreadNumber, void* lock,
                                                  uintptr_t hint) {
  locks::init_boxed(lock, hint);
}
XYLEM_EXPORT void __kmpc_destroy_nest_lock(const Location*, ThreadNumber, void* lock) {
  locks::destroy_boxed(lock);
}
XYLEM_EXPORT void __kmpc_set_nest_lock(const Location*, ThreadNumber, void* lock) {
  locks::set_boxed(lock);
}
XYLEM_EXPORT void __kmpc_unset_nest_lock(const Location*, ThreadNumber, void* lock) {
  locks::unset_boxed(lock);
}
XYLEM_EXPORT int32_t __kmpc_test_nest_lock(const Location*, ThreadNumber, void* lock) {
  return locks::test_boxed(lock);
}

}  // extern "C"
