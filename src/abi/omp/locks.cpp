// omp_* lock routines.
//
// Shapes: a plain lock is its 4-byte word, in C and Fortran. A nested lock is omp::NestLock in C.
// In Fortran, in C before OpenMP 3.0 (version node OMP_1.0), and for programs built by Clang (node
// VERSION), it is 8 bytes, too few for one; they hold the address of one, and are aligned to 4
// only.
#include "abi/omp/locks.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include "base/export.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using omp::LockWord;
using omp::NestLock;

static_assert(sizeof(NestLock) == 16);  // omp_nest_lock_t in GCC's omp.h

namespace {

NestLock& behind(const void* storage) {
  std::uintptr_t address = 0;
  std::memcpy(&address, storage, sizeof address);
  return *reinterpret_cast<NestLock*>(address);
}

void put_behind(void* storage, NestLock* lock) {
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  std::memcpy(storage, &address, sizeof address);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void xylem_init_lock(LockWord* lock) { new (lock) LockWord(0); }
// What a hint is for (speculation) the locks here do not do.
XYLEM_EXPORT void omp_init_lock_with_hint(LockWord* lock, std::uintptr_t) { xylem_init_lock(lock); }
XYLEM_EXPORT void xylem_destroy_lock(LockWord*) {}
XYLEM_EXPORT void xylem_set_lock(LockWord* lock) { omp::lock(*lock); }
XYLEM_EXPORT void xylem_unset_lock(LockWord* lock) { omp::unlock(*lock); }
XYLEM_EXPORT int xylem_test_lock(LockWord* lock) { return omp::try_lock(*lock); }

XYLEM_EXPORT void xylem_init_nest_lock(NestLock* lock) { new (lock) NestLock{}; }
XYLEM_EXPORT void xylem_init_hinted_nest_lock(NestLock* lock, std::uintptr_t) {
  xylem_init_nest_lock(lock);
}
XYLEM_EXPORT void xylem_destroy_nest_lock(NestLock*) {}
XYLEM_EXPORT void xylem_set_nest_lock(NestLock* lock) {
  omp::lock(*lock, omp::current_task_identity());
}
XYLEM_EXPORT void xylem_unset_nest_lock(NestLock* lock) { omp::unlock(*lock); }
XYLEM_EXPORT int xylem_test_nest_lock(NestLock* lock) {
  return omp::try_lock(*lock, omp::current_task_identity());
}

XYLEM_EXPORT void xylem_init_boxed_nest_lock(void* storage) { put_behind(storage, new NestLock{}); }
XYLEM_EXPORT void xylem_init_hinted_boxed_nest_lock(void* storage, std::uintptr_t) {
  xylem_init_boxed_nest_lock(storage);
}
XYLEM_EXPORT void xylem_destroy_boxed_nest_lock(void* storage) {
  delete &behind(storage);
  put_behind(storage, nullptr);
}
XYLEM_EXPORT void xylem_set_boxed_nest_lock(void* storage) {
  xylem_set_nest_lock(&behind(storage));
}
XYLEM_EXPORT void xylem_unset_boxed_nest_lock(void* storage) {
  xylem_unset_nest_lock(&behind(storage));
}
XYLEM_EXPORT int xylem_test_boxed_nest_lock(void* storage) {
  return xylem_test_nest_lock(&behind(storage));
}

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
