// Owns: the single construct, with and without copyprivate.
#pragma once

namespace xylem::omp {

struct Member;

// True for the one member that runs the body.
bool single_enter(Member& member);

// copyprivate. Null for the member that runs the body and then calls single_copy_leave(); for the
// others what that one gave, after a barrier. The caller has another barrier behind the construct,
// which keeps the team's one slot free for the next.
void* single_copy_enter(Member& member);
// The same for a member that knows by single_enter() that it does not run the body.
void* single_copy_take(Member& member);
void single_copy_leave(Member& member, void* data);

}  // namespace xylem::omp
