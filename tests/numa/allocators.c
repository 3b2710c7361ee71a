/* Every trait of OpenMP allocators as the kernel sees it: on which node each page is, by which
 * policy, and what is locked. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>

#include "../../include/xylem/memory.h"
#include "expect.h"
#include "kernel_view.h"

enum { pages = 64, threads = 16, most_nodes = 64 };

static omp_alloctrait_value_t pinned_or_not[] = {omp_atv_false, omp_atv_true};

static omp_allocator_handle_t make(omp_alloctrait_value_t partition, omp_alloctrait_value_t pinned,
                                   size_t alignment) {
  omp_alloctrait_t traits[] = {{omp_atk_partition, partition},
                               {omp_atk_pinned, pinned},
                               {omp_atk_alignment, alignment},
                               {omp_atk_fallback, omp_atv_null_fb}};
  return omp_init_allocator(omp_default_mem_space, 4, traits);
}

/* Nodes of the pages that lie wholly inside the block; returns how many. */
static int where(char* block, size_t size, int* nodes) {
  uintptr_t first = ((uintptr_t)block + kernel_page - 1) / kernel_page * kernel_page;
  size_t whole = ((uintptr_t)block + size - first) / kernel_page;
  memset(block, 1, size);
  expect_equal("move_pages", kernel_locate((void*)first, whole * kernel_page, nodes), 0);
  return (int)whole;
}

/* By the kernel's numbers, ascending; returns how many. */
static int nodes_with_memory(int* list) {
  FILE* file = fopen("/sys/devices/system/node/has_memory", "r");
  int count = 0, first, last;
  while (file && fscanf(file, "%d", &first) == 1) {
    last = first;
    if (fscanf(file, "-%d", &last) < 0) last = first;
    for (int node = first; node <= last && count < most_nodes; node++) list[count++] = node;
    if (fgetc(file) != ',') break;
  }
  if (file) fclose(file);
  return count;
}

static int is_in(const int* list, int count, int node) {
  for (int i = 0; i < count; i++)
    if (list[i] == node) return 1;
  return 0;
}

static void nearest(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_nearest, pinned, 64);
  int usable[most_nodes], count_usable = nodes_with_memory(usable), seen[most_nodes] = {0};
#pragma omp parallel num_threads(threads)
  for (size_t size = 200; size <= pages * kernel_page; size = size * 3 + 5) {
    int nodes[pages + 1], node = kernel_node();
    char* block = omp_alloc(size, allocator);
    expect_true("omp_alloc", block != NULL);
    if (!block) continue;
    expect_equal("alignment", (long long)((uintptr_t)block % 64), 0);
    memset(block, 1, size);
    expect_equal("move_pages", kernel_locate(block, size, nodes), 0);
    int count = (int)xylem_memory_pages(block, size);
    if (is_in(usable, count_usable, node) && kernel_node() == node)
      for (int i = 0; i < count; i++) expect_equal("nearest", nodes[i], node);
#pragma omp atomic
    seen[node]++;
    omp_free(block, allocator);
  }
  int from = 0;
  for (int node = 0; node < most_nodes; node++) from += seen[node] > 0;
  if (count_usable > 1) expect_between("nodes that threads asked from", from, 2, most_nodes);
  omp_destroy_allocator(allocator);
}

static void interleaved(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_interleaved, pinned, 16);
  int usable[most_nodes], count_usable = nodes_with_memory(usable), nodes[pages + 1];
  char policy[256], *block = omp_alloc(pages * kernel_page, allocator);
  expect_true("omp_alloc", block != NULL);
  if (!block) return;
  int count = where(block, pages * kernel_page, nodes), on[most_nodes] = {0};
  for (int i = 0; i < count; i++) on[nodes[i] % most_nodes]++;
  for (int i = 0; i < count_usable; i++)
    expect_between("interleaved", on[usable[i]], count / count_usable, count / count_usable + 1);
  for (int i = 1; i < count && count_usable > 1; i++)
    expect_true("neighbours are on different nodes", nodes[i] != nodes[i - 1]);
  kernel_policy(block + kernel_page, policy, sizeof policy);
  if (count_usable > 1) expect_true(policy, strncmp(policy, "interleave:", 11) == 0);
  omp_free(block, allocator);
  omp_destroy_allocator(allocator);
}

