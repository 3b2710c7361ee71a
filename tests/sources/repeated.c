/* repeated LEADER: prints which thread ran which iterations of two dynamic loops in their first
 * run. In the second the others wait in their first iteration until the leader is done, which
 * therefore runs all that they have not begun. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { n = 240 };

static int owner[n];
static int leader, leader_is_done;

/* The first region of the program. */
static void whole(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) owner[i] = omp_get_thread_num();
}

static void part(void) {
  leader_is_done = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(guided) nowait
    for (int i = n - 1; i >= 20; i -= 2) {
      while (me != leader && !__atomic_load_n(&leader_is_done, __ATOMIC_SEQ_CST)) usleep(20);
      owner[i] = me;
    }
    if (me == leader) __atomic_store_n(&leader_is_done, 1, __ATOMIC_SEQ_CST);
  }
}

static void print_first(void (*loop)(void)) {
  for (int i = 0; i < n; i++) owner[i] = -1;
  loop();
  for (int i = 0; i < n; i++) printf("%d%c", owner[i], i + 1 < n ? ' ' : '\n');
  loop();
}

int main(int count, char** words) {
  leader = count > 1 ? atoi(words[1]) : 0;
  print_first(whole);
  print_first(part);
  return 0;
}
