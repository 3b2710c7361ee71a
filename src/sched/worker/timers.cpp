// Owns: the heap of timers. See timers.hpp.
#include "sched/worker/timers.hpp"

#include <utility>

namespace xylem::sched {

// Both are roots, or null.
Timer* Timers::merge(Timer* a, Timer* b) {
  if (!a || !b) return a ? a : b;
  if (b->deadline < a->deadline) std::swap(a, b);
  b->next = a->child;
  if (a->child) a->child->before = b;
  b->before = a;
  a->child = b;
  return a;
}

// Two by two, and then all into one: what makes taking the first one cheap in the long run.
Timer* Timers::merge_all(Timer* siblings) {
  Timer* pairs = nullptr;
  while (siblings) {
    Timer* a = siblings;
    Timer* b = a->next;
    siblings = b ? b->next : nullptr;
    a->next = a->before = nullptr;
    if (b) b->next = b->before = nullptr;
    Timer* pair = merge(a, b);
    pair->next = pairs;
    pairs = pair;
  }
  Timer* initial = nullptr;
  while (pairs) {
    Timer* pair = std::exchange(pairs, pairs->next);
    pair->next = nullptr;
    initial = merge(initial, pair);
  }
  return initial;
}

void Timers::take_out(Timer& timer) {
  Timer* below = merge_all(std::exchange(timer.child, nullptr));
  if (&timer == root_) {
    root_ = below;
  } else {
    (timer.before->child == &timer ? timer.before->child : timer.before->next) = timer.next;
    if (timer.next) timer.next->before = timer.before;
    root_ = merge(root_, below);
  }
  timer.next = timer.before = nullptr;
  timer.in_heap = false;
}

bool Timers::add(Timer& timer, int64_t deadline) {
  base::Locked locked(lock_);
  timer.deadline = deadline;
  timer.in_heap = true;
  root_ = merge(root_, &timer);
  record_first();
  return root_ == &timer;
}

void Timers::remove(Timer& timer) {
  base::Locked locked(lock_);
  if (!timer.in_heap) return;
  take_out(timer);
  record_first();
}

}  // namespace xylem::sched