static void blocked(omp_alloctrait_value_t pinned) {
  omp_allocator_handle_t allocator = make(omp_atv_blocked, pinned, 16);
  int usable[most_nodes], count_usable = nodes_with_memory(usable), nodes[pages + 1];
  char* block = omp_alloc(pages * kernel_page, allocator);
  expect_true("omp_alloc", block != NULL);
  if (!block) return;
  int count = where(block, pages * kernel_page, nodes), next = 0, on[most_nodes] = {0};
  for (int i = 0; i < count; i++) {
    while (next < count_usable && usable[next] != nodes[i]) next++;
    expect_true("parts follow the order of the nodes", next < count_usable);
    on[nodes[i] % most_nodes]++;
  }
  for (int i = 0; i < count_usable; i++)
    expect_between("pages of a part", on[usable[i]], pages / count_usable - 2,
                   pages / count_usable + 1);
  omp_free(block, allocator);
  omp_destroy_allocator(allocator);
}

static void pinned_pages(omp_alloctrait_value_t partition) {
  omp_allocator_handle_t allocator = make(partition, omp_atv_true, 16);
  long before = kernel_status("VmLck");
  char* block = omp_alloc(pages * kernel_page, allocator);
  expect_true("omp_alloc", block != NULL);
  if (!block) return;
  expect_equal("locked KiB", kernel_status("VmLck") - before, pages * kernel_page / 1024);
  omp_free(block, allocator);
  expect_equal("locked KiB after omp_free", kernel_status("VmLck") - before, 0);
  omp_destroy_allocator(allocator);
}

static void pools_and_fallbacks(omp_alloctrait_value_t partition) {
  omp_alloctrait_t small[] = {{omp_atk_partition, partition},
                              {omp_atk_pool_size, 3 * kernel_page},
                              {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t last = omp_init_allocator(omp_default_mem_space, 3, small);
  void* fits = omp_alloc(2 * kernel_page, last);
  expect_true("a block that fits the pool", fits != NULL);
  expect_true("one that does not", omp_alloc(2 * kernel_page, last) == NULL);
  omp_alloctrait_t chained[] = {{omp_atk_partition, partition},
                                {omp_atk_pool_size, 100},
                                {omp_atk_fallback, omp_atv_allocator_fb},
                                {omp_atk_fb_data, (omp_uintptr_t)last}};
  omp_allocator_handle_t first = omp_init_allocator(omp_default_mem_space, 4, chained);
  void* second = omp_alloc(kernel_page, first);
  expect_true("a block of the fallback", second != NULL);
  expect_true("whose pool is charged", omp_alloc(kernel_page, first) == NULL);
  omp_free(second, first);
  omp_free(fits, last);
  chained[2].value = omp_atv_default_mem_fb;
  omp_allocator_handle_t ordinary = omp_init_allocator(omp_default_mem_space, 3, chained);
  void* large = omp_alloc(pages * kernel_page, ordinary);
  expect_true("a block of ordinary memory", large != NULL);
  omp_free(large, ordinary);
  omp_destroy_allocator(ordinary);
  omp_destroy_allocator(first);
  omp_destroy_allocator(last);
}

static void replicated(void) {
  static char source[3 * kernel_page];
  memset(source, 7, sizeof source);
  int usable[most_nodes], count_usable = nodes_with_memory(usable);
  xylem_replicated* data = xylem_replicated_create(source, sizeof source);
  expect_true("xylem_replicated_create", data != NULL);
  if (!data) return;
#pragma omp parallel num_threads(threads)
  {
    int nodes[4], node = kernel_node();
    const char* mine = xylem_replicated_local(data);
    int stayed = kernel_node() == node && is_in(usable, count_usable, node);
    expect_equal("move_pages", kernel_locate(mine, sizeof source, nodes), 0);
    for (int i = 0; i < 3 && stayed; i++) expect_equal("node of the copy", nodes[i], node);
    expect_equal("what it holds", memcmp(mine, source, sizeof source), 0);
  }
  xylem_replicated_destroy(data);
}

int main(void) {
  if (!xylem_malloc_on_node) return 77;
  static const omp_alloctrait_value_t partitions[] = {omp_atv_nearest, omp_atv_blocked,
                                                      omp_atv_interleaved};
  for (int i = 0; i < 2; i++) {
    nearest(pinned_or_not[i]);
    interleaved(pinned_or_not[i]);
    blocked(pinned_or_not[i]);
  }
  for (int i = 0; i < 3; i++) {
    pinned_pages(partitions[i]);
    pools_and_fallbacks(partitions[i]);
  }
  replicated();
  return expect_result();
}
