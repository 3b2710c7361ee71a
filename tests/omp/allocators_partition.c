/* The partition trait: where the pages of blocks are, as xylem/memory.h tells; together with the
 * other traits. On machines of the lab tests/numa/allocators.c asks the kernel. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { page = 4096, pages = 64 };

static omp_allocator_handle_t make(omp_alloctrait_value_t partition, size_t alignment,
                                   omp_alloctrait_value_t pinned) {
  omp_alloctrait_t traits[] = {{omp_atk_partition, partition},
                               {omp_atk_alignment, alignment},
                               {omp_atk_pinned, pinned},
                               {omp_atk_fallback, omp_atv_null_fb}};
  return omp_init_allocator(omp_default_mem_space, 4, traits);
}

/* Nodes of the whole pages inside the block, all touched; returns how many. */
static int where(char* block, size_t size, int* nodes) {
  memset(block, 1, size);
  char* first = (char*)(((uintptr_t)block + page - 1) / page * page);
  size_t whole = (size_t)(block + size - first) / page;
  expect_equal("locate", xylem_memory_locate(first, whole * page, nodes), 0);
  return (int)whole;
}

static void nearest(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_nearest, 64, pinned);
#pragma omp parallel num_threads(8)
  for (size_t size = 2 * page; size <= pages * page; size *= 8) {
    int nodes[pages + 1], node = xylem_current_node();
    char* block = omp_alloc(size, allocator);
    if (!block && pinned == omp_atv_true) continue; /* not allowed to pin so much */
    expect_true("omp_alloc", block != NULL);
    expect_equal("alignment", (long long)((uintptr_t)block % 64), 0);
    int count = where(block, size, nodes);
    if (xylem_current_node() == node)
      for (int i = 0; i < count; i++) expect_equal("nearest", nodes[i], node);
    omp_free(block, allocator);
  }
  omp_destroy_allocator(allocator);
}

static void interleaved(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_interleaved, 16, pinned);
  int nodes[pages + 1], all = xylem_node_count();
  char* block = omp_calloc(pages, page, allocator);
  if (block) {
    expect_equal("a zero", block[pages * page - 1], 0);
    int count = where(block, pages * page, nodes);
    for (int i = 1; i < count; i++) expect_equal("interleaved", nodes[i], (nodes[i - 1] + 1) % all);
    omp_free(block, allocator);
  }
  expect_true("a block, but for one that may not be pinned", block || pinned == omp_atv_true);
  omp_destroy_allocator(allocator);
}

/* One run of pages a node, of about the same length, in the order of the nodes. */
static void blocked(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_blocked, 16, pinned);
  int nodes[pages + 1], all = xylem_node_count(), on_node[64] = {0};
  char* block = omp_alloc(pages * page, allocator);
  if (block) {
    int count = where(block, pages * page, nodes);
    for (int i = 0; i < count; i++) {
      if (i > 0) expect_between("blocked", nodes[i], nodes[i - 1], nodes[i - 1] + 1);
      on_node[nodes[i] % 64]++;
    }
    for (int node = 0; node < all; node++)
      expect_between("pages on a node", on_node[node], pages / all - 2, pages / all + 2);
    block = omp_realloc(block, 2 * pages * page, allocator, allocator);
    if (block) expect_equal("what it held", block[pages * page - 1], 1);
    omp_free(block, allocator);
  }
  omp_destroy_allocator(allocator);
}

static void with_pool_and_fallback(void) {
  omp_alloctrait_t traits[] = {{omp_atk_partition, omp_atv_interleaved},
                               {omp_atk_pool_size, 3 * page},
                               {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 3, traits);
  void* fits = omp_alloc(2 * page, allocator);
  expect_true("a block that fits the pool", fits != NULL);
  expect_true("one that does not", omp_alloc(2 * page, allocator) == NULL);
  omp_free(fits, allocator);
  fits = omp_alloc(3 * page, allocator);
  expect_true("room again", fits != NULL);
  omp_free(fits, allocator);
  traits[2].value = omp_atv_default_mem_fb;
  omp_allocator_handle_t falling = omp_init_allocator(omp_default_mem_space, 3, traits);
  void* ordinary = omp_alloc(100 * page, falling);
  expect_true("a block of the fallback", ordinary != NULL);
  omp_free(ordinary, falling);
  omp_destroy_allocator(falling);
  omp_destroy_allocator(allocator);
}

static void small_blocks(void) {
  omp_allocator_handle_t allocator = make(omp_atv_nearest, 16, omp_atv_false);
  xylem_memory_statistics before, after;
  xylem_memory_query(&before, sizeof before);
#pragma omp parallel num_threads(8)
  for (int i = 0; i < 1000; i++) {
    size_t size = (size_t)(i * 13 % 700 + 1);
    char* block = omp_alloc(size, allocator);
    memset(block, omp_get_thread_num(), size);
    expect_equal("own block", block[size - 1], omp_get_thread_num());
    omp_free(block, allocator);
  }
  xylem_memory_query(&after, sizeof after);
  expect_equal("bytes that live", after.allocated_bytes, before.allocated_bytes);
  omp_destroy_allocator(allocator);
}

int main(int argc, char** argv) {
  if (!xylem_memory_locate) return 77;
  if (argc > 1) { /* XYLEM_MEMORY_POLICY is node:1 */
    omp_allocator_handle_t allocator = make(omp_atv_environment, 16, omp_atv_false);
    int nodes[pages + 1];
    char* block = omp_alloc(pages * page, allocator);
    int count = where(block, pages * page, nodes);
    for (int i = 0; i < count; i++) expect_equal("environment", nodes[i], atoi(argv[1]));
    omp_free(block, allocator);
    return expect_result();
  }
  for (int pinned = 0; pinned < 2; pinned++) {
    nearest(pinned ? omp_atv_true : omp_atv_false);
    interleaved(pinned ? omp_atv_true : omp_atv_false);
    blocked(pinned ? omp_atv_true : omp_atv_false);
  }
  with_pool_and_fallback();
  small_blocks();
  return expect_result();
}
