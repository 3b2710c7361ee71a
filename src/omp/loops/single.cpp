// Owns: the single construct. See single.hpp.
#include "omp/loops/single.hpp"

#include "omp/team/team.hpp"

namespace xylem::omp {

bool single_enter(Member& member) { return member.team->singles.claim(member.work); }

void* single_copy_enter(Member& member) {
  return single_enter(member) ? nullptr : single_copy_take(member);
}

void* single_copy_take(Member& member) {
  team_barrier(member);
  member.in_copyprivate = true;
  return member.team->copyprivate;
}

void single_copy_leave(Member& member, void* data) {
  member.team->copyprivate = data;
  team_barrier(member);
  member.in_copyprivate = true;
}

}  // namespace xylem::omp
