// The holder tree after a plan: which run queue or bubble holds what.
//
// A holder is a run queue (one for each level) or a bubble. Owns: Holding and apply(). For the
// simulator and tests; exec does the same to live fibers.
#pragma once

#include <vector>

#include "plan/plan.hpp"
#include "plan/view.hpp"

namespace xylem::plan {

// `count` members of `entity` from `first` on are in one holder: the queue of `level`; if level is
// -1, the bubble they belong to (which is then not burst); if it is held_back, none.
struct Holding {
  int entity = -1;
  int first = 0;
  int count = 1;
  int level = -1;
  bool burst = false;  // a bubble that is open at `level`: it holds nothing any more
  bool operator==(const Holding&) const = default;
};

// Carries `plan` out on `view`. Every entity of the view is in the answer, in the order in which
// its holder has it: first what the plan moves, in its order, then what stays, by index. The plan
// must have passed check().
std::vector<Holding> apply(const Plan& plan, const View& view);

// Writes into `entities`, a copy of the view's, the level to which each is attached after `plan`;
// of a run that is cut, the lowest level that holds all its parts. What is newly held back gets the
// highest rank in `held_since`; what was held back already keeps its own.
void settle(const Plan& plan, const View& view, std::span<Entity> entities);

}  // namespace xylem::plan
