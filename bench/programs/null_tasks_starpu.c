/* StarPU's tasks that do nothing. See null_tasks.h. */
#include <starpu.h>

#include "null_tasks.h"

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}

static struct starpu_codelet without_data = {.cpu_funcs = {nothing}, .nbuffers = 0};
static struct starpu_codelet with_one = {
    .cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}};

static void submit(int with_data, starpu_data_handle_t data) {
  struct starpu_task* task = starpu_task_create();
  task->cl = with_data ? &with_one : &without_data;
  if (with_data) task->handles[0] = data;
  if (starpu_task_submit(task) != 0) exit(1);
}

static double time_of(int with_data) {
  double memory = 0;
  starpu_data_handle_t data;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&memory, sizeof memory);
  const double began = now_ns();
  for (int i = 0; i < count; ++i) submit(with_data, data);
  starpu_task_wait_for_all();
  const double took = now_ns() - began;
  starpu_data_unregister(data);
  return took;
}

int main(void) {
  if (starpu_init(NULL) != 0) return 1;
  show("starpu", time_of);
  starpu_shutdown();
  return 0;
}
