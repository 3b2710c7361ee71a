// Owns: the turn of ordered loops. See ordered.hpp.
#include "omp/ordered.hpp"

#include "omp/team.hpp"

namespace xylem::omp {

void ordered_enter(Member& member) {
  const Chunk& chunk = member.work.chunk;
  if (any(chunk)) member.work.current().turn.wait(chunk.first);
}

void hand_on_turn(Member& member) {
  Chunk& chunk = member.work.chunk;
  if (!any(chunk)) return;
  Gate& turn = member.work.current().turn;
  turn.wait(chunk.first);
  const uint64_t next = chunk.first + chunk.count;
  chunk = {};
  // Nobody waits for the turn behind the last.
  if (next == member.work.current().loop.space.count) return;
  turn.open(next);
  Team& team = *member.team;
  if (globals().cancellation && team.works.absences.any()) {
    settle_turn(team, member.work.current());
  }
}

}  // namespace xylem::omp
