// Owns: the turn of ordered loops: chunks enter their ordered regions in the order of iterations.
//
// WorkShare::turn is the first iteration whose chunk has not handed the turn on. A chunk that
// begins there is the first of all; when its member asks for the next one, the turn goes to its
// end. So the turn only grows, by whole chunks, and members without iterations do not matter.
// Where the compiler's own runtime counts on one ordered region in an iteration at most, as OpenMP
// has it, the turn goes on with the last region of the chunk (ordered_leave): what follows that in
// its iteration runs beside the next chunk's. On libgomp a second region in an iteration is in
// order, too.
#pragma once

namespace xylem::omp {

struct Member;

// An ordered region begins: returns when the chunk of the member is the first. Nothing outside such
// a loop.
void ordered_enter(Member& member);

// The region ends, in code of a compiler whose runtime lets the turn go on then.
void ordered_leave(Member& member);

// The member's chunk enters no ordered region any more, whether it entered any or not. May wait for
// the turn. Nothing if it was handed on already.
void hand_on_turn(Member& member);

}  // namespace xylem::omp
