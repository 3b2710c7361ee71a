// Owns: members that were placed near the memory that they own, and go elsewhere with it, because
// PUs idle there (paper 000, section 3.1). Of outermost regions that come again.
//
// Members that are placed by owners are bound, so nobody steals them, and where their loads are
// uneven PUs idle in each run. How much time that costs is measured. Once it has cost as much as it
// costs to bring a member's memory, the member goes: so moves take no longer than what was lost
// without them. Then it is measured again; where the busiest PU has not gained a quarter of what
// was expected, in three looks in a row, all who went come back with their memory, and nobody goes
// any more until the region is placed anew.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "omp/team/told_regions.hpp"
#include "policy/relief.hpp"

namespace xylem::omp {

class Following {
 public:
  // The region begins, placed as in its last run by what members own (hints_of_owners()). Changes
  // its record's parts, and has the members who go bring their pages. By the maker.
  void begin(ToldRegion& region, std::span<const Hint> owned, const sched::Thread& maker,
             Decision& decision);
  // True once after pages were brought: the record's placement holds all the same.
  bool takes_moved_pages() { return std::exchange(brings_, false); }

 private:
  struct Gone {
    int member;
    Part before;
  };
  enum class State { watching, settling, trying, content };

  // A decision in the making.
  struct Making {
    ToldRegion& region;
    std::span<const Hint> owned;
    std::vector<Decision::Pages>& pages;
  };
  void watch(Making& making, std::vector<policy::Burden> burdens);
  void judge(Making& making, std::span<const policy::Burden> burdens);
  void go(Making& making, int member, Part to);

  State state_ = State::watching;
  bool brings_ = false;
  int runs_ = 0;            // since it was measured last
  double lost_ns_ = 0;      // while watching
  std::vector<Gone> gone_;  // on trial
  double before_ns_ = 0;    // of a run's longest PU, before they went
  double expected_ns_ = 0;  // by which that is to be shorter
  int in_vain_ = 0;         // looks in a row at those on trial that said that it is not
};

}  // namespace xylem::omp
