// Owns: what a queue has to know of the worker that takes from it.
#pragma once

namespace xylem::sched {

struct Guest;

struct Taker {
  int pu = 0;              // that the worker serves
  Guest* guest = nullptr;  // set where its kernel thread belongs to the program

  // A guest's kernel thread runs only what belongs to its own region, so that it is free again when
  // the region ends and its thread may go on, or end.
  bool may_run(const Guest* root) const { return !guest || guest == root; }
};

}  // namespace xylem::sched
