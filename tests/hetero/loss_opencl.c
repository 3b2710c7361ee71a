/* The functions of OpenCL below stand before those of the library, as the plug-in finds the
 * program's first: they say that a device is gone. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdatomic.h>

#include "loss.h"
#include "opencl_library.h"

static atomic_int kernels_left = 1 << 30;
static _Atomic(cl_command_queue) lost_queue; /* on which the last kernel ran */

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
                 cl_uint, const cl_event*, cl_event*) = opencl_function("clEnqueueNDRangeKernel");
  return call(queue, kernel, dimensions, offset, global, local, events, list, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* to, cl_uint events, const cl_event* list,
                           cl_event* event) {
  if (is_gone(queue)) return CL_DEVICE_NOT_AVAILABLE;
  cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*,
                 cl_event*) = opencl_function("clEnqueueReadBuffer");
  return call(queue, buffer, blocking, offset, size, to, events, list, event);
}

void lose_after(int kernels) { kernels_left = kernels; }
int is_lost(void) { return lost_queue != NULL; }
