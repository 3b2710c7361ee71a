/* Two arrays that one thread has written; then sixteen threads write one of them, in iterations,
 * each its block. Prints the pages of both arrays, first and end, and a sum. With the argument
 * `balanced` the written array is to lie on all four nodes in the end, about as much on each, and
 * the other one where it was, by the kernel's answer. */
#include <stdlib.h>

#include "expect.h"
#include "kernel_view.h"

enum { threads = 16, own = 64, all = threads * own, words = kernel_page / sizeof(double) };
static double *written, *left_alone;
static int before[all], after[all];

static double* array_of_ones(void) {
  double* array = aligned_alloc(kernel_page, sizeof *array * all * words);
  for (int i = 0; i < all * words; i++) array[i] = 1;
  return array;
}

static void add(double what) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int page = 0; page < all; page++)
    for (int word = 0; word < words; word += 8) written[page * words + word] += what;
}

static void expect_balance(void) {
  int on_node[4] = {0};
  expect_equal("move_pages", kernel_locate(written, sizeof *written * all * words, after), 0);
  for (int page = 0; page < all; page++)
    if (after[page] >= 0 && after[page] < 4) on_node[after[page]]++;
  for (int node = 0; node < 4; node++) {
    char what[64];
    snprintf(what, sizeof what, "node %d has %d pages of %d, about a quarter", node, on_node[node],
             (int)all);
    expect_true(what, on_node[node] >= all / 8 && on_node[node] <= all * 3 / 10 + 1);
  }
}

static void show(const char* name, const double* array) {
  const uintptr_t first = (uintptr_t)array / kernel_page;
  printf("%s %zu %zu\n", name, (size_t)first, (size_t)first + all);
}

int main(int argc, char** argv) {
  const int balanced = argc > 1 && strcmp(argv[1], "balanced") == 0;
  written = array_of_ones();
  left_alone = array_of_ones();
  expect_equal("move_pages", kernel_locate(left_alone, sizeof *written * all * words, before), 0);
  for (int i = 0; i < 12; i++) {
    add(1);
    add(2);
  }
  if (balanced) {
    expect_balance();
    expect_equal("move_pages", kernel_locate(left_alone, sizeof *written * all * words, after), 0);
    for (int page = 0; page < all; page++)
      if (after[page] != before[page]) expect_equal("a page's node", after[page], before[page]);
  }
  double sum = 0;
  for (int i = 0; i < all * words; i++) sum += written[i] * (i % 7) + left_alone[i];
  show("written", written);
  show("alone", left_alone);
  printf("sum %.0f\n", sum);
  return expect_result();
}
