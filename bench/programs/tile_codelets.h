/* Owns what is done to tiles (tiled_cholesky.h) as Xylem's codelets. */
#ifndef BENCH_TILE_CODELETS_H
#define BENCH_TILE_CODELETS_H

#include <xylem/codelet.h>

#include "tiled_cholesky.h"

static int run_factor(const xylem_view* views, void* argument) {
  (void)argument;
  factor_tile(views[0].data);
  return 0;
}
static int run_solve(const xylem_view* views, void* argument) {
  (void)argument;
  solve_tile(views[0].data, views[1].data);
  return 0;
}
static int run_square(const xylem_view* views, void* argument) {
  (void)argument;
  update_tile(views[0].data, views[0].data, views[1].data);
  return 0;
}
static int run_update(const xylem_view* views, void* argument) {
  (void)argument;
  update_tile(views[0].data, views[1].data, views[2].data);
  return 0;
}

#define RANGE(number)                                                                       \
  static void range_##number(const xylem_view* views, const void* argument, size_t* global, \
                             size_t* local) {                                               \
    (void)views, (void)argument, (void)local;                                               \
    kernel_range(number, global);                                                           \
  }
RANGE(0)
RANGE(1)
RANGE(2)
RANGE(3)
#undef RANGE

/* By step: for processors, for devices, or for both. */
static void make_codelets(xylem_codelet* made, int on_processors, int on_devices) {
  static xylem_opencl kernels[4];
  static xylem_cuda cuda_kernels[4];
  static int (*const functions[])(const xylem_view*, void*) = {run_factor, run_solve, run_square,
                                                               run_update};
  static void (*const ranges[])(const xylem_view*, const void*, size_t*, size_t*) = {
      range_0, range_1, range_2, range_3};
  for (int number = 0; number < 4; ++number) {
    kernels[number] = (xylem_opencl){
        .source = tile_kernels(), .kernel = kernel_names[number], .range = ranges[number]};
    cuda_kernels[number] = (xylem_cuda){
        .source = tile_kernels(), .kernel = kernel_names[number], .range = ranges[number]};
    made[number] = (xylem_codelet){.name = kernel_names[number], .accesses = kernel_tiles[number]};
    for (int i = 0; i < kernel_tiles[number]; ++i)
      made[number].modes[i] = i + 1 < kernel_tiles[number] ? xylem_read : xylem_read_write;
    if (on_processors) made[number].cpu = functions[number];
    if (!on_devices) continue;
    made[number].opencl = &kernels[number];
    made[number].cuda = &cuda_kernels[number];
  }
}

#endif
