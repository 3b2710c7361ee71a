/* A million blocks that threads pass on to each other, for tests of include/xylem/memory.h: each
 * block is on the node it was asked for, holds what was written, and nothing is left. */
#ifndef XYLEM_TESTS_BLOCKS_H
#define XYLEM_TESTS_BLOCKS_H

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { exchange_slots = 1024, looked_at = 256 };

typedef struct {
  uint32_t node, size;
} block_begin;

static void* exchange[exchange_slots];

/* Who says where pages are: nodes[i] is that of page i; 0 or an errno value. */
static int (*locate)(const void* start, size_t size, int* nodes);

static uint32_t next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static char* new_block(uint32_t node, uint32_t size) {
  char* block = xylem_malloc_on_node(size, (int)node);
  if (!block) return NULL;
  memset(block, (int)(size ^ node), size);
  memcpy(block, &(block_begin){node, size}, sizeof(block_begin));
  return block;
}

/* With `look` its pages are looked for, too. */
static void end_block(char* block, int look) {
  block_begin begin;
  int nodes[8];
  memcpy(&begin, block, sizeof begin);
  expect_equal("last byte", block[begin.size - 1], (char)(begin.size ^ begin.node));
  if (look) {
    size_t pages = xylem_memory_pages(block, begin.size);
    expect_equal("locate", locate(block, begin.size, nodes), 0);
    for (size_t i = 0; i < pages; i++) expect_equal("node of a block", nodes[i], begin.node);
  }
  xylem_free(block);
}

static void use_blocks(uint64_t seed, int count, int nodes) {
  for (int i = 0; i < count; i++) {
    uint32_t node = next_random(&seed) % (uint32_t)nodes;
    uint32_t size = next_random(&seed) % 16 == 0 ? 16 + next_random(&seed) % 12000
                                                 : 16 + next_random(&seed) % 300;
    char* block = new_block(node, size);
    expect_true("a block", block != NULL);
    if (!block) return;
    char* other = __atomic_exchange_n(&exchange[next_random(&seed) % exchange_slots], block,
                                      __ATOMIC_ACQ_REL);
    if (other) end_block(other, i % looked_at == 0);
  }
}

static void end_exchange(void) {
  for (int i = 0; i < exchange_slots; i++) {
    if (exchange[i]) end_block(exchange[i], 1);
    exchange[i] = NULL;
  }
}

static long long allocated_bytes(void) {
  xylem_memory_statistics statistics;
  expect_equal("query", xylem_memory_query(&statistics, sizeof statistics), 0);
  return statistics.allocated_bytes;
}

static void pass_blocks_on(int threads, int each) {
  int nodes = xylem_node_count();
  long long before = allocated_bytes();
#pragma omp parallel num_threads(threads)
  use_blocks((uint64_t)omp_get_thread_num() * 977 + 1, each, nodes);
  end_exchange();
  expect_equal("bytes in blocks that live", allocated_bytes(), before);
}

#endif
