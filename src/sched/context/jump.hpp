// Owns: the instructions that change stacks (System V ABI, x86-64).
//
// As Boost.Context's jump_fcontext, but it arrives by a return instead of an indirect jump. The
// processor keeps a stack of its own of the calls it has seen, by which it predicts returns; a jump
// leaves this call on it, and then every return that the arriving context makes up to its caller's
// frames goes to the wrong place first. By a return they balance, and two fibers that stopped in
// the same function find each other's predictions right.
#pragma once

namespace xylem::sched {

// What a context finds when it is resumed.
struct Arrival {
  void* left;  // the stack pointer of the context that jumped: jump() there resumes it
  void* data;  // that it gave
};

using FirstFrame = void (*)(Arrival arrival);

// The stack pointer of a context that will begin in first(), which never returns, on the empty
// stack below `high`, a multiple of 16: it is `fresh_bytes` below. The context begins with the
// caller's rounding and exceptions of floating point.
inline constexpr long fresh_bytes = 0x50;
void* fresh_stack_pointer(char* high, FirstFrame first);

// Leaves the running context and resumes the one at rest at `to`, which finds `data`. Keeps what a
// function must keep for its caller: registers, and how floating point rounds and traps.
extern "C" __attribute__((visibility("hidden"))) Arrival xylem_jump(void* to, void* data);
// The same, by a jump: for contexts that are surely at rest in another function, or have not begun,
// where a return would always be predicted wrong.
extern "C" __attribute__((visibility("hidden"))) Arrival xylem_jump_elsewhere(void* to, void* data);

}  // namespace xylem::sched
