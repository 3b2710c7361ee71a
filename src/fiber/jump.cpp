// Owns: the jump, and the frame that a context at rest leaves. See jump.hpp.
#include "fiber/jump.hpp"

#include <cstddef>
#include <cstdint>

// The Arrival goes back in rax and rdx, and to a first frame in rdi and rsi.
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
)");

namespace xylem::fiber {

namespace {

// What xylem_jump leaves at the stack pointer, and the caller's return address after it.
struct Frame {
  uint32_t vector_control;
  uint16_t float_control;
  uint16_t unused;
  uint64_t r12, r13, r14, r15, rbx, rbp;
  FirstFrame resumes_at;
  uint64_t caller;  // of a first frame: none, where unwinders stop
};
static_assert(offsetof(Frame, r12) == 0x8 && offsetof(Frame, rbp) == 0x30 &&
              offsetof(Frame, resumes_at) == 0x38);

}  // namespace

// A function begins with the stack 8 bytes below a multiple of 16: there stands `caller`.
static_assert((fresh_bytes - offsetof(Frame, caller)) % 16 == 8 && fresh_bytes >= sizeof(Frame));

void* fresh_stack_pointer(char* high, FirstFrame first) {
  auto* frame = reinterpret_cast<Frame*>(high - fresh_bytes);
  *frame = {};
  asm volatile("stmxcsr %0" : "=m"(frame->vector_control));
  asm volatile("fnstcw %0" : "=m"(frame->float_control));
  frame->resumes_at = first;
  return frame;
}

}  // namespace xylem::fiber
