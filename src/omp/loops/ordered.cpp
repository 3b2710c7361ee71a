// Owns: the turn of ordered loops. See ordered.hpp.
#include "omp/loops/ordered.hpp"

#include <utility>

#include "omp/team/team.hpp"

namespace xylem::omp {

void ordered_enter(Member& member) {
  const Chunk& chunk = member.work.chunk;
  if (any(chunk)) member.work.current().turn.wait(chunk);
}

void ordered_leave(Member& member) {
  WorkCursor& work = member.work;
  if (!any(work.chunk) || !work.current().loop.ordered) return;
  // ordered_left holds 65,535 at most: of longer chunks the turn goes on when they have run.
  if (++work.ordered_left == work.chunk.count) hand_on_turn(member);
}

void hand_on_turn(Member& member) {
  Chunk& chunk = member.work.chunk;
  if (!any(chunk)) return;
  WorkShare& share = member.work.current();
  share.turn.wait(chunk);
  const Chunk done = std::exchange(chunk, {chunk.first + chunk.count, 0});
  // Nobody waits for the turn behind the last.
  if (done.first + done.count == share.loop.space.count) return;
  share.turn.hand_on(done);
  Team& team = *member.team;
  if (globals().cancellation && team.works.absences.any()) {
    settle_turn(team, share);
  }
}

}  // namespace xylem::omp
