// Owns: the call of a microtask. See microtask.hpp.
#include "abi/kmp/microtask.hpp"

#include <cstddef>

#include "omp/tool/records.hpp"

// Calls microtask(in_process, in_team, first[0], first[1], first[2], others[0], ...) with as many
// words as the Invocation in rcx says. By the ABI the first four words go in registers, of which
// the first three are filled always, and the others on the stack in their order, which must begin
// at a multiple of 16. Unwinders find the caller's frame by rbp at every instruction.
asm(R"(
  .text
  .p2align 4
  .type xylem_call_microtask, @function
  .globl xylem_call_microtask
  .hidden xylem_call_microtask
xylem_call_microtask:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
3:
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movslq 8(%rcx), %r10
  cmpq $3, %r10
  jle 2f
  movq 40(%rcx), %r11
  movq (%r11), %r9
  cmpq $4, %r10
  jle 2f
  movq %r10, %rdx
  andq $1, %rdx
  leaq (,%rdx,8), %rdx
  subq %rdx, %rsp
1:
  pushq -32(%r11,%r10,8)
  decq %r10
  cmpq $4, %r10
  jg 1b
2:
  movq 16(%rcx), %rdx
  movq 32(%rcx), %r8
  movq 24(%rcx), %rcx
  call *%rax
  leave
  .cfi_def_cfa rsp, 8
  ret
  .cfi_endproc
  .size xylem_call_microtask, .-xylem_call_microtask

  .p2align 4
  .type xylem_call_told_microtask, @function
  .globl xylem_call_told_microtask
  .hidden xylem_call_told_microtask
xylem_call_told_microtask:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
  movq %rbp, (%r8)
  jmp 3b
  .cfi_endproc
  .size xylem_call_told_microtask, .-xylem_call_told_microtask
)");

namespace xylem::abi::kmp {

// xylem_call_microtask(); *frame: the frame from which the microtask is called.
extern "C" void xylem_call_told_microtask(Microtask microtask, ThreadNumber* in_process,
                                          ThreadNumber* in_team, const Invocation* invocation,
                                          void** frame);
// As the assembly reads it.
static_assert(offsetof(Invocation, count) == 8 && offsetof(Invocation, first) == 16 &&
              offsetof(Invocation, others) == 40);

void run_microtask(void* invocation) {
  run_microtask(*static_cast<const Invocation*>(invocation), omp::current_member());
}

void run_told_microtask(void* raw) {
  const auto& invocation = *static_cast<const Invocation*>(raw);
  const omp::Member& member = omp::current_member();
  ThreadNumber in_process = number_of(member);
  ThreadNumber in_team = member.num;
  xylem_call_told_microtask(invocation.microtask, &in_process, &in_team, &invocation,
                            &member.task->told->frame.exit.ptr);
}

}  // namespace xylem::abi::kmp
