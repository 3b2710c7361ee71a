// Owns: mutexes as a tool is told of them. See mutexes.hpp.
#include "omp/tool/mutexes.hpp"

#include "omp/loops/ordered.hpp"
#include "omp/team/query.hpp"

namespace xylem::omp::tool {

namespace {

WaitId id_of(const void* address) { return reinterpret_cast<WaitId>(address); }

State state_in(MutexKind kind) {
  switch (kind) {
    case MutexKind::critical:
      return State::wait_critical;
    case MutexKind::atomic:
      return State::wait_atomic;
    case MutexKind::ordered:
      return State::wait_ordered;
    case MutexKind::lock:
    case MutexKind::test_lock:
    case MutexKind::nest_lock:
    case MutexKind::test_nest_lock:
      break;
  }
  return State::wait_lock;
}

void tell_acquire(Call call, MutexKind kind, const void* id, unsigned hint) {
  raise<Event::mutex_acquire>(kind, hint, mutex_implementation, id_of(id), call.code);
}

void tell_acquired(Call call, MutexKind kind, const void* id) {
  raise<Event::mutex_acquired>(kind, id_of(id), call.code);
}

void tell_released(Call call, MutexKind kind, const void* id) {
  raise<Event::mutex_released>(kind, id_of(id), call.code);
}

template <class Waits>
auto wait(MutexKind kind, const void* id, Waits waits) {
  const Doing waiting(state_in(kind), id_of(id));
  return waits();
}

}  // namespace

void lock(Call call, MutexKind kind, LockWord& word, unsigned hint) {
  const Inside inside(record_of(current_member()), call);
  tell_acquire(call, kind, &word, hint);
  wait(kind, &word, [&] { omp::lock(word); });
  tell_acquired(call, kind, &word);
}

bool try_lock(Call call, LockWord& word) {
  const Inside inside(record_of(current_member()), call);
  tell_acquire(call, MutexKind::test_lock, &word, 0);
  if (!omp::try_lock(word)) return false;
  tell_acquired(call, MutexKind::test_lock, &word);
  return true;
}

void unlock(Call call, MutexKind kind, LockWord& word) {
  const Inside inside(record_of(current_member()), call);
  omp::unlock(word);
  tell_released(call, kind, &word);
}

void lock(Call call, NestLock& nested, const void* id) {
  const Inside inside(record_of(current_member()), call);
  tell_acquire(call, MutexKind::nest_lock, id, 0);
  const int depth =
      wait(MutexKind::nest_lock, id, [&] { return omp::lock(nested, current_task_identity()); });
  if (depth == 1) return tell_acquired(call, MutexKind::nest_lock, id);
  raise<Event::nest_lock>(Endpoint::begin, id_of(id), call.code);
}

int try_lock(Call call, NestLock& nested, const void* id) {
  const Inside inside(record_of(current_member()), call);
  tell_acquire(call, MutexKind::test_nest_lock, id, 0);
  const int depth = omp::try_lock(nested, current_task_identity());
  if (depth == 1) tell_acquired(call, MutexKind::test_nest_lock, id);
  if (depth > 1) raise<Event::nest_lock>(Endpoint::begin, id_of(id), call.code);
  return depth;
}

void unlock(Call call, NestLock& nested, const void* id) {
  const Inside inside(record_of(current_member()), call);
  const bool last = nested.count == 1;
  omp::unlock(nested);
  if (last) return tell_released(call, MutexKind::nest_lock, id);
  raise<Event::nest_lock>(Endpoint::end, id_of(id), call.code);
}

void tell_lock_made(Call call, MutexKind kind, const void* id, unsigned hint) {
  current_member();
  raise<Event::lock_init>(kind, hint, mutex_implementation, id_of(id), call.code);
}

void tell_lock_gone(Call call, MutexKind kind, const void* id) {
  current_member();
  raise<Event::lock_destroy>(kind, id_of(id), call.code);
}

void ordered_enter(Call call, Member& member) {
  const Inside inside(record_of(member), call);
  const void* id = member.work.at;
  tell_acquire(call, MutexKind::ordered, id, 0);
  wait(MutexKind::ordered, id, [&] { omp::ordered_enter(member); });
  tell_acquired(call, MutexKind::ordered, id);
}

void ordered_leave(Call call, Member& member) {
  tell_released(call, MutexKind::ordered, member.work.at);
}

}  // namespace xylem::omp::tool
