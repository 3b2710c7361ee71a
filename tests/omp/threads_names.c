/* The name of a thread, given by pthread_setname_np or prctl, is read back as it was given, by it
 * and by others, after switches and in the next region. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "threads_move.h"

enum { turns = 20 };

static pthread_t self[most_members];

static void name_of(int member, char* name) {
  snprintf(name, 16, "member-%d", (unsigned char)member);
}

static void is_own(void) {
  char expected[16], seen[16] = "", by_prctl[16] = "";
  name_of(omp_get_thread_num(), expected);
  expect_equal("pthread_getname_np", pthread_getname_np(pthread_self(), seen, sizeof seen), 0);
  expect_equal("own name", strcmp(seen, expected), 0);
  prctl(PR_GET_NAME, by_prctl);
  expect_equal("own name by prctl", strcmp(by_prctl, expected), 0);
}

static void is_others(int other) {
  char expected[16], seen[16] = "";
  name_of(other, expected);
  expect_equal("pthread_getname_np", pthread_getname_np(self[other], seen, sizeof seen), 0);
  expect_equal("another's name", strcmp(seen, expected), 0);
}

int main(void) {
  begin_threads();
#pragma omp parallel num_threads(members)
  {
    char name[16];
    int me = omp_get_thread_num();
    self[me] = pthread_self();
    name_of(me, name);
    if (me % 2)
      prctl(PR_SET_NAME, name);
    else
      expect_equal("pthread_setname_np", pthread_setname_np(pthread_self(), name), 0);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_own();
      is_others((me + 1 + turn) % members);
    }
#pragma omp barrier
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_own();
      meet_and_move();
      is_own();
#pragma omp barrier
    }
  }
  return expect_result();
}
