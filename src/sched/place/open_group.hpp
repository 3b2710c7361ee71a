// Owns: which contention groups have an outermost region open, and where the teams of groups that
// are open at once go: each gets a part of the machine (Engine::beside).
//
// A group whose region ended a moment ago counts as open: its next region may begin at once, and
// the parts stay where they are from region to region.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/place/engine.hpp"

namespace xylem::sched {

// One group's. By the group's thread.
class OpenGroup {
 public:
  OpenGroup() = default;
  ~OpenGroup();
  OpenGroup(const OpenGroup&) = delete;
  OpenGroup& operator=(const OpenGroup&) = delete;

  // An outermost region begins that others may take part in. `told`: the load of all members, 0:
  // not known. True if other groups are open too. Times are ticks (os/ticks.hpp).
  bool begin(int members, int64_t told, uint64_t now);
  // An outermost region has ended, whether it had begun here or not.
  void end(uint64_t now) {
    if (is_open_) leave(now);
  }

  // Where the members go, after begin() was true; `loads` as Engine::beside(). Valid until the next
  // call.
  const plan::Placement* placement(const Engine& engine, std::span<const int64_t> loads);

  // In the child of a fork no other group is open.
  static void forget_in_child();

 private:
  void leave(uint64_t now);
  bool see_others(uint64_t now);

  bool is_open_ = false;
  int seat_ = -1;  // where others see it; -1: nowhere
  // All that are open, in the order of their seats, and which of them is this one.
  std::vector<OpenTeam> teams_;
  int own_ = 0;
  // What `placement_` was made for.
  std::vector<OpenTeam> placed_teams_;
  std::vector<int64_t> placed_loads_;
  int placed_own_ = -1;
  plan::Placement placement_;
};

}  // namespace xylem::sched
