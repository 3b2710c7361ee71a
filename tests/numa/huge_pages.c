/* Parts of transparent huge pages are moved and bound, and nothing else goes along: each page where
 * the kernel says it is. What goes whole stays a huge page. 77 where there are no huge pages. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"
#include "kernel_view.h"

enum { huge = 2 << 20, in_huge = huge / kernel_page, all_huge = 2, all = all_huge * in_huge };

static int nodes[all];

static long huge_kilobytes(void) {
  char line[256];
  long value = -1;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "AnonHugePages: %ld", &value);
  if (file) fclose(file);
  return value;
}

/* Two huge pages on node 0, filled. */
static char* make(void) {
  char* map =
      mmap(NULL, (all_huge + 1) * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) exit(77);
  char* start = map + (huge - (uintptr_t)map % huge) % huge;
  madvise(start, all_huge * huge, MADV_HUGEPAGE);
  for (size_t i = 0; i < all_huge * huge; i++) start[i] = (char)(i / kernel_page + i % 7);
  if (huge_kilobytes() < all_huge * huge / 1024) exit(77);
  expect_equal("xylem_memory_move of all", xylem_memory_move(start, all_huge * huge, 0, NULL), 0);
  return start;
}

static void expect_data(const char* start) {
  int wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (size_t i = 0; i < all_huge * huge; i++) wrong += start[i] != (char)(i / kernel_page + i % 7);
  expect_equal("bytes that changed", wrong, 0);
}

static void expect_nodes(const char* what, const char* start, int first, int count, int node) {
  int there = 0;
  expect_equal("move_pages", kernel_locate(start, all_huge * huge, nodes), 0);
  for (int page = first; page < first + count; page++) there += nodes[page] == node;
  expect_equal(what, there, count);
}

static void move_a_part(void) {
  char* start = make();
  size_t moved = 0;
  expect_equal("xylem_memory_move of a part",
               xylem_memory_move(start + 100 * kernel_page, 200 * kernel_page, 2, &moved), 0);
  expect_equal("pages that moved", (long long)moved, 200);
  expect_nodes("pages before the part", start, 0, 100, 0);
  expect_nodes("pages of the part", start, 100, 200, 2);
  expect_nodes("pages behind the part", start, 300, all - 300, 0);
  expect_equal("kilobytes in huge pages", huge_kilobytes(), (all_huge - 1) * huge / 1024);
  expect_data(start);
  munmap(start, all_huge * huge);
}

static void move_whole(void) {
  char* start = make();
  expect_equal("xylem_memory_move of one", xylem_memory_move(start + huge, huge, 3, NULL), 0);
  expect_nodes("pages of the other one", start, 0, in_huge, 0);
  expect_nodes("pages of the one that moved", start, in_huge, in_huge, 3);
  expect_equal("kilobytes in huge pages", huge_kilobytes(), all_huge * huge / 1024);
  /* Its first half is there: nothing moves, and nothing is split. */
  expect_equal("xylem_memory_move to where it is",
               xylem_memory_move(start + huge, huge / 2, 3, NULL), 0);
  expect_equal("kilobytes in huge pages", huge_kilobytes(), all_huge * huge / 1024);
  expect_data(start);
  munmap(start, all_huge * huge);
}

static void deal_out(void) {
  char* start = make();
  const xylem_memory_how how = {xylem_place_interleaved, 0, 0, 0, 0};
  expect_equal("xylem_memory_bind", xylem_memory_bind(start, all_huge * huge, &how, 1), 0);
  for (int page = 0; page < all; page++)
    expect_nodes("a page that was dealt out", start, page, 1,
                 (int)(((uintptr_t)start / kernel_page + page) % 4));
  expect_data(start);
  munmap(start, all_huge * huge);
}

int main(void) {
  if (!xylem_memory_move || xylem_node_count() != 4) return 77;
  move_a_part();
  move_whole();
  deal_out();
  return expect_result();
}
