/* A kernel that fails midway, on one of two devices: what it has written is nobody's value. Its
 * task runs on the other device where there is another copy of what it reads, and ends with EIO
 * where there is none. All on devices alone, under the policy `data`, so a task goes where its data
 * is, however long those before it were expected to take.
 *
 * The function of OpenCL below stands before that of the library, as the plug-in finds the
 * program's first. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <stdatomic.h>

#include "devices.h"
#include "opencl_library.h"

static atomic_int kernels_to_fail;

/* The plug-in asks once about a command that has ended. */
static int fails(cl_event event) {
  cl_command_type type = 0;
  clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
  if (type != CL_COMMAND_NDRANGE_KERNEL || atomic_load(&kernels_to_fail) == 0) return 0;
  atomic_fetch_sub(&kernels_to_fail, 1);
  return 1;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value, size_t* took) {
  cl_int (*real)(cl_event, cl_event_info, size_t, void*, size_t*) =
      opencl_function("clGetEventInfo");
  const cl_int error = real(event, what, size, value, took);
  if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && *(cl_int*)value <= CL_COMPLETE && fails(event))
    *(cl_int*)value = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return error;
}

static const char source[] = KERNEL_WORDS
    "__kernel void add(__global int* y, ulong m, __global const int* x, ulong n) {\n"
    "  if (get_global_id(0) < m) y[get_global_id(0)] += x[get_global_id(0)];\n"
    "}\n";
DEVICE_KERNEL(kernel, source, "add");
static double an_hour(const xylem_view* views, const void* argument, int executor) {
  (void)views;
  (void)argument;
  (void)executor;
  return 3.6e12;
}
static const xylem_codelet adding = {.accesses = 2,
                                     .modes = {xylem_read_write, xylem_read},
                                     .nanoseconds = an_hour,
                                     ON_DEVICES(kernel)};
static const xylem_codelet reducing = {
    .accesses = 2, .modes = {xylem_reduce, xylem_read}, .nanoseconds = an_hour, ON_DEVICES(kernel)};

enum { length = 40 };
static int memory[3][length];
static xylem_data* data[3];

static void begin_zero(const xylem_view* copy) {
  for (unsigned long i = 0; i < copy->x; ++i) ((int*)copy->data)[i] = 0;
}
static void add_copy(const xylem_view* into, const xylem_view* from) {
  for (unsigned long i = 0; i < into->x; ++i) ((int*)into->data)[i] += ((int*)from->data)[i];
}

static void register_all(void) {
  for (int v = 0; v < 3; ++v) {
    for (int i = 0; i < length; ++i) memory[v][i] = 100 * v + i;
    data[v] = xylem_data_vector(memory[v], length, sizeof(int));
    CHECK(xylem_data_set_reduction(data[v], begin_zero, add_copy) == 0);
  }
}

/* Adds data `from` to data `to`; what the task ended with. */
static int add(const xylem_codelet* codelet, int to, int from) {
  xylem_data* used[2] = {data[to], data[from]};
  xylem_task* task;
  CHECK(xylem_submit(codelet, &(xylem_task_options){.data = used}, &task) == 0);
  return xylem_task_wait(task);
}

static int add_failing(const xylem_codelet* codelet, int to, int from) {
  atomic_store(&kernels_to_fail, 1);
  const int ended = add(codelet, to, from);
  CHECK(atomic_load(&kernels_to_fail) == 0);
  return ended;
}

/* Main memory has what the kernel wrote to, and the device what it read. */
static void other_copy(void) {
  register_all();
  CHECK(add(&adding, 1, 0) == 0);
  CHECK(add_failing(&adding, 2, 1) == 0);
  CHECK(xylem_wait_all() == 0);
  for (int v = 0; v < 3; ++v) CHECK(xylem_data_unregister(data[v]) == 0);
  for (int i = 0; i < length; ++i)
    CHECK(memory[1][i] == 100 + 2 * i && memory[2][i] == 300 + 3 * i);
}

/* What the kernel wrote to was on its device alone. */
static void only_copy(void) {
  register_all();
  CHECK(add(&adding, 1, 0) == 0);
  CHECK(add_failing(&adding, 1, 0) == EIO);
  CHECK(add(&adding, 2, 1) == ENODATA);
  CHECK(xylem_wait_all() == EIO);
  CHECK(xylem_data_unregister(data[0]) == 0);
  CHECK(xylem_data_unregister(data[1]) == ENODATA && xylem_data_unregister(data[2]) == ENODATA);
}

/* A device's share of a sum is such a copy. */
static void share_of_sum(void) {
  register_all();
  CHECK(add(&reducing, 1, 0) == 0);
  CHECK(add_failing(&reducing, 1, 0) == 0); /* on the other device */
  CHECK(xylem_data_acquire(data[1], xylem_read) == EIO);
  for (int v = 0; v < 3; ++v) CHECK(xylem_data_unregister(data[v]) == (v == 1 ? EIO : 0));
  xylem_wait_all();
}

int main(void) {
  CHECK(xylem_codelet_policy("data") == 0);
  need_devices(2);
  other_copy();
  only_copy();
  share_of_sum();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
