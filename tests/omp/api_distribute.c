/* include/xylem/memory.h: arrays that are distributed and distributed anew, on any machine: one
 * that is drawn keeps homes of pages in its books, one with one node keeps every page where it is.
 */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { parts = 8, pages = 24, many = 400 };

static size_t page;
static int node_of_part[parts];

static char* map_pages(size_t count) {
  void* start =
      mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) exit(77);
  return start;
}

/* Where the members of the next team will be: asked by the placement that has a page for each. */
static void find_parts(void) {
  char* start = map_pages(parts);
  const xylem_memory_how how = {.placement = xylem_place_spread, .parts = parts};
  expect_equal("spread", xylem_memory_bind(start, parts * page, &how, 0), 0);
  memset(start, 1, parts * page);
  expect_equal("locate", xylem_memory_locate(start, parts * page, node_of_part), 0);
  munmap(start, parts * page);
}

/* Page i belongs to part_of(i). */
static void expect_parts(const char* what, const char* start, int count, int (*part_of)(int)) {
  static int seen[many];
  expect_equal(what, xylem_memory_locate(start, (size_t)count * page, seen), 0);
  for (int i = 0; i < count; i++) expect_equal(what, seen[i], node_of_part[part_of(i)]);
}

static int in_blocks(int i) { return i / (pages / parts); }
static int in_turn(int i) { return i % parts; }
static int in_pairs(int i) { return i / 2 % parts; }
static int in_tiles(int i) { return i % 6 / 3 + 2 * (i / 6); }

static void untouched_arrays(void) {
  const xylem_dimension blocks[] = {{pages, xylem_dimension_block, 0}};
  char* start = map_pages(pages);
  expect_equal("distribute", xylem_distribute(start, page, blocks, 1, parts), 0);
  for (int i = 0; i < pages; i++) {
    int seen;
    xylem_memory_locate(start + (size_t)i * page, page, &seen);
    expect_true("nothing is there yet", seen < 0);
  }
  memset(start, 5, pages * page);
  expect_parts("blocks", start, pages, in_blocks);
  munmap(start, pages * page);
}

/* DISTRIBUTE, then REDISTRIBUTE: the data stays what it was. */
static void anew(void) {
  const xylem_dimension blocks[] = {{page, xylem_dimension_whole, 0},
                                    {pages, xylem_dimension_block, 0}};
  const xylem_dimension turns[] = {{page, xylem_dimension_whole, 0},
                                   {pages, xylem_dimension_cyclic, 0}};
  const xylem_dimension pairs[] = {{page, xylem_dimension_whole, 0},
                                   {pages, xylem_dimension_block_cyclic, 2}};
  const xylem_dimension tiles[] = {{6 * page, xylem_dimension_block, 0},
                                   {4, xylem_dimension_block, 0}};
  size_t moved = 99, wanted = 0;
  char* start = map_pages(pages);
  expect_equal("distribute", xylem_distribute(start, 1, blocks, 2, parts), 0);
  for (int i = 0; i < pages; i++) memset(start + (size_t)i * page, i, page);
  for (int i = 0; i < pages; i++) wanted += node_of_part[in_blocks(i)] != node_of_part[in_turn(i)];
  expect_equal("redistribute", xylem_redistribute(start, 1, turns, 2, parts, &moved), 0);
  expect_equal("pages moved", (long long)moved, (long long)wanted);
  expect_parts("in turn", start, pages, in_turn);
  expect_equal("pairs", xylem_redistribute(start, 1, pairs, 2, parts, NULL), 0);
  expect_parts("in pairs", start, pages, in_pairs);
  expect_equal("tiles", xylem_redistribute(start, 1, tiles, 2, parts, NULL), 0);
  expect_parts("in tiles", start, pages, in_tiles);
  expect_equal("again", xylem_redistribute(start, 1, tiles, 2, parts, &moved), 0);
  expect_equal("nothing moves again", (long long)moved, 0);
  for (int i = 0; i < pages; i++)
    expect_equal("what the pages hold", start[(size_t)i * page + page - 1], i);
  munmap(start, pages * page);
}

/* More runs than the kernel should keep mappings for. */
static void many_runs(void) {
  const xylem_dimension turns[] = {{many, xylem_dimension_cyclic, 0}};
  const xylem_dimension nodes[] = {{many, xylem_dimension_block, 0}};
  static int seen[many];
  char* start = map_pages(many);
  expect_equal("distribute", xylem_distribute(start, page, turns, 1, parts), 0);
  for (int i = 0; i < many; i++) expect_equal("zeros", start[(size_t)i * page], 0);
  memset(start, 1, many * page);
  expect_parts("many in turn", start, many, in_turn);
  expect_equal("a part a node", xylem_redistribute(start, page, nodes, 1, 0, NULL), 0);
  expect_equal("locate", xylem_memory_locate(start, many * page, seen), 0);
  for (int i = 1; i < many; i++) expect_true("nodes ascend", seen[i - 1] <= seen[i]);
  expect_equal("the first node", seen[0], 0);
  expect_equal("the last node", seen[many - 1], xylem_node_count() - 1);
  munmap(start, many * page);
}

static void wrong(void) {
  const xylem_dimension one = {4, xylem_dimension_block, 0}, none = {0, xylem_dimension_block, 0};
  const xylem_dimension strange = {4, 7, 0}, no_chunk = {4, xylem_dimension_block_cyclic, 0};
  const xylem_dimension huge[] = {{(size_t)1 << 40, 0, 0}, {(size_t)1 << 40, 0, 0}};
  char array[64];
  size_t moved = 1;
  expect_equal("no array", xylem_distribute(NULL, 1, &one, 1, 2), EINVAL);
  expect_equal("no element", xylem_distribute(array, 0, &one, 1, 2), EINVAL);
  expect_equal("no dimensions", xylem_distribute(array, 1, &one, 0, 2), EINVAL);
  expect_equal("too many", xylem_distribute(array, 1, &one, 8, 2), EINVAL);
  expect_equal("no extent", xylem_distribute(array, 1, &none, 1, 2), EINVAL);
  expect_equal("no such kind", xylem_distribute(array, 1, &strange, 1, 2), EINVAL);
  expect_equal("no chunk", xylem_redistribute(array, 1, &no_chunk, 1, 2, &moved), EINVAL);
  expect_equal("nothing moved", (long long)moved, 0);
  expect_equal("no parts", xylem_distribute(array, 1, &one, 1, -1), EINVAL);
  expect_equal("larger than memory", xylem_distribute(array, 1, huge, 2, 2), EINVAL);
}

int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  if (!xylem_distribute) return 77;
  omp_set_num_threads(parts);
  find_parts();
  untouched_arrays();
  anew();
  many_runs();
  wrong();
  return expect_result();
}
