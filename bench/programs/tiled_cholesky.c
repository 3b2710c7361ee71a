/* Xylem's codelets. See tiled_cholesky.h. */
#include "tiled_cholesky.h"

#include <xylem/codelet.h>

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

static const xylem_codelet codelets[] = {
    {.name = "factor", .cpu = run_factor, .accesses = 1, .modes = {xylem_read_write}},
    {.name = "solve", .cpu = run_solve, .accesses = 2, .modes = {xylem_read, xylem_read_write}},
    {.name = "square", .cpu = run_square, .accesses = 2, .modes = {xylem_read, xylem_read_write}},
    {.name = "update",
     .cpu = run_update,
     .accesses = 3,
     .modes = {xylem_read, xylem_read, xylem_read_write}},
};

static xylem_data** data;

static void submit_task(step what, int a, int b, int c) {
  xylem_data* const of[][3] = {
      {data[a]}, {data[a], data[b]}, {data[a], data[c]}, {data[a], data[b], data[c]}};
  const xylem_task_options options = {.data = of[what]};
  if (xylem_submit(&codelets[what], &options, NULL) != 0) exit(1);
}

static void wait_for_tasks(void) {
  if (xylem_wait_all() != 0) exit(1);
}

static void begin(void) {
  for (int i = 0; i < tiles * tiles; ++i)
    data[i] =
        xylem_data_matrix(tile_memory(i), (size_t)size, (size_t)size, (size_t)size, sizeof(double));
}

static void end(void) {
  for (int i = 0; i < tiles * tiles; ++i) xylem_data_unregister(data[i]);
}

int main(int argc, char** argv) {
  take_arguments(argc, argv);
  data = malloc(sizeof *data * (size_t)(tiles * tiles));
  show("xylem", begin, end);
  return 0;
}
