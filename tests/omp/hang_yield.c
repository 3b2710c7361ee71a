/* Teams of 8 and 16 whose members wait for each other in loops of taskyield, of sched_yield, and of
 * both mixed with plain spinning. */
#include <omp.h>
#include <sched.h>

#include "expect.h"

typedef void (*Pause)(void);

static void by_taskyield(void) {
#pragma omp taskyield
}
static void by_sched_yield(void) { sched_yield(); }
static void by_spinning(void) {}
static void by_number(void) {
  if (omp_get_thread_num() % 3 == 0) by_taskyield();
  if (omp_get_thread_num() % 3 == 1) by_sched_yield();
}

static void chain(int members, int step, Pause pause) {
  int turn = step > 0 ? 0 : members - 1;
#pragma omp parallel num_threads(members)
  {
    while (!became(&turn, omp_get_thread_num())) pause();
    __atomic_add_fetch(&turn, step, __ATOMIC_SEQ_CST);
  }
  expect_equal("end of the chain", turn, step > 0 ? members : -1);
}

static void meet(int members, Pause pause) {
  int arrived = 0;
#pragma omp parallel num_threads(members)
  {
    add_one(&arrived);
    while (!reached(&arrived, members)) pause();
  }
  expect_equal("members that met", arrived, members);
}

int main(void) {
  static const Pause pauses[] = {by_taskyield, by_sched_yield, by_number, by_spinning};
  for (int members = 8; members <= 16; members += 8) {
    for (int i = 0; i < 4; i++) {
      chain(members, 1, pauses[i]);
      chain(members, -1, pauses[i]);
      meet(members, pauses[i]);
    }
  }
  return expect_result();
}
