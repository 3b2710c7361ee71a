/* Sixteen threads, four on each node, each with its own parts of three arrays that one thread has
 * written: a block of one, every sixteenth page of the second, a block of the third, which is
 * static. Before the first iteration, or after the last, the kernel is asked where each page is. Of
 * the first two arrays it is printed as plans have it, `BYTES,"runs":[[first,count,node],...]`; the
 * pages of the third are to be on the nodes of their threads. Arguments: `before` or `after`,
 * iterations. */
#include <stdlib.h>

#include "expect.h"
#include "kernel_view.h"

enum { threads = 16, own = 64, all = threads * own, words = kernel_page / sizeof(double) };

static double fixed[all * words] __attribute__((aligned(kernel_page)));
static double *blocks, *turns;

static void add(double what) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; t++)
    for (int page = 0; page < own; page++)
      for (int word = 0; word < words; word++) {
        blocks[(t * own + page) * words + word] += what;
        turns[(page * threads + t) * words + word] += what;
        fixed[(t * own + page) * words + word] += what;
      }
}

static int nodes[all + 1];

static void show(const double* array) {
  const size_t bytes = sizeof *array * all * words;
  const uintptr_t first = (uintptr_t)array / kernel_page, end = (uintptr_t)array + bytes;
  const int pages = (int)((end - 1) / kernel_page - first + 1);
  expect_equal("move_pages", kernel_locate(array, bytes, nodes), 0);
  printf("%zu,\"runs\":[", bytes);
  for (int page = 0, next; page < pages; page = next) {
    for (next = page + 1; next < pages && nodes[next] == nodes[page];) next++;
    printf("%s[%d,%d,%d]", page ? "," : "", page, next - page, nodes[page]);
  }
  printf("]\n");
}

static void show_all(void) {
  show(blocks);
  show(turns);
  int there = 0;
  expect_equal("move_pages", kernel_locate(fixed, sizeof fixed, nodes), 0);
  for (int page = 0; page < all; page++) there += nodes[page] == page / own / 4;
  expect_equal("static pages on the nodes of their threads", there, all);
}

int main(int argc, char** argv) {
  const int before = argc > 1 && strcmp(argv[1], "before") == 0;
  const int iterations = argc > 2 ? atoi(argv[2]) : 8;
  blocks = malloc(sizeof *blocks * all * words);
  turns = malloc(sizeof *turns * all * words);
  for (int i = 0; i < all * words; i++) blocks[i] = turns[i] = fixed[i] = 1;
  if (before) show_all();
  for (int i = 0; i < iterations; i++) {
    add(1);
    add(2);
  }
  if (!before) show_all();
  for (int i = 0; i < all * words; i++) {
    const double expected = 1 + 3.0 * iterations;
    if (blocks[i] != expected || turns[i] != expected || fixed[i] != expected)
      return expect_equal("an element", i, -1), expect_result();
  }
  return expect_result();
}
