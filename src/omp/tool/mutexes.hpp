// Owns: what a tool is told of locks, critical sections, atomics and ordered regions. Each function
// does what the one of its name in omp/ does, and tells. A wait id is the address of what is waited
// for.
#pragma once

#include "omp/sync/lock.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp::tool {

// The one way in which Xylem makes mutexes (ompt_enumerate_mutex_impls).
inline constexpr unsigned mutex_implementation = 1;
inline constexpr const char* mutex_implementation_name = "xylem_mutex_spins_then_sleeps";

// `hint`: an omp_sync_hint_t; 0: none.
void lock(Call call, MutexKind kind, LockWord& word, unsigned hint = 0);
bool try_lock(Call call, LockWord& word);
void unlock(Call call, MutexKind kind, LockWord& word);

// `id`: what the program knows the lock by.
void lock(Call call, NestLock& nested, const void* id);
int try_lock(Call call, NestLock& nested, const void* id);
void unlock(Call call, NestLock& nested, const void* id);

void tell_lock_made(Call call, MutexKind kind, const void* id, unsigned hint = 0);
void tell_lock_gone(Call call, MutexKind kind, const void* id);

void ordered_enter(Call call, Member& member);
void ordered_leave(Call call, Member& member);

}  // namespace xylem::omp::tool
