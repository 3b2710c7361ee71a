/* include/xylem/bubble.h: bubbles of the program's own: who is inside, what is refused, priorities,
 * processor time; under whatever policy, and when their turns come and go. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { teams = 4, members = 3, rounds = 20 };

static xylem_bubble_info query(const xylem_bubble* bubble) {
  xylem_bubble_info info = {0};
  expect_equal("xylem_bubble_query", xylem_bubble_query(bubble, &info, sizeof info), 0);
  return info;
}

static void life(void) {
  xylem_bubble* outer = xylem_bubble_create();
  expect_equal("enter", xylem_bubble_enter(outer), 0);
  expect_equal("current", xylem_bubble_current() == outer, 1);
  xylem_bubble* inner = xylem_bubble_create();
  expect_equal("its parent", query(inner).parent == outer, 1);
  expect_equal("enter the inner", xylem_bubble_enter(inner), 0);
  expect_equal("threads of the outer", query(outer).threads, 1);
  expect_equal("destroy with a thread inside", xylem_bubble_destroy(inner), EBUSY);
  expect_equal("leave the inner", xylem_bubble_leave(), 0);
  expect_equal("current after that", xylem_bubble_current() == outer, 1);
  expect_equal("leave", xylem_bubble_leave(), 0);
  expect_equal("nobody inside", query(outer).threads, 0);
  expect_equal("leave nothing", xylem_bubble_leave(), EPERM);
  expect_equal("destroy with a bubble inside", xylem_bubble_destroy(outer), EBUSY);
  expect_equal("destroy the inner", xylem_bubble_destroy(inner), 0);
  expect_equal("destroy", xylem_bubble_destroy(outer), 0);
}

static void refused(void) {
  int not_a_bubble = 0;
  xylem_bubble* wrong = (xylem_bubble*)&not_a_bubble;
  xylem_bubble_info info;
  expect_equal("enter no bubble", xylem_bubble_enter(wrong), EINVAL);
  expect_equal("enter NULL", xylem_bubble_enter(NULL), EINVAL);
  expect_equal("destroy no bubble", xylem_bubble_destroy(wrong), EINVAL);
  expect_equal("query no bubble", xylem_bubble_query(wrong, &info, sizeof info), EINVAL);
  expect_equal("load of no bubble", xylem_bubble_set_load(wrong, 1), EINVAL);
  expect_equal("slice of no bubble", xylem_bubble_set_slice(wrong, 1), EINVAL);
  xylem_bubble* bubble = xylem_bubble_create();
  expect_equal("a size of no version", xylem_bubble_query(bubble, &info, 3), EINVAL);
  expect_equal("no such kind", xylem_bubble_set_burst_level(bubble, 99), EINVAL);
  expect_equal("destroy", xylem_bubble_destroy(bubble), 0);
  expect_equal("destroy twice", xylem_bubble_destroy(bubble), EINVAL);
}

static void attributes(void) {
  xylem_bubble* bubble = xylem_bubble_create();
  expect_equal("set load", xylem_bubble_set_load(bubble, 42), 0);
  expect_equal("set burst level", xylem_bubble_set_burst_level(bubble, xylem_level_node), 0);
  expect_equal("set priority", xylem_bubble_set_priority(bubble, -3), 0);
  expect_equal("set slice", xylem_bubble_set_slice(bubble, 200), 0);
  expect_equal("the usual slice", xylem_bubble_set_slice(bubble, 0), 0);
  expect_equal("no such slice", xylem_bubble_set_slice(bubble, -1), EINVAL);
  xylem_bubble_info info = query(bubble);
  expect_equal("load", info.load, 42);
  expect_equal("burst level", info.burst_level, xylem_level_node);
  expect_equal("priority", info.priority, -3);
  expect_equal("parent", info.parent == NULL, 1);
  expect_equal("destroy", xylem_bubble_destroy(bubble), 0);
}

/* Members of a team go into bubbles of their own and open teams there; barriers join them all. */
static void regions(void) {
  xylem_bubble* bubble[teams];
  for (int i = 0; i < teams; i++) {
    bubble[i] = xylem_bubble_create();
    xylem_bubble_set_burst_level(bubble[i], i % 2 ? xylem_level_node : -1);
    xylem_bubble_set_load(bubble[i], 10 * (i + 1));
  }
  int ran = 0, inside = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(teams)
    {
      xylem_bubble* mine = bubble[omp_get_thread_num()];
      xylem_bubble_enter(mine);
#pragma omp barrier
#pragma omp parallel num_threads(members)
      {
        expect_equal("a member's bubble", xylem_bubble_current() == mine, 1);
#pragma omp barrier
        if (query(mine).threads == members) {
#pragma omp atomic
          inside++;
        }
#pragma omp barrier
#pragma omp atomic
        ran++;
      }
      if (round % 2) xylem_bubble_leave(); /* else it is left at the region's end */
    }
  }
  expect_equal("members", ran, rounds * teams * members);
  expect_equal("members that saw all of their bubble", inside, rounds * teams * members);
  for (int i = 0; i < teams; i++) {
    expect_equal("nobody inside", query(bubble[i]).threads, 0);
    expect_equal("lies nowhere", query(bubble[i]).level, XYLEM_DETACHED);
    expect_equal("destroy", xylem_bubble_destroy(bubble[i]), 0);
  }
}

