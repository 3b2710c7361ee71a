// Owns: what a queue has to know of the worker that takes from it.
#pragma once

namespace xylem::sched {

struct ExternalThread;

struct Taker {
  int pu = 0;                          // that the worker serves
  ExternalThread* external = nullptr;  // set where its kernel thread belongs to the program

  // An external thread's kernel thread runs only what belongs to its own region, so that it is free
  // again when the region ends and its thread may go on, or end.
  bool may_run(const ExternalThread* initial) const { return !external || external == initial; }
};

}  // namespace xylem::sched
