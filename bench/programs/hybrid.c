/* Processors and devices together, beside each alone: cholesky or multiply (c -= a b^T) on tiles,
 * over and over. hybrid WHAT TILES SIZE WHERE SECONDS, where WHERE is processors, devices or both;
 * prints one line: graphs a second, of those that ended in that time, without a first one that is
 * not counted. bench/hybrid runs it. */
#include <string.h>

#include "tile_codelets.h"

static xylem_codelet codelets[4];
static xylem_data** data;
static double* factors; /* of the product, two matrices of tiles */
static int is_product;

static void submit_task(step what, int a, int b, int c) {
  xylem_data* const of[][3] = {
      {data[a]}, {data[a], data[b]}, {data[a], data[c]}, {data[a], data[b], data[c]}};
  const xylem_task_options options = {.data = of[what], .priority = what == update ? 0 : 3 - what};
  if (xylem_submit(&codelets[what], &options, NULL) != 0) exit(1);
}

static void wait_for_tasks(void) {
  if (xylem_wait_all() != 0) exit(1);
}

static void submit_product(void) {
  const int count = tiles * tiles;
  for (int i = 0; i < tiles; ++i)
    for (int j = 0; j < tiles; ++j)
      for (int k = 0; k < tiles; ++k)
        submit_task(update, count + tile(i, k), 2 * count + tile(j, k), tile(i, j));
}

static xylem_data* registered(double* at) {
  return xylem_data_matrix(at, (size_t)size, (size_t)size, (size_t)size, sizeof(double));
}

/* Seconds of one graph, with its data's way there and back. */
static double one_graph(void) {
  const int count = tiles * tiles;
  const size_t elements = (size_t)size * (size_t)size;
  if (!is_product) fill();
  const double began = seconds();
  for (int i = 0; i < count; ++i) data[i] = registered(tile_memory(i));
  for (int i = 0; is_product && i < 2 * count; ++i)
    data[count + i] = registered(factors + (size_t)i * elements);
  if (is_product)
    submit_product();
  else
    submit_all();
  wait_for_tasks();
  for (int i = 0; i < (is_product ? 3 : 1) * count; ++i) xylem_data_unregister(data[i]);
  const double took = seconds() - began;
  if (!is_product) check_result();
  return took;
}

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  is_product = strcmp(argv[1], "multiply") == 0;
  take_arguments(argc - 1, argv + 1);
  const size_t elements = (size_t)(tiles * tiles) * (size_t)(size * size);
  data = malloc(3 * sizeof *data * (size_t)(tiles * tiles));
  factors = aligned_alloc(128, 2 * elements * sizeof *factors);
  for (size_t i = 0; i < 2 * elements; ++i) factors[i] = (double)(i % 7) - 3;
  memset(memory, 0, elements * sizeof *memory);
  make_codelets(codelets, *argv[4] != 'd', *argv[4] != 'p');
  one_graph();
  one_graph();
  int graphs = 0;
  double took = 0;
  while (took < atof(argv[5])) {
    took += one_graph();
    ++graphs;
  }
  printf("%.4f\n", graphs / took);
  return 0;
}
