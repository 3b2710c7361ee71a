// Owns: one thing to run.
#pragma once

namespace xylem::sched {

struct Fiber;
struct Bubble;

// A started fiber, or member `index` of `bubble`.
struct Work {
  Fiber* fiber = nullptr;
  Bubble* bubble = nullptr;
  int index = 0;
  bool leave = false;  // nothing to run any more: the worker's kernel thread ends
  explicit operator bool() const { return fiber || bubble || leave; }
};

}  // namespace xylem::sched
