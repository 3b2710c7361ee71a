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
#include "omp/tool/mutexes.hpp"

using namespace xylem;
using omp::LockWord;
using omp::NestLock;
namespace tool = omp::tool;

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

// Inlined in the entry points: a tool is told where they were called. `id`: what the program knows
// the lock by.

[[gnu::always_inline]] inline void tell_made(tool::MutexKind kind, const void* id,
                                             unsigned hint = 0) {
  if (tool::on()) [[unlikely]]
    tool::tell_lock_made(tool::here(), kind, id, hint);
}

[[gnu::always_inline]] inline void tell_gone(tool::MutexKind kind, const void* id) {
  if (tool::on()) [[unlikely]]
    tool::tell_lock_gone(tool::here(), kind, id);
}

[[gnu::always_inline]] inline void set_nested(NestLock& lock, const void* id) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), lock, id);
  omp::lock(lock, omp::current_task_identity());
}

[[gnu::always_inline]] inline void unset_nested(NestLock& lock, const void* id) {
  if (tool::on()) [[unlikely]]
    return tool::unlock(tool::here(), lock, id);
  omp::unlock(lock);
}

[[gnu::always_inline]] inline int test_nested(NestLock& lock, const void* id) {
  if (tool::on()) [[unlikely]]
    return tool::try_lock(tool::here(), lock, id);
  return omp::try_lock(lock, omp::current_task_identity());
}

using Kind = tool::MutexKind;

}  // namespace

extern "C" {

XYLEM_EXPORT void xylem_init_lock(LockWord* lock) {
  new (lock) LockWord(0);
  tell_made(Kind::lock, lock);
}
// What a hint is for (speculation) the locks here do not do.
XYLEM_EXPORT void omp_init_lock_with_hint(LockWord* lock, std::uintptr_t hint) {
  new (lock) LockWord(0);
  tell_made(Kind::lock, lock, static_cast<unsigned>(hint));
}
XYLEM_EXPORT void xylem_destroy_lock(LockWord* lock) { tell_gone(Kind::lock, lock); }
XYLEM_EXPORT void xylem_set_lock(LockWord* lock) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), Kind::lock, *lock);
  omp::lock(*lock);
}
XYLEM_EXPORT void xylem_unset_lock(LockWord* lock) {
  if (tool::on()) [[unlikely]]
    return tool::unlock(tool::here(), Kind::lock, *lock);
  omp::unlock(*lock);
}
XYLEM_EXPORT int xylem_test_lock(LockWord* lock) {
  if (tool::on()) [[unlikely]]
    return tool::try_lock(tool::here(), *lock);
  return omp::try_lock(*lock);
}

XYLEM_EXPORT void xylem_init_nest_lock(NestLock* lock) {
  new (lock) NestLock{};
  tell_made(Kind::nest_lock, lock);
}
XYLEM_EXPORT void xylem_init_hinted_nest_lock(NestLock* lock, std::uintptr_t hint) {
  new (lock) NestLock{};
  tell_made(Kind::nest_lock, lock, static_cast<unsigned>(hint));
}
XYLEM_EXPORT void xylem_destroy_nest_lock(NestLock* lock) { tell_gone(Kind::nest_lock, lock); }
XYLEM_EXPORT void xylem_set_nest_lock(NestLock* lock) { set_nested(*lock, lock); }
XYLEM_EXPORT void xylem_unset_nest_lock(NestLock* lock) { unset_nested(*lock, lock); }
XYLEM_EXPORT int xylem_test_nest_lock(NestLock* lock) { return test_nested(*lock, lock); }

XYLEM_EXPORT void xylem_init_boxed_nest_lock(void* storage) {
  put_behind(storage, new NestLock{});
  tell_made(Kind::nest_lock, storage);
}
XYLEM_EXPORT void xylem_init_hinted_boxed_nest_lock(void* storage, std::uintptr_t hint) {
  put_behind(storage, new NestLock{});
  tell_made(Kind::nest_lock, storage, static_cast<unsigned>(hint));
}
XYLEM_EXPORT void xylem_destroy_boxed_nest_lock(void* storage) {
  tell_gone(Kind::nest_lock, storage);
  delete &behind(storage);
  put_behind(storage, nullptr);
}
XYLEM_EXPORT void xylem_set_boxed_nest_lock(void* storage) { set_nested(behind(storage), storage); }
XYLEM_EXPORT void xylem_unset_boxed_nest_lock(void* storage) {
  unset_nested(behind(storage), storage);
}
XYLEM_EXPORT int xylem_test_boxed_nest_lock(void* storage) {
  return test_nested(behind(storage), storage);
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
