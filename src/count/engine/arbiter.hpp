// Owns: choosing between the engines: after an iteration threads may go to their pages, or, where
// they may not, the iterations of their loops to threads that are near these, pages to their
// threads, or both, whichever costs least in the iterations that are left. A pure function.
//
// Invariant: threads or their iterations move only if an iteration's accesses, with the pages moved
// that then have to, take clearly less time than with all where they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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
  bool iterations_may_move = false;  // of loops; where threads may move these do instead
};

struct Choice {
  Mapping threads;  // the node of each thread; empty: they stay
  // By thread: whose iterations of loops it has from now on; empty: they stay.
  std::vector<int> iterations_of;
  PagePlan pages;
  // Of an iteration, before and after: how long all accesses take one after the other, and which
  // share of them is local.
  double before_ns = 0, after_ns = 0;
  double local_before = 0, local_after = 0;
};

Choice choose(const Iteration& iteration);

// How many threads have other iterations than before.
std::size_t with_other_iterations(const Choice& choice);

// Threads go to their nodes with as few changes as possible: a PU for each thread, `now` those that
// they have. `node_of_pu` is by PU; each node of `mapping` has a PU.
std::vector<int> pus_of_mapping(const Mapping& mapping, std::span<const int> now,
                                std::span<const int> node_of_pu);

}  // namespace xylem::count
