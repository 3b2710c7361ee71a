/* StarPU's codelets. See tiled_cholesky.h. */
#define CL_TARGET_OPENCL_VERSION 120
#include <starpu.h>
#include <starpu_opencl.h>

#include "tiled_cholesky.h"

static double* matrix_of(void* buffer) { return (double*)STARPU_MATRIX_GET_PTR(buffer); }

static void run_factor(void* buffers[], void* argument) {
  (void)argument;
  factor_tile(matrix_of(buffers[0]));
}
static void run_solve(void* buffers[], void* argument) {
  (void)argument;
  solve_tile(matrix_of(buffers[0]), matrix_of(buffers[1]));
}
static void run_square(void* buffers[], void* argument) {
  (void)argument;
  const double* a = matrix_of(buffers[0]);
  update_tile(a, a, matrix_of(buffers[1]));
}
static void run_update(void* buffers[], void* argument) {
  (void)argument;
  update_tile(matrix_of(buffers[0]), matrix_of(buffers[1]), matrix_of(buffers[2]));
}

static struct starpu_opencl_program program;

static void launch(int number, void* buffers[]) {
  cl_kernel kernel;
  cl_command_queue queue;
  const cl_ulong extent = (cl_ulong)size;
  size_t range[2];
  if (starpu_opencl_load_kernel(&kernel, &queue, &program, kernel_names[number],
                                starpu_worker_get_devid(starpu_worker_get_id())) != CL_SUCCESS)
    exit(1);
  for (cl_uint i = 0; i < (cl_uint)kernel_tiles[number]; ++i) {
    cl_mem tile_there = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[i]);
    clSetKernelArg(kernel, 3 * i, sizeof tile_there, &tile_there);
    clSetKernelArg(kernel, 3 * i + 1, sizeof extent, &extent);
    clSetKernelArg(kernel, 3 * i + 2, sizeof extent, &extent);
  }
  kernel_range(number, range);
  if (clEnqueueNDRangeKernel(queue, kernel, range[1] > 1 ? 2 : 1, NULL, range, NULL, 0, NULL,
                             NULL) != CL_SUCCESS)
    exit(1);
  starpu_opencl_release_kernel(kernel);
}

#define LAUNCH(number)                                         \
  static void launch_##number(void* buffers[], void* unused) { \
    (void)unused;                                              \
    launch(number, buffers);                                   \
  }
LAUNCH(0)
LAUNCH(1)
LAUNCH(2) LAUNCH(3)
#undef LAUNCH

    static struct starpu_perfmodel models[4];
static struct starpu_codelet codelets[] = {
    {.cpu_funcs = {run_factor}, .opencl_funcs = {launch_0}, .nbuffers = 1, .modes = {STARPU_RW}},
    {.cpu_funcs = {run_solve},
     .opencl_funcs = {launch_1},
     .nbuffers = 2,
     .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {run_square},
     .opencl_funcs = {launch_2},
     .nbuffers = 2,
     .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {run_update},
     .opencl_funcs = {launch_3},
     .nbuffers = 3,
     .modes = {STARPU_R, STARPU_R, STARPU_RW}},
};

static void make_codelets(void) {
  for (int i = 0; i < 4; ++i) {
    models[i] = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = kernel_names[i]};
    codelets[i].model = &models[i];
    codelets[i].opencl_flags[0] = STARPU_OPENCL_ASYNC;
  }
  if (starpu_opencl_worker_get_count() == 0) return;
  if (starpu_opencl_load_opencl_from_string(tile_kernels(), &program, NULL) != CL_SUCCESS) exit(1);
}

static starpu_data_handle_t* data;

static void submit_task(step what, int a, int b, int c) {
  struct starpu_task* task = starpu_task_create();
  task->cl = &codelets[what];
  task->priority = priority_of(what, a, b, c);
  task->handles[0] = data[a];
  if (what == solve || what == update) task->handles[1] = data[b];
  if (what == square) task->handles[1] = data[c];
  if (what == update) task->handles[2] = data[c];
  if (starpu_task_submit(task) != 0) exit(1);
}

static void wait_for_tasks(void) { starpu_task_wait_for_all(); }

static void begin(void) {
  const uint32_t n = (uint32_t)size;
  for (int i = 0; i < tiles * tiles; ++i)
    starpu_matrix_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)tile_memory(i), n, n, n,
                                sizeof(double));
}

static void end(void) {
  for (int i = 0; i < tiles * tiles; ++i) starpu_data_unregister(data[i]);
}

int main(int argc, char** argv) {
  take_arguments(argc, argv);
  data = malloc(sizeof *data * (size_t)(tiles * tiles));
  if (starpu_init(NULL) != 0) return 1;
  make_codelets();
  show("starpu", begin, end);
  starpu_shutdown();
  return 0;
}
