/* repeated MEMBER: prints which thread ran which iterations of two dynamic loops in their first
 * run. Each thread waits in its first iteration for the others to come, and MEMBER until many
 * iterations ran: by themselves the loops would be divided otherwise where another member is held
 * up. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { n = 240, most_members = 64, most_polls = 1000 };

static int owner[n];
static int held_up, members_in, iterations_run;
static int is_in[most_members];

static void wait_for(int* counter, int wanted) {
  for (int poll = 0; poll < most_polls && __atomic_load_n(counter, __ATOMIC_SEQ_CST) < wanted;
       poll++)
    usleep(100);
}

static void ran(int i) {
  const int me = omp_get_thread_num();
  owner[i] = me;
  if (!is_in[me]) {
    is_in[me] = 1;
    __atomic_add_fetch(&members_in, 1, __ATOMIC_SEQ_CST);
    wait_for(&members_in, omp_get_num_threads());
    if (me == held_up) wait_for(&iterations_run, n / 4);
  }
  __atomic_add_fetch(&iterations_run, 1, __ATOMIC_SEQ_CST);
}

static void whole(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) ran(i);
}

static void part(void) {
#pragma omp parallel
#pragma omp for schedule(guided)
  for (int i = n - 1; i >= 20; i -= 2) ran(i);
}

static void print_first(void (*loop)(void)) {
  for (int i = 0; i < n; i++) owner[i] = -1;
  for (int i = 0; i < most_members; i++) is_in[i] = 0;
  members_in = iterations_run = 0;
  loop();
  for (int i = 0; i < n; i++) printf("%d%c", owner[i], i + 1 < n ? ' ' : '\n');
  loop();
}

int main(int count, char** words) {
  held_up = count > 1 ? atoi(words[1]) : 0;
  print_first(whole);
  print_first(part);
  return 0;
}
