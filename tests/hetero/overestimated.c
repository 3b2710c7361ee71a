/* Under a policy with models an executor is free as soon as it has done what it took, however long
 * that was expected to take: tasks that each wait for the one before run on one executor. */
#include "check.h"

enum { tasks = 50 };

static int record_executor(const xylem_view* views, void* argument) {
  (void)argument;
  const int executor = xylem_current_executor();
  int* first = views[0].data;
  if (*first < 0) *first = executor;
  return *first != executor;
}

static double an_hour(const xylem_view* views, const void* argument, int executor) {
  (void)views;
  (void)argument;
  (void)executor;
  return 3.6e12;
}

static const xylem_codelet overestimated = {
    .cpu = record_executor, .accesses = 1, .modes = {xylem_read_write}, .nanoseconds = an_hour};

int main(int argc, char** argv) {
  CHECK(argc == 2 && xylem_codelet_policy(argv[1]) == 0);
  CHECK(xylem_executor_count() > 1);
  int first = -1;
  xylem_data* data = xylem_data_variable(&first, sizeof first);
  for (int i = 0; i < tasks; ++i) {
    xylem_task* task;
    CHECK(xylem_submit(&overestimated, &(xylem_task_options){.data = &data}, &task) == 0);
    CHECK(xylem_task_wait(task) == 0);
    /* The runtime's own tasks end, too. */
    CHECK(xylem_data_acquire(data, xylem_read) == 0 && first >= 0);
    CHECK(xylem_data_release(data) == 0);
  }
  CHECK(xylem_data_unregister(data) == 0);
  return 0;
}
