// Owns: the jump, and the frame that a context at rest leaves. See jump.hpp.
#include "sched/context/jump.hpp"

#include <cstddef>
#include <cstdint>

// The Arrival goes back in rax and rdx, and to a first frame in rdi and rsi.
//
// Unwinders stop between any two of these instructions (a profiler's signal). What a context at
// rest has saved stands at the same places below its caller's frame in both stacks, so one
// description holds on either side of the instruction that changes rsp: before it the unwinder sees
// the context that leaves, whole, after it the one that arrives.
//
// No shadow stack and no landing pads: this file must not be compiled for them
// (src/CMakeLists.txt), so that the linker does not mark the library for either.
asm(R"(
  .macro change_stacks name
  .p2align 4
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  subq $0x38, %rsp
  .cfi_adjust_cfa_offset 0x38
  stmxcsr (%rsp)
  fnstcw 0x4(%rsp)
  movq %r12, 0x8(%rsp)
  movq %r13, 0x10(%rsp)
  movq %r14, 0x18(%rsp)
  movq %r15, 0x20(%rsp)
  movq %rbx, 0x28(%rsp)
  movq %rbp, 0x30(%rsp)
  .cfi_rel_offset r12, 0x8
  .cfi_rel_offset r13, 0x10
  .cfi_rel_offset r14, 0x18
  .cfi_rel_offset r15, 0x20
  .cfi_rel_offset rbx, 0x28
  .cfi_rel_offset rbp, 0x30
  movq %rsp, %rax
  movq %rdi, %rsp
  ldmxcsr (%rsp)
  fldcw 0x4(%rsp)
  movq 0x8(%rsp), %r12
  movq 0x10(%rsp), %r13
  movq 0x18(%rsp), %r14
  movq 0x20(%rsp), %r15
  movq 0x28(%rsp), %rbx
  movq 0x30(%rsp), %rbp
  .cfi_same_value r12
  .cfi_same_value r13
  .cfi_same_value r14
  .cfi_same_value r15
  .cfi_same_value rbx
  .cfi_same_value rbp
  addq $0x38, %rsp
  .cfi_adjust_cfa_offset -0x38
  movq %rsi, %rdx
  movq %rax, %rdi
  .endm

  .macro end_of name
  .cfi_endproc
  .size \name, .-\name
  .endm

  .text
  change_stacks xylem_jump
  ret
  end_of xylem_jump

  change_stacks xylem_jump_elsewhere
  popq %r8
  .cfi_adjust_cfa_offset -8
  jmp *%r8
  end_of xylem_jump_elsewhere

  # Where a fresh context begins: calls the FirstFrame in rbx. Nothing called this, and unwinders
  # stop here. They look for a return address at the byte before it, hence the nop.
  .p2align 4
  .type xylem_begin, @function
xylem_begin:
  .cfi_startproc
  .cfi_undefined rip
  nop
  .globl xylem_begin_here
  .hidden xylem_begin_here
xylem_begin_here:
  call *%rbx
  ud2
  end_of xylem_begin
)");

extern "C" void xylem_begin_here();

namespace xylem::sched {

namespace {

// What xylem_jump leaves at the stack pointer, and the caller's return address after it.
struct Frame {
  uint32_t vector_control;
  uint16_t float_control;
  uint16_t unused;
  uint64_t r12, r13, r14, r15;
  FirstFrame rbx;  // of a fresh context; else the caller's
  uint64_t rbp;
  void (*resumes_at)();
};
static_assert(offsetof(Frame, r12) == 0x8 && offsetof(Frame, rbp) == 0x30 &&
              offsetof(Frame, resumes_at) == 0x38 && sizeof(Frame) == 0x40);

}  // namespace

// xylem_begin calls with the stack at a multiple of 16.
static_assert((fresh_bytes - sizeof(Frame)) % 16 == 0 && fresh_bytes >= sizeof(Frame));

void* fresh_stack_pointer(char* high, FirstFrame first) {
  auto* frame = reinterpret_cast<Frame*>(high - fresh_bytes);
  *frame = {};
  asm volatile("stmxcsr %0" : "=m"(frame->vector_control));
  asm volatile("fnstcw %0" : "=m"(frame->float_control));
  frame->rbx = first;
  frame->resumes_at = xylem_begin_here;
  return frame;
}

}  // namespace xylem::sched
