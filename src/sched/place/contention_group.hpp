// Owns: what is kept for an external thread from region to region: OpenMP's contention group.
#pragma once

#include "sched/place/known_regions.hpp"
#include "sched/place/open_group.hpp"
#include "sched/place/short_regions.hpp"
#include "sched/place/spinning_regions.hpp"
#include "sched/place/streams.hpp"
#include "sched/place/told_loads.hpp"
#include "sched/worker/external_thread.hpp"

namespace xylem::sched {

struct ContentionGroup {
  explicit ContentionGroup(ExternalThread& thread, int64_t short_region_ns)
      : external(thread), short_regions(short_region_ns) {}

  ExternalThread& external;
  void* user = nullptr;        // the upper layer's
  KeptMember* kept = nullptr;  // by number
  int kept_count = 0;
  Pool* kept_pool = nullptr;  // that their blocks belong to
  ToldLoads told;
  KnownRegions regions;
  ShortRegions short_regions;
  SpinningRegions spinning_regions;
  OpenGroup open;
  StreamCounts streams;
  Group* shown = nullptr;  // shows its outermost team to `xylem top`; made when need be
};

// Of the program's thread that the fiber belongs to.
inline ContentionGroup& contention_group(const Fiber& fiber) { return *fiber.initial->group; }

// Before the team's launch: what is kept for its members. By the thread that opens the region.
void keep_members(Bubble& team, ContentionGroup& group, Pool& pool);

// Ends the thread-local data of the members of the group's outermost teams, destructors and all;
// the next region's members start with new data. By the group's thread, outside of regions.
void end_members_data(ContentionGroup& group);

// The group's thread ends. What is kept for members goes back to the pool.
void end_group(ContentionGroup& group);

}  // namespace xylem::sched
