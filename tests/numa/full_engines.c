/* Sixteen threads, four on each node, each with a block of an array that one thread has written,
 * while the memory of one node is full; later room is made. Prints sums of the array. Argument:
 * `moved`: pages are to follow their threads, but for those of the full node until there is room.
 */
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "expect.h"
#include "kernel_view.h"

enum {
  threads = 16,
  own = 512,
  all = threads * own,
  words = kernel_page / sizeof(double),
  line = 8
};
enum {
  full_node = 2,
  block_pages = 64,
  block_bytes = block_pages * kernel_page,
  most_blocks = 8192
};

static double* array;
static char* blocks[most_blocks];
static int block_count;
static int nodes[all + 1];

static int pages_on_node(const void* start, size_t pages, int node) {
  int there = 0;
  expect_equal("move_pages", kernel_locate(start, pages * kernel_page, nodes), 0);
  for (size_t page = 0; page < pages; page++) there += nodes[page] == node;
  return there;
}

/* Until two blocks in a row did not come to lie on the node whole. */
static void fill_node(void) {
  unsigned long wanted = 1ul << full_node;
  for (int elsewhere = 0; block_count < most_blocks && elsewhere < 2; block_count++) {
    char* block =
        mmap(NULL, block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect_true("a mapping", block != MAP_FAILED);
    expect_equal("mbind", syscall(SYS_mbind, block, block_bytes, MPOL_PREFERRED, &wanted, 64, 0),
                 0);
    memset(block, block_count, block_bytes);
    blocks[block_count] = block;
    elsewhere = pages_on_node(block, block_pages, full_node) == block_pages ? 0 : elsewhere + 1;
  }
  expect_true("the node has become full", block_count < most_blocks);
}

static void make_room(void) {
  for (int i = 0; i < block_count; i++) {
    const char seen = blocks[i][block_bytes - 1];
    if (seen != (char)i) expect_equal("a byte of the filled node", seen, (char)i);
    munmap(blocks[i], block_bytes);
  }
}

static void add(double what) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int page = 0; page < all; page++)
    for (int word = 0; word < words; word += line) array[page * words + word] += what;
}

static void iterate(int iterations) {
  for (int i = 0; i < iterations; i++) {
    add(1);
    add(2);
  }
}

/* Pages of the threads of each node that are on the node. */
static void expect_pages(int on_full_node) {
  for (int node = 0; node < 4; node++) {
    const size_t pages = all / 4;
    char what[64];
    snprintf(what, sizeof what, "pages of node %d on it", node);
    expect_equal(what, pages_on_node(array + node * pages * words, pages, node),
                 node == full_node ? on_full_node : (int)pages);
  }
}

int main(int argc, char** argv) {
  const int moved = argc > 1 && strcmp(argv[1], "moved") == 0;
  array = aligned_alloc(kernel_page, sizeof *array * all * words);
  for (int i = 0; i < all * words; i++) array[i] = i % words;
  fill_node();
  iterate(8);
  if (moved) expect_pages(0);
  make_room();
  iterate(8);
  if (moved) expect_pages(all / 4);
  double sum = 0;
  for (int i = 0; i < all * words; i += line) {
    if (array[i] != i % words + 3.0 * 16) return expect_equal("an element", i, -1), expect_result();
    sum += array[i] * (i / words);
  }
  printf("sum %.0f\n", sum);
  return expect_result();
}