static void burn(double seconds) {
  const clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < until) {
  }
}

/* Of an outermost team inside a bubble of the program, half of whose members only sleep: the time
 * is of those who work. */
static void processor_time(void) {
  xylem_bubble* bubble = xylem_bubble_create();
  xylem_bubble_enter(bubble);
  struct timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    burn(0.5);
  else
    usleep(100000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  xylem_bubble_leave();
  const long long used =
      (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
  expect_between("processor time found by polls", query(bubble).cpu_ns, used / 2, used + used / 4);
  expect_equal("destroy", xylem_bubble_destroy(bubble), 0);
}

enum { waiters = 6 };
static const int wanted[waiters] = {2, -1, 5, 0, 7, 2};

/* Members wait in a barrier; the priorities of those who go on, in order. False if extra kernel
 * threads came, as they do for one that the kernel gives no processor: who of two takes a note
 * first is then chance. */
static int go_on(xylem_bubble** bubble, int* order) {
  int passed = 0;
  pid_t thread[waiters];
#pragma omp parallel num_threads(waiters)
  {
    const int me = omp_get_thread_num();
    xylem_bubble_enter(bubble[me]);
#pragma omp barrier
    const int turn = __atomic_fetch_add(&passed, 1, __ATOMIC_SEQ_CST);
    order[turn] = wanted[me];
    thread[turn] = (int)syscall(SYS_gettid);
  }
  for (int i = 1; i < waiters; i++)
    if (thread[i] != thread[0]) return 0;
  return 1;
}

/* On one processor, members that wait in a barrier go on by priority when it opens; but for the
 * last one to come, which opens it. */
static void priorities(void) {
  xylem_bubble* bubble[waiters];
  for (int i = 0; i < waiters; i++) {
    bubble[i] = xylem_bubble_create();
    xylem_bubble_set_priority(bubble[i], wanted[i]);
  }
  int order[waiters], tries = 1;
  while (!go_on(bubble, order) && tries < 10000) tries++;
  expect_between("tries until one kernel thread ran them all", tries, 1, 9999);
  for (int i = 2; i < waiters; i++)
    expect_between("the priority of who goes on next", order[i], -100, order[i - 1]);
  for (int i = 0; i < waiters; i++) expect_equal("destroy", xylem_bubble_destroy(bubble[i]), 0);
}

int main(int argc, char** argv) {
  omp_set_max_active_levels(2);
  if (!xylem_bubble_create) return 77;
  if (argc > 1 && strcmp(argv[1], "priorities") == 0) {
    priorities();
    return expect_result();
  }
  life();
  refused();
  attributes();
  regions();
  if (argc == 1) processor_time();
  return expect_result();
}
