// Owns: deciding on hints: where the data of a team's members is, and what costs least (paper 000,
// section 4.4): nothing, the pages to the threads, the threads to the pages, or both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "policy/weigh.hpp"

namespace xylem::sched {

struct Hint {
  int number = 0;  // of the member that it is about
  const void* start = nullptr;
  std::size_t bytes = 0;
  bool reads = false;
  bool writes = false;
  int passes = 0;  // through all of the range; 0: not known
};

// What one decision makes the members of a team do.
struct Decision {
  struct Pages {
    Hint hint;
    int node;
  };
  std::vector<int> pus;      // by member; empty: they stay
  std::vector<int> domains;  // by member, Member::domain; as many as pus
  std::vector<Pages> pages;  // that the member of each hint brings
};

// Threads may move: the policy follows hints, and gives no turns.
bool threads_follow();

// now[member]: its PU if it stays. With `may_go` members may go elsewhere. Every hint's number is a
// member's. Asks the kernel where pages are.
Decision decide(std::span<const Hint> hints, std::span<const int> now, bool may_go,
                policy::Allowed allowed);

// Where members of a team go whose data lies nowhere yet: over the memory nodes, so that each
// brings its data to a node of its own as far as nodes go. By member.
std::vector<int> pus_before_data(int n);

// For members that stay where they are: each PU's part of the machine.
std::vector<int> domains_of(std::span<const int> pus);

}  // namespace xylem::sched
