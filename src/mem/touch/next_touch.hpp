// Owns: pages that move to the node of whoever touches them next (paper 000, sections 2.2, 3.2),
// and pages whose next touch is told and that stay. docs/memory.md says how.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lock_order.hpp"
#include "mem/touch/watched_touches.hpp"

namespace xylem::mem {

inline constexpr base::LockRank markers_rank{75, "markers_lock"};

// Marks the whole pages inside the range; pages that are marked already stay so. 0 or a negative
// errno (-ENOSYS: this kernel, or the process's rights, do not allow it; -EINVAL: memory that
// cannot be marked, such as files and shared mappings); on failure nothing is marked.
int mark_next_touch(void* start, std::size_t bytes);
// Marks inside the range end; their pages stay where they are.
int forget_next_touch(void* start, std::size_t bytes);
std::size_t marked_pages(const void* start, std::size_t bytes);
// Why marks cannot be had here, as the second half of a sentence; null if they can.
const char* next_touch_obstacle();

// Watches the whole pages inside the range, of one mapping: the next touch of each is told once
// (watched_touches()) and the page stays where it is. All of them are to be there, in private
// memory and of no file; pages that are marked for next touch are not. A mark ends a watch. 0 or a
// negative errno, as mark_next_touch(); one that the range is the cause of (-EINVAL, -EFAULT) does
// no harm, as the program may have unmapped it.
// `hold`, where it is given, has the program leave the range where it is until `let_go`, so that
// pages come back to the mapping that they were taken from; where it refuses nothing is watched
// (-EAGAIN). It is called with the markers' lock, so that no fork() begins meanwhile.
struct RangeHolder {
  bool (*hold)(const void* context) = nullptr;
  void (*let_go)() = nullptr;
  const void* context = nullptr;
};
int watch_touches(uintptr_t start, std::size_t bytes, const RangeHolder& holder = {});
// Watches inside the range end, untold.
void unwatch_touches(uintptr_t start, std::size_t bytes);
// Of one reader.
WatchedTouches& watched_touches();
// Processor time that the thread took which gives pages back to who touches them.
int64_t serving_cpu_ns();

struct TouchStatistics {
  int64_t marked = 0;  // pages, now
  int64_t moved = 0;   // pages that came to another node by a touch, in all
  int64_t moving_ns = 0;
};
TouchStatistics touch_statistics();

// Tests mark in earnest where there is one node, and pages move nowhere.
void mark_on_one_node_too();

// Around fork(), by who forks: all marks end, as the kernel knows nothing of them in a child.
void before_fork_of_marks();
void after_fork_of_marks(bool in_child);

}  // namespace xylem::mem
