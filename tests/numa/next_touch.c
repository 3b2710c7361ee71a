/* Next touch in a machine with several nodes: each page comes to the node of the thread that
 * touches it first, once, as the kernel says; by instructions and in system calls; whatever policy
 * the pages had; and the statistics say so. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { pages = 96, processors_at_most = 64, nodes_at_most = 16 };

static size_t page;
static int node_of_cpu[processors_at_most]; /* the kernel's; -1: no such processor */
static int cpu_of_node[nodes_at_most];      /* one; -1: none */
static int used[nodes_at_most], used_count; /* nodes with processors and memory */

static int where(const void* at) {
  void* start = (void*)((unsigned long)at / page * page);
  int status = -ENOENT;
  if (syscall(SYS_move_pages, 0, 1UL, &start, NULL, &status, 0) != 0) return -errno;
  return status;
}

static void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    perror("sched_setaffinity");
    exit(1);
  }
}

static char* map_pages(size_t count) {
  char* start =
      mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) exit(77);
  return start;
}

/* Learns nodes by touching a page from each processor. */
static void learn(void) {
  for (int node = 0; node < nodes_at_most; node++) cpu_of_node[node] = -1;
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0; cpu < processors_at_most; cpu++) {
    node_of_cpu[cpu] = -1;
    if (!CPU_ISSET(cpu, &all)) continue;
    run_on(cpu);
    unsigned node = 0;
    syscall(SYS_getcpu, NULL, &node, NULL);
    char* probe = map_pages(1);
    *probe = 1;
    node_of_cpu[cpu] = (int)node;
    if (where(probe) == (int)node && cpu_of_node[node] < 0) {
      cpu_of_node[node] = cpu;
      used[used_count++] = (int)node;
    }
    munmap(probe, page);
  }
  sched_setaffinity(0, sizeof all, &all);
}

static char* filled(int node) {
  char* start = map_pages(pages);
  run_on(cpu_of_node[node]);
  for (size_t i = 0; i < pages * page; i++) start[i] = (char)(i * 7 + i / page);
  return start;
}

static void expect_contents(const char* what, const char* start, size_t first, size_t count) {
  long wrong = 0;
  for (size_t i = first * page; i < (first + count) * page; i++)
    wrong += start[i] != (char)(i * 7 + i / page);
  expect_equal(what, wrong, 0);
}

static void expect_on(const char* what, const char* start, size_t first, size_t count, int node) {
  for (size_t i = first; i < first + count; i++) expect_equal(what, where(start + i * page), node);
}

static xylem_memory_statistics statistics(void) {
  xylem_memory_statistics now;
  memset(&now, 0, sizeof now);
  xylem_memory_query(&now, sizeof now);
  return now;
}

static void mark(char* start) {
  expect_equal("xylem_memory_move_on_next_touch",
               xylem_memory_move_on_next_touch(start, pages * page), 0);
  expect_equal("marked", (long)xylem_memory_marked(start, pages * page), pages);
}

/* Each node touches a part; then each touches all, and no page moves again. */
static void each_page_to_its_toucher(void) {
  char* start = filled(used[0]);
  expect_on("before", start, 0, pages, used[0]);
  const xylem_memory_statistics before = statistics();
  mark(start);
  expect_equal("marked_pages", statistics().marked_pages - before.marked_pages, pages);
  const int part = pages / used_count;
  for (int n = 0; n < used_count; n++) {
    run_on(cpu_of_node[used[n]]);
    expect_contents("contents", start, (size_t)(n * part), (size_t)part);
    expect_on("touched by its node", start, (size_t)(n * part), (size_t)part, used[n]);
  }
  for (int n = 0; n < used_count; n++) {
    run_on(cpu_of_node[used[n]]);
    expect_contents("contents", start, 0, (size_t)(part * used_count));
  }
  for (int n = 0; n < used_count; n++)
    expect_on("touched again", start, (size_t)(n * part), (size_t)part, used[n]);
  expect_equal("moved_on_touch", statistics().moved_on_touch - before.moved_on_touch,
               part * (used_count - 1));
  munmap(start, pages * page);
}

static void in_system_calls(void) {
  char* start = filled(used[0]);
  int ends[2];
  if (pipe(ends) != 0) exit(1);
  const int node = used[used_count - 1];
  mark(start);
  run_on(cpu_of_node[node]);
  char* copy = malloc(page);
  for (size_t i = 0; i < pages; i++) {
    expect_equal("write", write(ends[1], start + i * page, page), (long)page);
    expect_equal("read", read(ends[0], copy, page), (long)page);
    expect_equal("what was read", memcmp(copy, start + i * page, page), 0);
  }
  expect_on("touched by write()", start, 0, pages, node);
  mark(start);
  run_on(cpu_of_node[used[0]]);
  for (size_t i = 0; i < pages; i++) {
    memset(copy, (int)i, page);
    expect_equal("write", write(ends[1], copy, page), (long)page);
    expect_equal("read", read(ends[0], start + i * page, page), (long)page);
  }
  expect_on("touched by read()", start, 0, pages, used[0]);
  close(ends[0]);
  close(ends[1]);
  free(copy);
  munmap(start, pages * page);
}

