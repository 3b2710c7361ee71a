/* Owns what programs with codelets on devices check with. */
#ifndef TESTS_HETERO_DEVICES_H
#define TESTS_HETERO_DEVICES_H

#include "check.h"

/* Kernels are written once, in OpenCL C, and this before them makes CUDA C++ of it. There more
 * work-items run than the extents tell: kernels compare. */
#define KERNEL_WORDS                                                            \
  "#ifndef __OPENCL_VERSION__\n"                                                \
  "typedef unsigned int uint;\n"                                                \
  "typedef unsigned long ulong;\n"                                              \
  "#define __kernel extern \"C\" __global__\n"                                  \
  "#define __global\n"                                                          \
  "__device__ inline size_t get_global_id(int d) {\n"                           \
  "  return d == 0 ? (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"           \
  "                : d == 1 ? (size_t)blockIdx.y * blockDim.y + threadIdx.y\n"  \
  "                         : (size_t)blockIdx.z * blockDim.z + threadIdx.z;\n" \
  "}\n"                                                                         \
  "#endif\n"                                                                    \
  "#line 1\n"

/* A kernel for both, which ON_DEVICES names in a codelet. */
#define DEVICE_KERNEL(name, source_text, kernel_name)                                  \
  static const xylem_opencl name = {.source = (source_text), .kernel = (kernel_name)}; \
  static const xylem_cuda name##_cuda = {.source = (source_text), .kernel = (kernel_name)}
#define ON_DEVICES(name) .opencl = &(name), .cuda = &name##_cuda

/* Ends the test as skipped where there are fewer devices; as failed where they must be there, as
 * those of the stand-in for libcuda.so.1 (DEVICES_MUST_BE_THERE). */
static inline void need_devices(int count) {
  if (xylem_device_count() >= count) return;
  CHECK(!getenv("DEVICES_MUST_BE_THERE"));
  printf("skipped: %d devices of %d\n", xylem_device_count(), count);
  exit(77);
}

#endif
