/* Xylem's codelets. See tiled_cholesky.h. */
#include "tiled_cholesky.h"

#include "tile_codelets.h"

static xylem_codelet codelets[4];
static xylem_data** data;

static void submit_task(step what, int a, int b, int c) {
  xylem_data* const of[][3] = {
      {data[a]}, {data[a], data[b]}, {data[a], data[c]}, {data[a], data[b], data[c]}};
  const xylem_task_options options = {.data = of[what], .priority = priority_of(what, a, b, c)};
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
  make_codelets(codelets, 1, 1);
  data = malloc(sizeof *data * (size_t)(tiles * tiles));
  show("xylem", begin, end);
  return 0;
}
