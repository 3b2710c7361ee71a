/* Cancellation while other members wait for their turn in ordered loops, or for a post in doacross
 * loops: nobody stays waiting, and those that go on do so in order, one at a time. Registered with
 * OMP_CANCELLATION=true.
 *
 * A member that cancels the region never comes to the loop, yet owns chunks of it when the schedule
 * is static. `cancel for` in a loop with an ordered clause is against the standard, and GCC warns;
 * it must end all the same. Stock libgomp 12 hangs in most of these. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

enum { iterations = 60 };

/* What the ordered regions of one loop have seen. Plain: the construct alone protects it. */
typedef struct Order {
  int last;
  int count;
} Order;

static void take_turn(Order* order, int i) {
  expect_true("iterations enter in order", i > order->last);
  order->last = i;
  order->count++;
}

/* One member cancels the region before an ordered loop, at once or when others wait already. */
static void leave_before_ordered(int members, int leaver, int late) {
  Order first = {-1, 0}, second = {-1, 0};
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == leaver) {
      if (late) usleep(1000);
#pragma omp cancel parallel
    }
#pragma omp for ordered schedule(runtime) nowait
    for (int i = 0; i < iterations; i++) {
      add_one(&ran);
#pragma omp ordered
      take_turn(&first, i);
    }
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < iterations; i++) {
      add_one(&ran);
#pragma omp ordered
      take_turn(&second, i);
    }
  }
  expect_equal("iterations that had their turn", first.count + second.count, ran);
  expect_between("iterations without the leaver's", ran, 0, 2 * iterations);
}

/* Several leave, between two loops. */
static void leave_between_ordered(int members, int late) {
  Order first = {-1, 0}, second = {-1, 0};
#pragma omp parallel num_threads(members)
  {
#pragma omp for ordered schedule(runtime) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      take_turn(&first, i);
    }
    if (omp_get_thread_num() % 2 == 0) {
      if (late) usleep(500);
#pragma omp cancel parallel
    }
#pragma omp for ordered schedule(runtime) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      take_turn(&second, i);
    }
#pragma omp barrier
    expect_true("nobody passes the barrier", 0);
  }
  expect_equal("turns of the whole loop", first.count, iterations);
  expect_between("turns of the other loop", second.count, 0, iterations);
}

static void leave_before_doacross(int members, int leaver, int late) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == leaver) {
      if (late) usleep(1000);
#pragma omp cancel parallel
    }
#pragma omp for ordered(1) schedule(runtime)
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered depend(sink : i - 1)
      add_one(&ran);
#pragma omp ordered depend(source)
    }
  }
  expect_between("iterations of the doacross loop", ran, 0, iterations);
}

static void leave_before_doacross_of_two(int members, int leaver, int late) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == leaver) {
      if (late) usleep(1000);
#pragma omp cancel parallel
    }
#pragma omp for ordered(2) schedule(runtime)
    for (int i = 0; i < 20; i++) {
      for (int j = 0; j < 4; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        add_one(&ran);
#pragma omp ordered depend(source)
      }
    }
  }
  expect_between("iterations of the doacross loop", ran, 0, 80);
}

static void cancel_ordered_for(int members, int at) {
  Order order = {-1, 0};
  int after = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < iterations; i++) {
#pragma omp cancel for if (i == at)
#pragma omp ordered
      take_turn(&order, i);
#pragma omp cancellation point for
    }
    add_one(&after);
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      add_one(&after);
    }
  }
  expect_between("turns of a cancelled loop", order.count, 0, iterations - 1);
  expect_equal("what follows it", after, members + iterations);
}

static void cancel_doacross_for(int members, int at) {
  int after = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp for ordered(1) schedule(runtime)
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp cancel for if (i == at)
#pragma omp ordered depend(source)
    }
    add_one(&after);
#pragma omp for ordered(1) schedule(runtime)
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered depend(sink : i - 1)
      add_one(&after);
#pragma omp ordered depend(source)
    }
  }
  expect_equal("what follows a cancelled doacross loop", after, members + iterations);
}

static void under_schedule(omp_sched_t kind, int chunk) {
  omp_set_schedule(kind, chunk);
  for (int members = 1; members <= 7; members += 3) {
    for (int late = 0; late <= 1; late++) {
      leave_before_ordered(members, 0, late);
      leave_before_ordered(members, members / 2, late);
      leave_between_ordered(members, late);
      leave_before_doacross(members, 0, late);
      leave_before_doacross(members, members - 1, late);
      leave_before_doacross_of_two(members, members / 2, late);
    }
    for (int at = 0; at < iterations; at += 13) {
      cancel_ordered_for(members, at);
      cancel_doacross_for(members, at);
    }
  }
}

int main(void) {
  expect_equal("omp_get_cancellation", omp_get_cancellation(), 1);
  under_schedule(omp_sched_static, 0);
  under_schedule(omp_sched_static, 1);
  under_schedule(omp_sched_static, 7);
  under_schedule(omp_sched_dynamic, 1);
  under_schedule(omp_sched_dynamic, 4);
  under_schedule(omp_sched_guided, 2);
  return expect_result();
}
