/* Next touch of include/xylem/memory.h from OpenMP programs, on any machine: run on a synthetic
 * machine with two nodes, so that pages are marked in earnest. Members of teams touch the same and
 * other pages, in tasks and in critical sections; the process forks inside and outside of regions;
 * blocks are freed and made larger. "exit": the process ends with marks, its first thread before
 * others. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "expect.h"
#include "quiet_fork.h"

enum { threads = 8, pages = 256, page = 4096, words = page / sizeof(long), rounds = 20 };
static long in_bss[pages * words] __attribute__((aligned(4096)));

static long* map_pages(void) {
  void* start =
      mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) exit(77);
  return start;
}

static void fill(long* at) {
  for (long i = 0; i < pages * words; i++) at[i] = i * 3 + 1;
}

static long wrong(const long* at, long first, long last) {
  long count = 0;
  for (long i = first * words; i < last * words; i++) count += at[i] != i * 3 + 1;
  return count;
}

static void mark(long* at) {
  expect_equal("mark", xylem_memory_move_on_next_touch(at, pages * page), 0);
}

/* All members read all pages at once, then each writes its own. */
static void teams(long* at) {
  fill(at);
  for (int round = 0; round < rounds; round++) {
    mark(at);
    long bad = 0;
#pragma omp parallel num_threads(threads) reduction(+ : bad)
    bad += wrong(at, 0, pages);
    expect_equal("words", bad, 0);
    mark(at);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (long p = 0; p < pages; p++)
      for (long i = p * words; i < (p + 1) * words; i++) at[i] += round;
    for (long i = 0; i < pages * words; i++) at[i] -= round;
    expect_equal("words after writing", wrong(at, 0, pages), 0);
  }
  expect_equal("marked", (long)xylem_memory_marked(at, pages * page), 0);
}

/* Touches while the runtime's and the program's locks are held, and by tasks anywhere. */
static void tasks_and_locks(long* at) {
  fill(at);
  mark(at);
  long bad = 0, sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    for (long p = 0; p < pages; p++)
#pragma omp task depend(inout : at[p * words]) shared(bad) firstprivate(p)
    {
      long mine = wrong(at, p, p + 1);
#pragma omp atomic
      bad += mine;
    }
#pragma omp critical
    sum += at[(long)omp_get_thread_num() * words];
  }
  expect_equal("words of tasks", bad, 0);
  expect_true("words under a lock", sum > 0);
}

static void child_sees(const char* what, long* at) {
  const pid_t child = omp_in_parallel() ? fork() : fork_when_quiet();
  if (child == 0) {
    if (wrong(at, 0, pages) != 0) _exit(1);
    mark(at);
    long bad = 0;
#pragma omp parallel num_threads(4) reduction(+ : bad)
    bad += wrong(at, 0, pages);
    _exit(bad == 0 && expect_result() == 0 ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal(what, status, 0);
  expect_equal("the parent's words", wrong(at, 0, pages), 0);
}

static void forks(long* at) {
  fill(at);
  mark(at);
  child_sees("a child", at);
  if (only_quiet_forks) return;
  mark(at);
#pragma omp parallel num_threads(4)
  {
    expect_equal("a member's words", wrong(at, 0, 5), 0);
#pragma omp master
    child_sees("a child of a team's member", at);
  }
}

static void blocks(void) {
  const size_t bytes = 4 << 20;
  char* block = malloc(bytes);
  for (int round = 0; round < rounds; round++) {
    memset(block, round + 1, bytes);
    expect_equal("mark a block", xylem_memory_move_on_next_touch(block, bytes), 0);
    block = realloc(block, bytes + (size_t)round * 100000);
    long bad = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : bad)
    for (size_t i = 0; i < bytes; i++) bad += block[i] != round + 1;
    expect_equal("bytes of a block", bad, 0);
    expect_equal("mark a block", xylem_memory_move_on_next_touch(block, bytes), 0);
    if (round % 2) {
      free(block);
      block = malloc(bytes);
    }
  }
  free(block);
}

static void* last_touches(void* at) {
  usleep(100000); /* the first thread has ended by then, or ends with this one */
  return wrong(at, 0, pages) == 0 ? NULL : (_exit(1), NULL);
}

int main(int argc, char** argv) {
  (void)argv;
  if (!xylem_memory_move_on_next_touch) return 77;
  long* at = map_pages();
  if (xylem_memory_move_on_next_touch(at, page) != 0) {
    fprintf(stderr, "skipped: this process may not watch pages\n");
    return 77;
  }
  if (argc > 1) {
    fill(at);
    mark(at);
    pthread_t other;
    pthread_create(&other, NULL, last_touches, at);
    pthread_exit(NULL);
  }
  teams(at);
  teams(in_bss);
  tasks_and_locks(at);
  forks(at);
  blocks();
  mark(at); /* the process ends so */
  return expect_result();
}
