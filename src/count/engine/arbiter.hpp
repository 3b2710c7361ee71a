// Owns: choosing between the engines: after an iteration threads may go to their pages, pages to
// their threads, or both, whichever costs least in the iterations that are left. A pure function.
//
// Invariant: threads move only if an iteration's accesses, with the pages moved that then have
// to, take clearly less time than with the threads where they are.
#pragma once

#include <span>

#include "count/engine/pages.hpp"
#include "count/engine/threads.hpp"

namespace xylem::count {

// One iteration, and what may be done about it.
struct Iteration {
  const Counts& accesses;           // pages by threads
  std::span<const PageHome> homes;  // by page
  std::span<const int>
      node_of;                // by thread; accesses of threads that it does not name are left out
  std::span<const int> room;  // by node: threads that it takes; together at least all
  const plan::Costs& costs;
  double iterations_left = 0;
  const PageHistory* history = nullptr;
  std::span<const int64_t> free_pages = {};  // as PageQuestion
  bool pages_may_move = false;
  bool threads_may_move = false;
};

struct Choice {
  Mapping threads;  // the node of each thread; empty: they stay
  PagePlan pages;
  // Of an iteration, before and after: how long all accesses take one after the other, and which
  // share of them is local.
  double before_ns = 0, after_ns = 0;
  double local_before = 0, local_after = 0;
};

Choice choose(const Iteration& iteration);

// Threads go to their nodes with as few changes as possible: a PU for each thread, `now` those that
// they have. `node_of_pu` is by PU; each node of `mapping` has a PU.
std::vector<int> pus_of_mapping(const Mapping& mapping, std::span<const int> now,
                                std::span<const int> node_of_pu);

}  // namespace xylem::count
