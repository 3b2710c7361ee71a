/* Members wait by sched_yield for a kernel thread of the program's own, on one processor with them,
 * as OpenBLAS's callers wait for its threads. It comes by their yields, and not only when the
 * kernel's time slice is over, in which they could yield some ten thousand times. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { members_unless_told = 4, most_members = 16, turns = 50, most_yields_a_turn = 4000 };

static int asked[most_members], answered[most_members], over;

/* Not by the C library's function: a program that has that gets kernel threads. */
static void use_one_processor(void) {
  unsigned long set[1024 / 8 / sizeof(long)] = {0};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  expect_true("sched_getaffinity", bytes > 0);
  size_t word = 0;
  while (set[word] == 0) word++;
  set[word] &= -set[word];
  expect_equal("sched_setaffinity",
               syscall(SYS_sched_setaffinity, 0, (word + 1) * sizeof(long), set), 0);
}

static void* answer(void* unused) {
  while (!load(&over)) {
    for (int i = 0; i < most_members; i++) store(&answered[i], load(&asked[i]));
    sched_yield();
  }
  return unused;
}

int main(void) {
  const int members = expect_members(members_unless_told);
  if (members > most_members) return 2;
  use_one_processor();
  pthread_t helper;
  expect_equal("pthread_create", pthread_create(&helper, NULL, answer, NULL), 0);
  long long yields = 0;
#pragma omp parallel num_threads(members) reduction(+ : yields)
  for (int turn = 1; turn <= turns; turn++) {
    const int me = omp_get_thread_num();
    store(&asked[me], turn);
    while (!became(&answered[me], turn)) {
      sched_yield();
      yields++;
    }
  }
  store(&over, 1);
  pthread_join(helper, NULL);
  expect_between("yields in a turn", yields / turns, 0, most_yields_a_turn);
  return expect_result();
}
