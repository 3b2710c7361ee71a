/* Threads that open a region on a stack of their own, smaller than a thread's (a coroutine's): what
 * its members need of a stack is not taken from that one. */
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "expect.h"

enum { members_unless_told = 4, inner = 4, small = 256 << 10, large = 2 << 20 };

static char* stacks; /* mapped before the runtime's, which the kernel puts below */
static int members, ran;

/* Not inlined: member 0 runs the region on the small stack. */
__attribute__((noinline)) static void use_stack(void) {
  volatile char room[large];
  for (int at = large - 1; at >= 0; at -= 4096) room[at] = 1;
  add_one(&ran);
}

static void on_small_stack(void) {
#pragma omp parallel num_threads(inner)
  if (omp_get_thread_num() > 0) use_stack();
}

static void run_on(char* stack) {
  ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = small;
  there.uc_link = &here;
  makecontext(&there, on_small_stack, 0);
  swapcontext(&here, &there);
}

int main(void) {
  members = expect_members(members_unless_told);
  const size_t bytes = (size_t)(members + 1) * small;
  stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(stacks, 0, bytes);
  omp_set_max_active_levels(2);
  for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel num_threads(members)
    run_on(stacks + omp_get_thread_num() * (size_t)small);
  }
  run_on(stacks + members * (size_t)small);
  expect_equal("members of regions opened on small stacks", ran, (20 * members + 1) * (inner - 1));
  return expect_result();
}
