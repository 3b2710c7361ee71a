/* Uses all of include/xylem/memory.h and OpenMP's allocators, whatever the kernel refuses.
 *
 * Invariant: what was written is what is read, after every call; every pointer is a whole block or
 * NULL; every int is 0 or one of the errors that the header promises. Functions that the library
 * does not have are left out. expect_failures (expect.h) counts what did not hold. */
#pragma once

#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "../omp/expect.h"

enum { whole_threads = 4, whole_pages = 24, whole_small = 300 };

static size_t whole_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* --- data that is known ------------------------------------------------------------------------
 */

static void whole_fill(void* block, size_t size, int seed) {
  unsigned char* bytes = block;
  for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(i * 31 + i / 4096 + (size_t)seed);
}

static void whole_expect(const char* what, const void* block, size_t size, int seed) {
  const unsigned char* bytes = block;
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] == (unsigned char)(i * 31 + i / 4096 + (size_t)seed)) continue;
    expect_true(what, 0);
    return;
  }
}

/* 0, or what the header says of a kernel without memory or will. */
static void whole_expect_error(const char* what, int error) {
  int promised = error == 0 || error == ENOMEM || error == EPERM || error == ENOSYS;
  if (!promised && expect_failed()) fprintf(stderr, "FAIL: %s: error %d\n", what, error);
}

/* --- parts -------------------------------------------------------------------------------------
 */

static void whole_block(const char* what, void* block, size_t size, int seed) {
  if (block == NULL) {
    expect_equal(what, errno, ENOMEM);
    return;
  }
  whole_fill(block, size, seed);
  void* larger = xylem_realloc ? xylem_realloc(block, 3 * size) : NULL;
  if (larger != NULL) block = larger;
  whole_expect(what, block, size, seed);
  if (larger != NULL) whole_fill(block, 3 * size, seed + 1);
  void* smaller = xylem_realloc ? xylem_realloc(block, size / 2) : NULL;
  if (smaller != NULL) block = smaller;
  whole_expect(what, block, size / 2, larger != NULL ? seed + 1 : seed);
  xylem_free(block);
}

static void whole_allocating(void) {
  if (!xylem_malloc_placed || !xylem_free) return;
  const size_t sizes[] = {whole_small, whole_pages * whole_page()};
  for (int placement = xylem_place_default; placement <= xylem_place_spread; placement++) {
    for (int i = 0; i < 4; i++) {
      xylem_memory_how how = {.placement = placement, .node = xylem_node_count() - 1};
      how.parts = i % 2 ? 3 : 0;
      how.huge = i / 2 && placement == xylem_place_interleaved;
      size_t size = sizes[i / 2];
      whole_block("a placed block", xylem_malloc_placed(size, &how), size, placement + i);
    }
  }
  unsigned char* zeros = xylem_calloc ? xylem_calloc(50, whole_page()) : NULL;
  for (size_t i = 0; zeros != NULL && i < 50 * whole_page(); i += 100)
    expect_equal("a byte of xylem_calloc", zeros[i], 0);
  xylem_free(zeros);
}

static void whole_replicated(void) {
  if (!xylem_replicated_create) return;
  unsigned char source[5000];
  whole_fill(source, sizeof source, 5);
  xylem_replicated* data = xylem_replicated_create(source, sizeof source);
  if (data == NULL) {
    expect_equal("errno of xylem_replicated_create", errno, ENOMEM);
    return;
  }
#pragma omp parallel num_threads(whole_threads)
  whole_expect("a copy", xylem_replicated_local(data), sizeof source, 5);
  whole_fill(xylem_replicated_master(data), sizeof source, 6);
  int error = xylem_replicated_refresh(data, 0, sizeof source);
  whole_expect_error("xylem_replicated_refresh", error);
#pragma omp parallel num_threads(whole_threads)
  if (error == 0) whole_expect("a new copy", xylem_replicated_local(data), sizeof source, 6);
  xylem_replicated_destroy(data);
}

static void whole_moving(char* start, size_t size) {
  const xylem_memory_how interleaved = {.placement = xylem_place_interleaved};
  size_t moved = 0;
  for (int node = 0; node < xylem_node_count(); node++) {
    xylem_node_info info = {0};
    if (xylem_node_query(node, &info, sizeof info) != 0 || info.total <= 0) continue;
    int error = xylem_memory_move(start, size, node, &moved);
    whole_expect_error("xylem_memory_move", error);
    expect_between("pages moved", (long long)moved, 0, whole_pages);
    whole_expect("moved data", start, size, 7);
  }
  whole_expect_error("xylem_memory_bind", xylem_memory_bind(start, size, &interleaved, 1));
  whole_expect("bound data", start, size, 7);
}

static void whole_located(const char* start, size_t size) {
  int nodes[whole_pages];
  expect_equal("pages of the range", (long long)xylem_memory_pages(start, size), whole_pages);
  if (xylem_memory_locate(start, size, nodes) != 0) return;
  for (int i = 0; i < whole_pages; i++)
    expect_between("a page's node", nodes[i], -EBUSY * 10, xylem_node_count() - 1);
}

