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
  // not known. Times are ticks (os/ticks.hpp). 0 if no other group is open; else a number that
  // changes whenever teams() or own() do.
  uint32_t begin(int members, int64_t told, uint64_t now);
  // An outermost region has ended, whether it had begun here or not.
  void end(uint64_t now) {
    if (is_open_) leave(now);
  }

  // All that are open, in an order that stays, and which of them is this one; after begin() was not
  // 0.
  std::span<const OpenTeam> teams() const { return teams_; }
  int own() const { return own_; }

  // In the child of a fork no other group is open.
  static void forget_in_child();

 private:
  void leave(uint64_t now);
  uint32_t see_others(uint64_t now);

  bool is_open_ = false;
  int seat_ = -1;  // where others see it; -1: nowhere
  std::vector<OpenTeam> teams_;
  int own_ = 0;
  std::vector<OpenTeam> seen_before_;
  int own_before_ = -1;
  uint32_t version_ = 0;
};

}  // namespace xylem::sched
