// Owns: what a line of the table of fork() is. The child of a fork has one kernel thread, and none
// of those that held locks in the parent: what the child will use is taken before and released on
// both sides after. Each layer has its lines (fork_lines.hpp in its folder); omp/team/fork.cpp puts
// them in order.
//
// In the child nothing is allocated, freed or looked up by name: another thread of the parent may
// have held the lock of malloc, which only glibc's own makes free in the child, or the linker's.
//
// Invariant: lines are prepared in the order of their ranks, which is the order of locks, and
// released in the opposite order. Lines that take no lock have a rank for their place alone.
#pragma once

#include <cstddef>
#include <span>

#include "base/lock_order.hpp"

namespace xylem::base {

struct ForkLine {
  LockRank rank;
  void (*prepare)();               // by the kernel thread that forks, before; null: nothing to do
  void (*release)(bool in_child);  // after, once in the parent and once in the child
};

// A line's release that does nothing in the parent.
template <void (*forget)()>
void only_in_child(bool in_child) {
  if (in_child) forget();
}

inline void prepare_fork(std::span<const ForkLine> lines) {
  for (const ForkLine& line : lines)
    if (line.prepare) line.prepare();
}

// Gives back what prepare_fork() took, before the fork.
inline void give_up_fork(std::span<const ForkLine> lines) {
  for (std::size_t i = lines.size(); i-- > 0;)
    if (lines[i].prepare) lines[i].release(false);
}

inline void release_after_fork(std::span<const ForkLine> lines, bool in_child) {
  for (std::size_t i = lines.size(); i-- > 0;) lines[i].release(in_child);
}

}  // namespace xylem::base