static void whole_owned(char* start, size_t size) {
  int known = xylem_memory_register(start, size);
  whole_expect_error("xylem_memory_register", known);
  if (known != 0) return;
  void* parts[3] = {start, start, start};
  int split = xylem_memory_split(start, 3, parts);
  whole_expect_error("xylem_memory_split", split);
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num();
    size_t moved = 0;
    if (split == 0 && xylem_memory_attach(parts[me]) == 0)
      whole_expect_error("to its owner", xylem_memory_move_to_owner(parts[me], &moved));
  }
  whole_expect("data of owners", start, size, 7);
  if (split == 0) whole_expect_error("a detach", xylem_memory_detach(parts[0]));
  expect_equal("xylem_memory_unregister", xylem_memory_unregister(start), 0);
}

static void whole_next_touch(char* start, size_t size) {
  if (!xylem_memory_move_on_next_touch) return;
  int error = xylem_memory_move_on_next_touch(start, size);
  whole_expect_error("xylem_memory_move_on_next_touch", error);
  int ends[2]; /* the kernel touches, too */
  if (pipe(ends) == 0) {
    char got[64] = {0};
    expect_equal("write(2) of marked memory", write(ends[1], start, sizeof got), sizeof got);
    expect_equal("read(2)", read(ends[0], got, sizeof got), sizeof got);
    whole_expect("what went through a pipe", got, sizeof got, 7);
    close(ends[0]);
    close(ends[1]);
  }
#pragma omp parallel num_threads(whole_threads)
  whole_expect("data that was touched", start, size, 7);
  whole_expect_error("a second mark", xylem_memory_move_on_next_touch(start, size));
  whole_expect_error("xylem_memory_forget_next_touch", xylem_memory_forget_next_touch(start, size));
  if (error == 0) expect_equal("marks", (long long)xylem_memory_marked(start, size), 0);
  whole_expect("data after marks", start, size, 7);
}

static void whole_hints(char* start, size_t size) {
  if (!xylem_hint_next || !xylem_hint_apply) return;
  size_t part = size / whole_threads;
  for (int i = 0; i < whole_threads; i++)
    whole_expect_error("xylem_hint_next",
                       xylem_hint_next(i, start + (size_t)i * part, part, xylem_use_both, 10));
#pragma omp parallel num_threads(whole_threads)
  {
    int me = omp_get_thread_num();
    whole_expect("hinted data", start, size, 7);
#pragma omp barrier
    whole_expect_error("xylem_hint", xylem_hint(start + (size_t)(whole_threads - 1 - me) * part,
                                                part, xylem_use_read, 100));
    whole_expect_error("xylem_hint_apply", xylem_hint_apply(xylem_apply_team));
    whole_expect("data after hints", start, size, 7);
  }
}

static void whole_ranges(void) {
  if (!xylem_memory_move || !xylem_memory_register) return;
  size_t size = whole_pages * whole_page();
  char* start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return;
  whole_fill(start, size, 7);
  whole_moving(start, size);
  whole_located(start, size);
  whole_owned(start, size);
  whole_next_touch(start, size);
  whole_hints(start, size);
  munmap(start, size);
}

static void whole_omp_allocators(void) {
  static const omp_uintptr_t partitions[] = {omp_atv_environment, omp_atv_nearest, omp_atv_blocked,
                                             omp_atv_interleaved};
  for (int i = 0; i < 8; i++) {
    omp_alloctrait_t traits[] = {
        {omp_atk_partition, partitions[i / 2]},
        {omp_atk_fallback, i % 2 ? omp_atv_null_fb : omp_atv_default_mem_fb},
        {omp_atk_alignment, 256}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 3, traits);
    if (allocator == omp_null_allocator) continue;
    size_t size = whole_pages * whole_page() / (i < 4 ? 1 : 100);
#pragma omp parallel num_threads(whole_threads)
    {
      int me = omp_get_thread_num();
      char* block = omp_alloc(size, allocator);
      expect_true("a block with a fallback", block != NULL || i % 2);
      if (block != NULL) {
        expect_equal("its alignment", (long long)((uintptr_t)block % 256), 0);
        whole_fill(block, size, me);
        whole_expect("a block of an allocator", block, size, me);
      }
      omp_free(block, allocator);
    }
    omp_destroy_allocator(allocator);
  }
}

static void whole_questions(void) {
  xylem_memory_statistics all = {0};
  if (xylem_memory_query) expect_equal("query", xylem_memory_query(&all, sizeof all), 0);
  expect_true("refused calls", all.refused >= 0);
  if (xylem_current_node) expect_between("node", xylem_current_node(), -1, xylem_node_count() - 1);
  if (!xylem_memory_cost) return;
  expect_true("the cost of reading", xylem_memory_cost(xylem_cost_read, 0, 0, 1 << 20) > 0);
  expect_true("the cost of writing", xylem_memory_cost(xylem_cost_write, 0, 0, 1 << 20) > 0);
  expect_true("no such node's", xylem_memory_cost(xylem_cost_read, 0, 1 << 20, 1) < 0);
  if (xylem_node_count() > 1)
    expect_true("the cost of a move", xylem_memory_cost(xylem_cost_move, 0, 1, 1 << 20) > 0);
}

/* What lives when all is done, so that nothing is lost on the way. Heaps keep ranges of theirs. */
static long long whole_living(void) {
  xylem_memory_statistics all = {0};
  if (xylem_memory_query) xylem_memory_query(&all, sizeof all);
  return all.allocated_bytes;
}

static void use_whole_api(void) {
  long long before = whole_living();
  if (xylem_node_count) whole_allocating();
  whole_replicated();
  whole_ranges();
  whole_omp_allocators();
  whole_questions();
  expect_equal("bytes that are left over", whole_living(), before);
}
