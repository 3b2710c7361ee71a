// Owns: what is told of regions and their members, from one run of a region to the next (paper 000,
// section 3.3): hints on memory, and which memory the members own.
//
// A region is known by its function and by who opens it: the initial thread, or a member of a known
// region. What was told of it holds until it is told anew, or until the region has another number
// of threads. Of one thread so many regions are known as a CodeTable holds.
//
// Who touches what: the records of a thread belong to that thread; while a team that it made is
// open they belong to the team's members, under HintedTeam::lock. Of a region's record each member
// has its own slot.
#pragma once

#include <memory>
#include <vector>

#include "base/code_table.hpp"
#include "base/spin_lock.hpp"
#include "mem/map/regions.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

using sched::Decision;
using sched::Hint;
using sched::Part;

// A range that a thread of a region owns, alone or with the teams that it makes.
struct OwnedRange {
  int number = 0;  // the thread's; whole_team: of no single one
  uintptr_t start = 0;
  mem::Owner owner;  // as the map of ranges had it then
};
inline constexpr int whole_team = -1;

// What a placement by hints was made for. Where all of it is as it was, the placement holds.
struct PlacedFor {
  plan::TeamTree tree;
  int64_t moved_pages = 0;  // of the process, until then
  int maker_pu = -1;
  int maker_domain = -1;  // the maker's part of the machine; -1: it had none
  bool bound = false;     // by somebody's wish
  bool operator==(const PlacedFor&) const = default;
};

class Following;  // following.hpp

struct ToldRegion {
  ToldRegion(void (*code)(void*), int threads);
  ~ToldRegion();

  void (*const function)(void*);
  const int n;
  std::vector<Hint> hints;        // told before a run
  std::vector<OwnedRange> owned;  // by start
  bool is_placed = false;         // `parts` hold, for `placed_for`
  std::vector<Part> parts;        // by member; empty: they stay
  std::vector<int> streams;       // as Decision::streams
  PlacedFor placed_for;
  uint32_t polls = 0;                    // of owned memory that lies nowhere yet
  std::unique_ptr<Following> following;  // since it was placed by owners; or null
  // By member: made when the member first tells something.
  std::vector<std::unique_ptr<MemberHints>> of_member;
};

// By the region's code alone: n is 0. A record that was forgotten has no region.
struct ToldRecord {
  void (*function)(void*) = nullptr;
  int n = 0;
  std::unique_ptr<ToldRegion> region;
};

class FoundRegion;  // found_data.hpp
class FoundRegions;

// What a member told.
struct MemberHints {
  MemberHints();
  ~MemberHints();

  std::vector<Hint> own;  // of itself
  bool own_is_acted_on = false;
  std::vector<Hint> next;               // of the next region that it opens
  base::CodeTable<ToldRecord> regions;  // that it opens
  bool lasts = false;                   // a ToldRegion's
  bool is_watched = false;              // the thread's regions are (engines.hpp)
  // An initial thread's: where its regions' data was found; null: it is not looked for.
  std::unique_ptr<FoundRegions> found;
};

// Lives from the first decision on the team, or the first word about it, until its end. What
// members tell is gathered under the lock. A decision is written by one member, the last to arrive,
// before a barrier of the team, and read by each after it; the next one is made only when all have
// come again. Members look into the parts of the decision before until they have passed that
// barrier: there are two, in turn.
struct HintedTeam {
  base::SpinLock lock{{60, "HintedTeam::lock"}};
  std::vector<Hint> gathered XYLEM_GUARDED_BY(lock);
  std::vector<int> pus XYLEM_GUARDED_BY(lock);  // where members are who have arrived
  int arrived XYLEM_GUARDED_BY(lock) = 0;
  // The record of its region. Written before the launch, or by the first member that tells
  // something.
  ToldRegion* told XYLEM_GUARDED_BY(lock) = nullptr;
  Decision decisions[2];
  int current = 0;
  bool is_watched = false;       // by the engines; written before the launch
  FoundRegion* found = nullptr;  // where its tasks' data is noted; or null; likewise
  bool moves = false;            // the current one says where members go that were elsewhere
  sched::TeamStreams streams;    // of the current decision; by who made it
  sched::FormerPlace master;     // how the master was bound before it was placed

  Decision& decision() { return decisions[current]; }
};

// Made by whoever comes first.
HintedTeam& hinted(Team& team);

// What the calling member told; made when need be.
MemberHints& hints_of(Member& member);

// The record of the region that begins, with what its maker has told for it just now; null: there
// is none. By the maker.
ToldRegion* begin_told(Team& team, Member& maker);
// A member of a team with a HintedTeam finds what it told in earlier runs.
void find_told(HintedTeam& team, Member& member);

// The range at `start` belongs to the member of that number of the caller's team, or to the
// `whole_team`: so it does to its maker in the teams round it.
void record_owned(const Member& caller, int number, uintptr_t start, const mem::Owner& owner);
// Who owns memory still, as hints; what is not theirs any more is forgotten. By the maker.
std::vector<Hint> hints_of_owners(ToldRegion& region);

}  // namespace xylem::omp
