// The laws of views and plans, as walks that say which one is broken.
//
// Used by tests, and by exec in builds with checks on every plan of every policy. May allocate.
#pragma once

#include <cstddef>

#include "plan/plan.hpp"
#include "plan/view.hpp"

namespace xylem::plan {

// What is wrong, and where. Converts to true if something is.
struct Fault {
  const char* what = nullptr;  // a literal; nullptr: every law holds
  int entity = -1;
  int move = -1;  // index in the plan's moves, where a move is at fault
  explicit operator bool() const { return what != nullptr; }
};

enum class Coverage : std::uint8_t {
  whole,  // the answer of place(): every top is moved
  part    // the answer of tick(): what has no move stays where it is
};

// The laws of a view are written above the functions that keep them in check.cpp.
Fault check(const View& view);

// Most moves that a plan for the view can have without moving a fiber twice. For Plan::limit().
std::size_t most_moves(const View& view);

// The laws of a plan for a view that itself passes check(View).
Fault check(const Plan& plan, const View& view, Coverage coverage = Coverage::whole);

}  // namespace xylem::plan
