// Owns: deciding on hints: where the data of a team's members is, and what costs least (paper 000,
// section 4.4): nothing, the pages to the threads, the threads to the pages, or both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/team_tree.hpp"
#include "policy/weigh.hpp"
#include "sched/place/streams.hpp"
#include "sched/queue/fiber.hpp"

namespace xylem::sched {

struct Hint {
  int number = 0;  // of the member that it is about
  const void* start = nullptr;
  std::size_t bytes = 0;
  bool reads = false;
  bool writes = false;
  int passes = 0;  // through all of the range; 0: not known
};

// Where a member goes, and the members of the team that it is known to open.
struct Part {
  int pu = 0;
  int domain = 0;                // level below which other teams that it opens stay
  std::vector<Part> inner = {};  // by member; empty: of none it is known
};

// What one decision makes the members of a team do.
struct Decision {
  struct Pages {
    Hint hint;
    int node;
  };
  std::vector<Part> parts;   // by member; empty: they stay
  std::vector<Pages> pages;  // that the member of each hint brings
  // Threads by node that hints are about, where they are or go: those that are going to stream.
  std::vector<int> streams;
};

// Threads may move: the policy follows hints, and gives no turns.
bool threads_follow();

// Threads also go to their data where nobody told anything of it.
bool threads_seek_data();

// Where members of the tree's outermost team go by what each uses on each node (TreeTeam::bytes).
// By member.
std::vector<Part> parts_by_data(const plan::TeamTree& tree);

// Of a team that is the tree's outermost. now[member]: its PU if it stays. With `may_go` members
// may go elsewhere. Every hint's number is a member's. beside: threads of other contention groups
// that stream, by node. Asks the kernel where pages are.
Decision decide(std::span<const Hint> hints, std::span<const int> now, plan::TeamTree tree,
                bool may_go, policy::Allowed allowed, std::span<const double> beside);

// Threads that stream in other contention groups than the thread's, by node.
std::vector<double> streams_beside(const Thread& thread);
// From now on the team of the thread's group is known to stream as the decision has it.
void tell_streams(TeamStreams& team, const Thread& thread, const std::vector<int>& streams);

// Where members of the tree's outermost team go whose data lies nowhere yet: over the memory nodes,
// so that each brings its data to a node of its own as far as nodes go. By member.
std::vector<Part> parts_before_data(const plan::TeamTree& tree);

// For members of a team that go to these PUs.
std::vector<Part> parts_on(std::span<const int> pus);

}  // namespace xylem::sched
