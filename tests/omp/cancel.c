/* Cancellation, registered with OMP_CANCELLATION=true: cancel and cancellation point for parallel,
 * for, sections and taskgroup; barriers as cancellation points; the next construct is untouched;
 * and without the variable the same program does not cancel (argument "off"). */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static int on;

static void cancel_parallel(int members) {
  int past = 0;
  int came = 0;
#pragma omp parallel num_threads(members)
  {
    add_one(&came);
#pragma omp barrier
    if (omp_get_thread_num() == members - 1) {
#pragma omp cancel parallel
    }
#pragma omp barrier
    for (int i = 0; i < 10; i++) {
#pragma omp cancellation point parallel
    }
    add_one(&past);
  }
  expect_equal("members that came", came, members);
  expect_equal("members past a cancelled barrier", past, on ? 0 : members);
}

static void next_region_is_whole(int members) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
    add_one(&ran);
  }
  expect_equal("members of the region after", ran, members);
}

static void cancel_for(int members) {
  int ran = 0;
  int after = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10000; i++) {
      while (on && i > 5000) { /* the one that cancels may be late */
#pragma omp cancellation point for
        usleep(10);
      }
      add_one(&ran);
      if (i == 20) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
    add_one(&after);
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) add_one(&after);
  }
  if (on) {
    expect_between("iterations of a cancelled loop", ran, 1, 5001);
  } else {
    expect_equal("iterations of the loop", ran, 10000);
  }
  expect_equal("what follows a cancelled loop", after, members + 100);
}

/* Clang's code does not look for a cancellation where the if clause is false: a member goes on to
 * an iteration that cancels, which one of ten does. */
#ifdef __clang__
enum { most_of_a_member = 10 };
#else
enum { most_of_a_member = 5 };
#endif

static void cancel_static_for(int members) {
  int ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp for schedule(static)
  for (int i = 0; i < 1000; i++) {
    add_one(&ran);
#pragma omp cancel for if (i % 10 == 3)
  }
  if (on) {
    expect_between("iterations before each member stopped", ran, 1, most_of_a_member * members);
  } else {
    expect_equal("iterations of the loop", ran, 1000);
  }
}

static void cancel_sections(int members) {
  int ran = 0;
  int after = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp sections
    {
      {
        add_one(&ran);
#pragma omp cancel sections
        add_one(&after);
      }
#pragma omp section
      {
        add_one(&ran);
#pragma omp cancellation point sections
      }
#pragma omp section
      add_one(&ran);
    }
    add_one(&after);
  }
  expect_between("sections run", ran, on ? 1 : 3, 3);
  expect_equal("what follows cancelled sections", after, members + !on);
}

static void cancel_taskgroup(int members) {
  int started = 0;
  int past = 0;
  int other = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp task
    add_one(&other);
#pragma omp taskgroup
    {
      for (int i = 0; i < 200; i++) {
#pragma omp task firstprivate(i)
        {
          add_one(&started);
          if (i == 5) {
#pragma omp cancel taskgroup
          }
#pragma omp cancellation point taskgroup
          add_one(&past);
        }
      }
    }
#pragma omp taskgroup
    {
#pragma omp task
      add_one(&other);
    }
  }
  if (on) {
    expect_between("tasks started", started, 1, 200);
    expect_between("tasks past their cancellation point", past, 0, 199);
  } else {
    expect_equal("tasks past their cancellation point", past, 200);
  }
  expect_equal("tasks outside the group", other, 2);
}

static void cancel_while_others_wait(int members) {
  int past = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == 0) {
      usleep(5000);
#pragma omp cancel parallel if (on)
    }
#pragma omp barrier
    add_one(&past);
  }
  expect_equal("members past the barrier they waited in", past, on ? 0 : members);
}

int main(int count, char** arguments) {
  on = !(count > 1 && strcmp(arguments[1], "off") == 0);
  expect_equal("omp_get_cancellation", omp_get_cancellation(), on);
  for (int members = 1; members <= 16; members += 5) {
    for (int turn = 0; turn < 10; turn++) {
      cancel_parallel(members);
      next_region_is_whole(members);
      cancel_for(members);
      cancel_static_for(members);
      cancel_sections(members);
      cancel_taskgroup(members);
    }
    cancel_while_others_wait(members);
  }
  return expect_result();
}