/* Pages that were bound elsewhere, pages never touched, pages in larger ones. */
static void whatever_they_were(void) {
  const int node = used[used_count - 1];
  const xylem_memory_how how = {xylem_place_node, 0, 0, 0, 0};
  char* placed = xylem_malloc_placed ? xylem_malloc_placed(pages * page, &how) : NULL;
  if (placed) {
    memset(placed, 3, pages * page);
    mark(placed);
    run_on(cpu_of_node[node]);
    for (size_t i = 0; i < pages; i++) expect_equal("byte", placed[i * page], 3);
    expect_on("placed elsewhere before", placed, 0, pages, node);
    /* A policy that comes after the mark. */
    mark(placed);
    xylem_memory_bind(placed, pages * page, &how, 0);
    run_on(cpu_of_node[used[1]]);
    for (size_t i = 0; i < pages; i++) expect_equal("byte", placed[i * page], 3);
    expect_on("bound after the mark", placed, 0, pages, used[1]);
    xylem_free(placed);
  }
  char* fresh = map_pages(pages);
  mark(fresh);
  run_on(cpu_of_node[node]);
  for (size_t i = 0; i < pages; i += 2) expect_equal("zero", fresh[i * page], 0);
  run_on(cpu_of_node[used[0]]);
  for (size_t i = 1; i < pages; i += 2) fresh[i * page] = 1;
  for (size_t i = 0; i < pages; i++)
    expect_equal("never touched before", where(fresh + i * page), i % 2 ? used[0] : node);
  munmap(fresh, pages * page);
  const size_t huge = 2 << 20;
  char* large = map_pages(2 * huge / page);
  char* aligned = (char*)(((unsigned long)large + huge - 1) / huge * huge);
  madvise(aligned, huge, MADV_HUGEPAGE);
  run_on(cpu_of_node[used[0]]);
  memset(aligned, 5, huge);
  expect_equal("mark huge pages", xylem_memory_move_on_next_touch(aligned, huge), 0);
  run_on(cpu_of_node[node]);
  for (size_t i = 0; i < huge; i += page) expect_equal("byte", aligned[i], 5);
  expect_on("huge pages", aligned, 0, huge / page, node);
  munmap(large, 2 * huge);
}

static void forgotten(void) {
  char* start = filled(used[0]);
  mark(start);
  run_on(cpu_of_node[used[used_count - 1]]);
  expect_equal("forget", xylem_memory_forget_next_touch(start, pages * page), 0);
  expect_equal("marked", (long)xylem_memory_marked(start, pages * page), 0);
  expect_on("forgotten", start, 0, pages, used[0]);
  expect_contents("contents", start, 0, pages);
  munmap(start, pages * page);
}

static void forked(void) {
  char* start = filled(used[0]);
  mark(start);
  run_on(cpu_of_node[used[1]]);
  expect_contents("contents", start, 0, 10);
  const pid_t child = fork();
  if (child == 0) {
    expect_contents("the child's contents", start, 0, pages);
    mark(start);
    run_on(cpu_of_node[used[used_count - 1]]);
    memset(start, 1, pages * page);
    expect_on("the child's pages", start, 0, pages, used[used_count - 1]);
    _exit(expect_result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal("the child", status, 0);
  expect_on("pages that were touched before fork()", start, 0, 10, used[1]);
  expect_contents("contents", start, 0, pages);
  munmap(start, pages * page);
}

/* The members of a team touch what they use, interleaved. */
static void by_a_team(void) {
  char* start = filled(used[0]);
  int node_of_page[pages];
  mark(start);
#pragma omp parallel num_threads(8)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < pages; i++) {
      expect_contents("contents", start, (size_t)i, 1);
      unsigned node = 0;
      syscall(SYS_getcpu, NULL, &node, NULL);
      node_of_page[i] = (int)node;
    }
  }
  int elsewhere = 0;
  for (int i = 0; i < pages; i++) {
    expect_equal("touched by a member", where(start + i * page), node_of_page[i]);
    elsewhere += node_of_page[i] != used[0];
  }
  expect_equal("members ran on other nodes", elsewhere > 0, 1);
  munmap(start, pages * page);
}

int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  xylem_node_count(); /* the runtime sees the machine before this thread binds itself */
  learn();
  if (used_count < 2) return 77;
  by_a_team();
  sched_setaffinity(0, sizeof all, &all);
  each_page_to_its_toucher();
  in_system_calls();
  whatever_they_were();
  forgotten();
  forked();
  return expect_result();
}
