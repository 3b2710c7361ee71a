/* A device that disappears in the middle. The functions of OpenCL below stand before those of the
 * library, as the plug-in finds the program's first: they say that the first device is gone once
 * it has run so many kernels. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "devices.h"

static atomic_int kernels_left = 1 << 30;
static _Atomic(cl_command_queue) lost_queue; /* on which the last kernel ran */

static void* real(const char* name) {
  static void* library;
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  void* function = dlsym(library, name);
  CHECK(function);
  return function;
}

static cl_device_id device_of(cl_command_queue queue) {
  cl_device_id device = NULL;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  return device;
}

static int is_gone(cl_command_queue queue) {
  return lost_queue && device_of(queue) == device_of(lost_queue);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local,
                              cl_uint events, const cl_event* list, cl_event* event) {
  if (!lost_queue && atomic_fetch_sub(&kernels_left, 1) <= 0) lost_queue = queue;
  if (is_gone(queue)) return CL_DEVICE_NOT_AVAILABLE;
  cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
                 cl_uint, const cl_event*, cl_event*) = real("clEnqueueNDRangeKernel");
  return call(queue, kernel, dimensions, offset, global, local, events, list, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* to, cl_uint events, const cl_event* list,
                           cl_event* event) {
  if (is_gone(queue)) return CL_DEVICE_NOT_AVAILABLE;
  cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*,
                 cl_event*) = real("clEnqueueReadBuffer");
  return call(queue, buffer, blocking, offset, size, to, events, list, event);
}

static const char source[] =
    "__kernel void add(__global int* x, ulong n, int by) { x[get_global_id(0)] += by; }";
static const xylem_opencl kernel = {.source = source, .kernel = "add"};

static int add(const xylem_view* views, void* argument) {
  int* x = views[0].data;
  for (unsigned long i = 0; i < views[0].x; ++i) x[i] += *(int*)argument;
  return 0;
}

static const xylem_codelet anywhere = {
    .cpu = add, .accesses = 1, .modes = {xylem_read_write}, .opencl = &kernel};
static const xylem_codelet on_devices = {
    .accesses = 1, .modes = {xylem_read_write}, .opencl = &kernel};

enum { count = 40, length = 50, turns = 10 };
static int memory[count][length];
static xylem_data* data[count];

static void register_all(void) {
  memset(memory, 0, sizeof memory);
  for (int v = 0; v < count; ++v) data[v] = xylem_data_vector(memory[v], length, sizeof(int));
}

static void submit_all(const xylem_codelet* codelet) {
  for (int turn = 1; turn <= turns; ++turn)
    for (int v = 0; v < count; ++v)
      CHECK(xylem_submit(codelet,
                         &(xylem_task_options){
                             .data = &data[v], .argument = &turn, .argument_bytes = sizeof turn},
                         NULL) == 0);
}

/* Each value is right, or was on the device and is told as lost. Returns how many were lost. */
static int check_all(void) {
  const int error = xylem_wait_all();
  CHECK(error == 0 || error == EIO || error == ENODATA);
  int lost = 0;
  for (int v = 0; v < count; ++v) {
    const int ended = xylem_data_unregister(data[v]);
    CHECK(ended == 0 || ended == EIO || ended == ENODATA);
    lost += ended != 0;
    for (int i = 0; ended == 0 && i < length; ++i) CHECK(memory[v][i] == turns * (turns + 1) / 2);
  }
  CHECK(error == 0 || lost > 0);
  return lost;
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  need_devices(1);
  const int devices = xylem_device_count();
  register_all();
  submit_all(&on_devices);
  CHECK(check_all() == 0);
  register_all();
  kernels_left = 77;
  submit_all(&anywhere);
  check_all();
  if (!lost_queue) return 0; /* processors were faster */
  register_all();            /* what is submitted from here on knows of it */
  submit_all(&anywhere);
  CHECK(check_all() == 0);
  if (devices == 1)
    CHECK(xylem_submit(&on_devices, &(xylem_task_options){.data = data}, NULL) == ENODEV);
  return 0;
}
