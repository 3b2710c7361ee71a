// Owns: where the engines of count/ meet the program's teams: the first thread's outermost regions
// tell the engines that they begin, and their members do what the engines say.
//
// Where engines are off (XYLEM_ENGINES) no path has a test for them: they come with the hints of
// the first thread (MemberHints), which it has only where they are on.
#pragma once

#include "omp/team/team.hpp"

namespace xylem::omp {

// Once, when all else has started. Says so where there is nothing that engines could do.
void start_engines();
// The program's first thread is to be watched, if there are engines. When it is made.
void watch(Member& initial);
// xylem_iteration(): ignored but outside of regions by the thread that is watched.
void tell_iteration(Member& member);

// The watched thread opens the team. True if the engines say where its members go: they are bound
// to these PUs if nobody else binds them.
bool begin_watched(Team& team, const sched::Launch& launch);
std::span<const int> pus_by_engines(const Team& team);
// By member: whose iterations it has of loops with owners (loops/affinity.hpp); empty: its own.
std::span<const int> owners_by_engines(const Team& team);
// What the engines counted, by member and node, of a watched team's members in the last iteration;
// empty: they count nothing, or only for themselves. It lives until the next region begins.
struct CountedData {
  std::span<const int64_t> accesses;
  uint64_t version = 0;  // another one each time
};
CountedData counted_data(const Team& team);
// Of a watched team, by each member, where it belongs.
void begin_watched_member(const Member& member);

}  // namespace xylem::omp
