/* Under `data`, what copies to a device take decides where tasks go whose times the program tells.
 * The argument: how many of ten tasks are to run on the device, 0 or 10. tests/tool/links_test.py
 * says in the file of links what copies take. */
#include <stdlib.h>

#include "check.h"

static const xylem_opencl opencl = {
    .source = "__kernel void count(__global int* on_device, ulong x) { on_device[0] += 1; }",
    .kernel = "count"};

static int on_processor(const xylem_view* views, void* argument) {
  (void)views, (void)argument;
  return 0;
}

/* A second on a processor, next to nothing on a device. */
static double nanoseconds(const xylem_view* views, const void* argument, int executor) {
  (void)views, (void)argument;
  return executor < xylem_executor_count() - xylem_device_count() ? 1e9 : 1;
}

static const xylem_codelet counting = {.cpu = on_processor,
                                       .accesses = 1,
                                       .modes = {xylem_read_write},
                                       .opencl = &opencl,
                                       .nanoseconds = nanoseconds};

int main(int argc, char** argv) {
  int on_device = 0;
  CHECK(argc > 1 && xylem_codelet_policy("data") == 0);
  for (int i = 0; i < 10; ++i) {
    xylem_data* data = xylem_data_vector(&on_device, 1, sizeof on_device);
    CHECK(xylem_submit(&counting, &(xylem_task_options){.data = &data}, NULL) == 0);
    CHECK(xylem_data_unregister(data) == 0);
  }
  CHECK(on_device == atoi(argv[1]));
  return 0;
}
