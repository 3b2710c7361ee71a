// Owns: the call of a microtask. See microtask.hpp.
#include "abi/kmp/microtask.hpp"

#include "omp/tool/records.hpp"

// Calls microtask(in_process, in_team, words[0], ..., words[count - 1]). By the ABI the first four
// words go in registers, which are filled always, and the others on the stack in their order, which
// must begin at a multiple of 16. Unwinders find the caller's frame by rbp at every instruction.
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
  movslq %r8d, %r10
  movq %rcx, %r11
  cmpq $4, %r10
  jle 2f
  movq %r10, %rdx
  andq $1, %rdx
  leaq (,%rdx,8), %rdx
  subq %rdx, %rsp
1:
  pushq -8(%r11,%r10,8)
  decq %r10
  cmpq $4, %r10
  jg 1b
2:
  movq (%r11), %rdx
  movq 8(%r11), %rcx
  movq 16(%r11), %r8
  movq 24(%r11), %r9
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
  movq %rbp, (%r9)
  jmp 3b
  .cfi_endproc
  .size xylem_call_told_microtask, .-xylem_call_told_microtask
)");

namespace xylem::abi::kmp {

extern "C" void xylem_call_microtask(Microtask microtask, ThreadNumber* in_process,
                                     ThreadNumber* in_team, void** words, int count);
// The same; *frame: the frame from which the microtask is called.
extern "C" void xylem_call_told_microtask(Microtask microtask, ThreadNumber* in_process,
                                          ThreadNumber* in_team, void** words, int count,
                                          void** frame);

void call_microtask(const Invocation& invocation) {
  const omp::Member& member = omp::current_member();
  ThreadNumber in_process = number_of(member);
  ThreadNumber in_team = member.num;
  if (omp::tool::on()) [[unlikely]]
    return xylem_call_told_microtask(invocation.microtask, &in_process, &in_team, invocation.words,
                                     invocation.count, &member.task->told->frame.exit.ptr);
  xylem_call_microtask(invocation.microtask, &in_process, &in_team, invocation.words,
                       invocation.count);
}

}  // namespace xylem::abi::kmp
