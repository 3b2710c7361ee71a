// What entry points of locks do, under whatever names compilers and programs call them.
//
// Every function is inlined in the entry point: a tool is told where the program called. A tool
// knows a lock by the address that the program knows it by. `hint`: an omp_sync_hint_t, 0: none;
// what a hint is for (speculation) the locks here do not do.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>

#include "omp/sync/lock.hpp"
#include "omp/team/query.hpp"
#include "omp/tool/mutexes.hpp"

namespace xylem::abi::locks {

using omp::LockWord;
using omp::NestLock;
namespace tool = omp::tool;

[[gnu::always_inline]] inline void tell_made(tool::MutexKind kind, const void* id,
                                             std::uintptr_t hint) {
  if (tool::on()) [[unlikely]]
    tool::tell_lock_made(tool::here(), kind, id, static_cast<unsigned>(hint));
}

[[gnu::always_inline]] inline void tell_gone(tool::MutexKind kind, const void* id) {
  if (tool::on()) [[unlikely]]
    tool::tell_lock_gone(tool::here(), kind, id);
}

[[gnu::always_inline]] inline void init(LockWord& lock, std::uintptr_t hint = 0) {
  new (&lock) LockWord(0);
  tell_made(tool::MutexKind::lock, &lock, hint);
}

[[gnu::always_inline]] inline void destroy(const LockWord& lock) {
  tell_gone(tool::MutexKind::lock, &lock);
}

[[gnu::always_inline]] inline void set(LockWord& lock) {
  if (tool::on()) [[unlikely]]
    return tool::lock(tool::here(), tool::MutexKind::lock, lock);
  omp::lock(lock);
}

[[gnu::always_inline]] inline void unset(LockWord& lock) {
  if (tool::on()) [[unlikely]]
    return tool::unlock(tool::here(), tool::MutexKind::lock, lock);
  omp::unlock(lock);
}

[[gnu::always_inline]] inline int test(LockWord& lock) {
  if (tool::on()) [[unlikely]]
    return tool::try_lock(tool::here(), lock);
  return omp::try_lock(lock);
}

// `id`: what the program knows the lock by.

[[gnu::always_inline]] inline void init_nested(NestLock& lock, std::uintptr_t hint = 0) {
  new (&lock) NestLock{};
  tell_made(tool::MutexKind::nest_lock, &lock, hint);
}

[[gnu::always_inline]] inline void destroy_nested(const NestLock& lock) {
  tell_gone(tool::MutexKind::nest_lock, &lock);
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

// A nested lock in a box: `storage` is 8 bytes that hold the lock's address, aligned to 4 only.

inline NestLock& behind(const void* storage) {
  std::uintptr_t address = 0;
  std::memcpy(&address, storage, sizeof address);
  return *reinterpret_cast<NestLock*>(address);
}

inline void put_behind(void* storage, NestLock* lock) {
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  std::memcpy(storage, &address, sizeof address);
}

[[gnu::always_inline]] inline void init_boxed(void* storage, std::uintptr_t hint = 0) {
  put_behind(storage, new NestLock{});
  tell_made(tool::MutexKind::nest_lock, storage, hint);
}

[[gnu::always_inline]] inline void destroy_boxed(void* storage) {
  tell_gone(tool::MutexKind::nest_lock, storage);
  delete &behind(storage);
  put_behind(storage, nullptr);
}

[[gnu::always_inline]] inline void set_boxed(void* storage) {
  set_nested(behind(storage), storage);
}

[[gnu::always_inline]] inline void unset_boxed(void* storage) {
  unset_nested(behind(storage), storage);
}

[[gnu::always_inline]] inline int test_boxed(void* storage) {
  return test_nested(behind(storage), storage);
}

}  // namespace xylem::abi::locks
