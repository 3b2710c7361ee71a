/* What a program tells of its tasks' times decides where they go: under `earliest`, on processors
 * and a device, tasks of which the program says so run on one or the other alone; and where it
 * tells how much they have to do, a task of a size that never ran goes where that is done sooner.
 */
#include <time.h>

#include "check.h"

/* Kernels that nobody waits for: what counts is who runs them. */
static const xylem_opencl opencl = {
    .source = "__kernel void count(__global int* on_device, ulong x, int n) { on_device[0] += 1; }",
    .kernel = "count"};
static const xylem_cuda cuda = {.source =
                                    "extern \"C\" __global__ void count(int* on_device, unsigned "
                                    "long x, int n) { on_device[0] += 1; }",
                                .kernel = "count"};

static int on_processor(const xylem_view* views, void* argument) {
  (void)views;
  const struct timespec time = {0, *(const int*)argument * 200000L};
  return nanosleep(&time, NULL);
}

static int slow_kind; /* by the program's word */

static double nanoseconds(const xylem_view* views, const void* argument, int executor) {
  CHECK(views[0].x == 1 && *(const int*)argument > 0);
  const int kind = executor >= xylem_executor_count() - xylem_device_count();
  return kind == slow_kind ? 1e12 : 1;
}

static double work(const xylem_view* views, const void* argument) {
  CHECK(views[0].data == NULL);
  return *(const int*)argument;
}

#define CODELET \
  .cpu = on_processor, .accesses = 1, .modes = {xylem_read_write}, .opencl = &opencl, .cuda = &cuda
static const xylem_codelet timed = {CODELET, .nanoseconds = nanoseconds};
static const xylem_codelet worked = {CODELET, .work = work};

/* How many of so many tasks ran on a device. */
static int run(const xylem_codelet* codelet, int tasks, int argument) {
  int on_device = 0;
  xylem_data* data = xylem_data_vector(&on_device, 1, sizeof on_device);
  for (int i = 0; i < tasks; ++i) {
    CHECK(xylem_submit(codelet,
                       &(xylem_task_options){
                           .data = &data, .argument = &argument, .argument_bytes = sizeof argument},
                       NULL) == 0);
    CHECK(xylem_wait_all() == 0);
  }
  CHECK(xylem_data_unregister(data) == 0);
  return on_device;
}

int main(void) {
  CHECK(xylem_codelet_policy("earliest") == 0);
  CHECK(xylem_device_count() > 0);
  slow_kind = 0;
  CHECK(run(&timed, 10, 1) == 10);
  slow_kind = 1;
  CHECK(run(&timed, 10, 1) == 0);
  /* A piece of work takes 0.2 ms on a processor, and 100 of them 20 ms, which no device takes for
   * a task here, however busy the machine is. Both learn from small tasks: each executor is free
   * as long as nothing is known of it. */
  run(&worked, 30, 100);
  CHECK(run(&worked, 5, 2000) == 5); /* 0.4 s each on a processor */
  return 0;
}
