// Owns: deferred tasks, and the steps of their life that several files share.
#pragma once

#include <vector>

#include "fiber/entity.hpp"
#include "omp/depend.hpp"
#include "omp/task.hpp"
#include "omp/task_event.hpp"

namespace xylem::omp {

struct ReadyLink {
  ExplicitTask* next = nullptr;
  ExplicitTask* prev = nullptr;
};

// Lies at the start of one block: |ExplicitTask|nodes|its arguments|.
struct ExplicitTask : Task {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  Team* team = nullptr;
  Family* siblings = nullptr;  // what it shares with its parent's other deferred children
  Taskgroup* group = nullptr;  // that it began in
  ReadyLink links[3];          // by ReadyIn; by the pool's lock
  int priority = 0;
  int home = -1;            // memory node of what it depends on, when it was made; -1: not known
  bool detachable = false;  // it has, or had, an event
  bool must_run = false;    // even when cancelled: its arguments were copied by a constructor
  bool exclusive = false;   // in a mutexinoutset
  uint32_t node_count = 0;  // dependences
  DependNode* nodes = nullptr;       // likewise
  Blocked blocked;                   // on tasks before it
  std::vector<Blocked*> dependents;  // who waits for it
  Event* event = nullptr;            // null: not detachable
};

// Sees who must be made ready once the lock is free again.
using Woken = fiber::EntityList;

// Puts a task that nothing blocks where it is found.
void make_task_ready(TaskPool& pool, ExplicitTask& task, Woken& woken) XYLEM_REQUIRES(pool.lock);
// Takes a ready task out of its lists.
void take_ready(TaskPool& pool, ExplicitTask& task) XYLEM_REQUIRES(pool.lock);
// Runs a task that was taken, or never queued, to its end (or its detaching).
void execute(Member& member, ExplicitTask& task);
// A task's body, and its event if it has one, is over. The caller sees to it that the team lives.
void complete(ExplicitTask& task);

// Moves a waiter to `woken`.
void wake_waiter(fiber::Fiber*& waiter, Woken& woken);
// Suspends the calling fiber as `waiter`; releases the pool's lock.
void wait_as(fiber::Fiber*& waiter, TaskPool& pool) XYLEM_RELEASE(pool.lock);

}  // namespace xylem::omp
