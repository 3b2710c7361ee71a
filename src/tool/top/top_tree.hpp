// The machine of a snapshot as rows to show: what is summed where.
//
// Owns: TopRow and how PUs are put together into rows. Invariant: the rows of one fold hold every
// PU once; a group's row stands before those of its PUs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool/top/top_watch.hpp"

namespace xylem::tool {

// The name of each level, as in a trace: machine, node0, l3cache1, core2, pu7.
std::vector<std::string> level_names(const LiveSnapshot& snapshot);

// The state of a PU's seat, as docs/top.md names them.
const char* seat_name(int64_t state);

struct TopRow {
  std::string name;
  bool group = false;    // a memory node, or the machine where there is none
  int node = -1;         // of a group
  std::vector<int> pus;  // that are summed here
  std::map<std::string, int> states;
  int64_t waiting = 0;  // in the queues of these PUs and of levels with no other PUs
  int64_t extras = 0;
  double turns = 0, steals = 0, awake = 0;
  // By the kind of level where thief and victim meet, nearest first.
  std::vector<std::pair<std::string, double>> steals_from;
  std::vector<uint64_t> bubbles;  // whose threads run there
  int lent_to = 0;                // of a PU's row: the process that has it; 0: none that is known
};

// One row for each node, and below it one for each PU (fold 0), for each of what is one level above
// the PUs (fold 1), ... or, with fold -1, none.
std::vector<TopRow> top_rows(const Measure& measure, int fold);

// Folds there are beyond 0, until only nodes are left.
int most_folds(const LiveSnapshot& snapshot);

}  // namespace xylem::tool
