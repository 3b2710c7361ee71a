/* StarPU's codelets. See tiled_cholesky.h. */
#include <starpu.h>

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

static struct starpu_codelet codelets[] = {
    {.cpu_funcs = {run_factor}, .nbuffers = 1, .modes = {STARPU_RW}},
    {.cpu_funcs = {run_solve}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {run_square}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {run_update}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}},
};

static starpu_data_handle_t* data;

static void submit_task(step what, int a, int b, int c) {
  struct starpu_task* task = starpu_task_create();
  task->cl = &codelets[what];
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
  show("starpu", begin, end);
  starpu_shutdown();
  return 0;
}
