// Owns: where the data of an initial thread's regions was last found, where nobody told anything
// and the policy goes by data (policy::Policy::seeks_data): by the engines' table of who accesses
// which node's memory, else by the addresses that tasks of the region depend on, else by the known
// ranges that nobody owns, of which each member is taken to use its part in the order of members.
//
// Invariant: other policies have no records of this, and no path has a test for it: it comes with
// the hints of the initial thread (MemberHints::found), as the engines do. A region is looked at
// when it begins for the 1st, 2nd, 4th, 8th time and so on, and when the engines' table is new;
// where its members were put by the last poll they stay.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/code_table.hpp"
#include "omp/team/team.hpp"
#include "omp/team/told_regions.hpp"

namespace xylem::omp {

// Of a region.
class FoundRegion {
 public:
  FoundRegion(int threads, int nodes);

  // A task of the open region depends on something there. By any member.
  void add_task(int node) {
    // relaxed: sums, read when all have departed
    of_tasks_[static_cast<size_t>(node)].fetch_add(1, std::memory_order_relaxed);
  }

  // The region begins: where its members go; empty: it is not known where its data is. `table`: by
  // member and node, what the engines counted, of the number `version`; or empty. By the maker.
  const std::vector<Part>& begin(const Member& maker, const sched::Launch& launch,
                                 std::span<const int64_t> table, uint64_t version);

 private:
  std::vector<int64_t> bytes_of_members(std::span<const int64_t> table);

  const int n_;
  const size_t nodes_;
  const std::unique_ptr<std::atomic<int64_t>[]> of_tasks_;  // dependences of tasks by node
  uint32_t runs_ = 0;
  uint64_t version_ = 0;  // of the table, at the last poll
  std::vector<Part> parts_;
};

// Of an initial thread, by it.
class FoundRegions {
 public:
  FoundRegion& region(void (*code)(void*), int threads);

 private:
  struct Record {
    void (*function)(void*) = nullptr;
    int n = 0;
    std::unique_ptr<FoundRegion> region;
  };
  base::CodeTable<Record> regions_;
};

// The initial thread's regions are looked at, if the policy goes by data. When it is made.
void seek_data(Member& initial);

// A team of such a thread begins of which nothing was told: where its members go, or empty. Its
// tasks are noted from here on.
const std::vector<Part>& parts_by_found_data(Team& team, Member& maker,
                                             const sched::Launch& launch);

// A task of the team depends on something on that node.
void note_task_data(Team& team, int node);

}  // namespace xylem::omp
