// omp_* lock routines.
//
// Shapes: a plain lock is its 4-byte word, in C and Fortran. A nested lock is omp::NestLock in C.
// In Fortran, in C before OpenMP 3.0 (version node OMP_1.0), and for programs built by Clang (node
// VERSION), it is 8 bytes, too few for one; they hold the address of one, and are aligned to 4
// only.
#include "abi/omp/locks.hpp"

#include <cstdint>

#include "base/export.hpp"

using namespace xylem;
using omp::LockWord;
using omp::NestLock;
namespace locks = abi::locks;

static_assert(sizeof(NestLock) == 16);  // omp_nest_lock_t in GCC's omp.h

extern "C" {

XYLEM_EXPORT void xylem_init_lock(LockWord* lock) { locks::init(*lock); }
XYLEM_EXPORT void omp_init_lock_with_hint(LockWord* lock, std::uintptr_t hint) {
  locks::init(*lock, hint);
}
XYLEM_EXPORT void xylem_destroy_lock(LockWord* lock) { locks::destroy(*lock); }
XYLEM_EXPORT void xylem_set_lock(LockWord* lock) { locks::set(*lock); }
XYLEM_EXPORT void xylem_unset_lock(LockWord* lock) { locks::unset(*lock); }
XYLEM_EXPORT int xylem_test_lock(LockWord* lock) { return locks::test(*lock); }

XYLEM_EXPORT void xylem_init_nest_lock(NestLock* lock) { locks::init_nested(*lock); }
XYLEM_EXPORT void xylem_init_hinted_nest_lock(NestLock* lock, std::uintptr_t hint) {
  locks::init_nested(*lock, hint);
}
XYLEM_EXPORT void xylem_destroy_nest_lock(NestLock* lock) { locks::destroy_nested(*lock); }
XYLEM_EXPORT void xylem_set_nest_lock(NestLock* lock) { locks::set_nested(*lock, lock); }
XYLEM_EXPORT void xylem_unset_nest_lock(NestLock* lock) { locks::unset_nested(*lock, lock); }
XYLEM_EXPORT int xylem_test_nest_lock(NestLock* lock) { return locks::test_nested(*lock, lock); }

XYLEM_EXPORT void xylem_init_boxed_nest_lock(void* storage) { locks::init_boxed(storage); }
XYLEM_EXPORT void xylem_init_hinted_boxed_nest_lock(void* storage, std::uintptr_t hint) {
  locks::init_boxed(storage, hint);
}
XYLEM_EXPORT void xylem_destroy_boxed_nest_lock(void* storage) { locks::destroy_boxed(storage); }
XYLEM_EXPORT void xylem_set_boxed_nest_lock(void* storage) { locks::set_boxed(storage); }
XYLEM_EXPORT void xylem_unset_boxed_nest_lock(void* storage) { locks::unset_boxed(storage); }
XYLEM_EXPORT int xylem_test_boxed_nest_lock(void* storage) { return locks::test_boxed(storage); }

}  // extern "C"

XYLEM_SYMBOL_VERSION(xylem_init_lock, "omp_init_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_init_lock, "omp_init_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_init_lock, "omp_init_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_init_lock, "omp_init_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_lock, "omp_destroy_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_lock, "omp_destroy_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_lock, "omp_destroy_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_lock, "omp_destroy_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_set_lock, "omp_set_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_set_lock, "omp_set_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_set_lock, "omp_set_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_set_lock, "omp_set_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_unset_lock, "omp_unset_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_unset_lock, "omp_unset_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_unset_lock, "omp_unset_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_unset_lock, "omp_unset_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_test_lock, "omp_test_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_test_lock, "omp_test_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_test_lock, "omp_test_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_test_lock, "omp_test_lock_@OMP_1.0");

XYLEM_SYMBOL_VERSION(xylem_init_nest_lock, "omp_init_nest_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_init_boxed_nest_lock, "omp_init_nest_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_init_boxed_nest_lock, "omp_init_nest_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_init_boxed_nest_lock, "omp_init_nest_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_init_boxed_nest_lock, "omp_init_nest_lock@VERSION");
XYLEM_SYMBOL_VERSION(xylem_init_boxed_nest_lock, "omp_init_nest_lock_@VERSION");
XYLEM_SYMBOL_VERSION(xylem_destroy_nest_lock, "omp_destroy_nest_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_boxed_nest_lock, "omp_destroy_nest_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_boxed_nest_lock, "omp_destroy_nest_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_boxed_nest_lock, "omp_destroy_nest_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_destroy_boxed_nest_lock, "omp_destroy_nest_lock@VERSION");
XYLEM_SYMBOL_VERSION(xylem_destroy_boxed_nest_lock, "omp_destroy_nest_lock_@VERSION");
XYLEM_SYMBOL_VERSION(xylem_set_nest_lock, "omp_set_nest_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_set_boxed_nest_lock, "omp_set_nest_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_set_boxed_nest_lock, "omp_set_nest_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_set_boxed_nest_lock, "omp_set_nest_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_set_boxed_nest_lock, "omp_set_nest_lock@VERSION");
XYLEM_SYMBOL_VERSION(xylem_set_boxed_nest_lock, "omp_set_nest_lock_@VERSION");
XYLEM_SYMBOL_VERSION(xylem_unset_nest_lock, "omp_unset_nest_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_unset_boxed_nest_lock, "omp_unset_nest_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_unset_boxed_nest_lock, "omp_unset_nest_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_unset_boxed_nest_lock, "omp_unset_nest_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_unset_boxed_nest_lock, "omp_unset_nest_lock@VERSION");
XYLEM_SYMBOL_VERSION(xylem_unset_boxed_nest_lock, "omp_unset_nest_lock_@VERSION");
XYLEM_SYMBOL_VERSION(xylem_test_nest_lock, "omp_test_nest_lock@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_test_boxed_nest_lock, "omp_test_nest_lock@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_test_boxed_nest_lock, "omp_test_nest_lock_@@OMP_3.0");
XYLEM_SYMBOL_VERSION(xylem_test_boxed_nest_lock, "omp_test_nest_lock_@OMP_1.0");
XYLEM_SYMBOL_VERSION(xylem_test_boxed_nest_lock, "omp_test_nest_lock@VERSION");
XYLEM_SYMBOL_VERSION(xylem_test_boxed_nest_lock, "omp_test_nest_lock_@VERSION");

// libgomp 12 does not have it. Programs of GCC find it in our own node.
XYLEM_SYMBOL_VERSION(xylem_init_hinted_nest_lock, "omp_init_nest_lock_with_hint@@XYLEM_1.0");
XYLEM_SYMBOL_VERSION(xylem_init_hinted_boxed_nest_lock, "omp_init_nest_lock_with_hint@VERSION");
XYLEM_SYMBOL_VERSION(xylem_init_hinted_boxed_nest_lock, "omp_init_nest_lock_with_hint_@@VERSION");
