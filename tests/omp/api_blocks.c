/* include/xylem/memory.h: blocks of every size and placement, from every thread, and replicated
 * data. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocks.h"
#include "quiet_fork.h"

static int last_node(void) { return xylem_node_count() - 1; }

static void contents_and_sizes(void) {
  static const size_t sizes[] = {0, 1, 100, 5000, 100000, 300000, 4000000};
  for (int i = 0; i < 7; i++) {
    char* zeros = xylem_calloc(sizes[i], 1);
    expect_true("xylem_calloc", zeros != NULL);
    for (size_t k = 0; k < sizes[i]; k += 97) expect_equal("a zero", zeros[k], 0);
    memset(zeros, 1, sizes[i]);
    xylem_free(zeros);
    char* block = xylem_malloc(sizes[i]);
    expect_true("xylem_malloc", block != NULL);
    memset(block, 2, sizes[i]);
    size_t held = sizes[i];
    for (int k = 0; k < 7; k++) {
      block = xylem_realloc(block, sizes[k]);
      expect_true("xylem_realloc", block != NULL);
      if (held && sizes[k]) expect_equal("what it held", block[0], 2);
      held = sizes[k];
      memset(block, 2, sizes[k]);
    }
    xylem_free(block);
  }
  xylem_free(NULL);
  char* fresh = xylem_realloc(NULL, 10);
  expect_true("xylem_realloc of nothing", fresh != NULL);
  xylem_free(fresh);
}

static void every_placement(void) {
  for (int placement = xylem_place_default; placement <= xylem_place_spread; placement++) {
    for (size_t alignment = 0; alignment <= 65536; alignment = alignment ? alignment * 16 : 16) {
      xylem_memory_how how = {.placement = placement, .node = last_node(), .alignment = alignment};
      char* block = xylem_calloc_placed(100, 1000, &how);
      expect_true("xylem_calloc_placed", block != NULL);
      if (!block) continue;
      if (alignment) expect_equal("alignment", (long long)((uintptr_t)block % alignment), 0);
      for (int k = 0; k < 100000; k += 997) expect_equal("a zero", block[k], 0);
      memset(block, 3, 100000);
      xylem_free(block);
    }
  }
}

static void what_cannot_be(void) {
  errno = 0;
  expect_true("a node that is none", xylem_malloc_on_node(10, last_node() + 1) == NULL);
  expect_equal("its errno", errno, EINVAL);
  xylem_memory_how how = {.alignment = 3};
  expect_true("an alignment that is none", xylem_malloc_placed(10, &how) == NULL);
  expect_equal("its errno", errno, EINVAL);
  errno = 0;
  expect_true("more than there is", xylem_malloc(SIZE_MAX / 2) == NULL);
  expect_equal("its errno", errno, ENOMEM);
  errno = 0;
  expect_true("an array too long", xylem_calloc(SIZE_MAX / 2, 4) == NULL);
  expect_equal("its errno", errno, ENOMEM);
  char* block = xylem_malloc(100);
  memset(block, 5, 100);
  expect_true("resized beyond what there is", xylem_realloc(block, SIZE_MAX / 2) == NULL);
  expect_equal("the block as it was", block[99], 5);
  xylem_free(block);
}

/* What a child that runs `end` writes on stderr must have `word` in it; and it aborts. */
static void expect_death(void (*end)(void), const char* word) {
  int ends[2];
  char text[1024] = "";
  if (pipe(ends) != 0) exit(77);
  pid_t child = fork_when_quiet();
  if (child == 0) {
    dup2(ends[1], 2);
    end();
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  while ((got = read(ends[0], text + length, sizeof text - 1 - length)) > 0) length += (size_t)got;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  expect_true("ended by abort()", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  expect_true(word, strstr(text, word) != NULL);
}

static void free_of_none(void) {
  int local;
  xylem_free(&local);
}
static void free_of_malloc(void) { xylem_free(malloc(100)); }
static void free_twice(void) {
  void* block = xylem_malloc(100);
  xylem_free(block);
  xylem_free(block);
}
static void realloc_of_none(void) {
  int local;
  xylem_realloc(&local, 10);
}

/* The program's parallel regions go on while blocks come from heaps: nested ones too, so that many
 * fibers share few kernel threads. */
static void from_nested_teams(void) {
  long long before = allocated_bytes();
#pragma omp parallel num_threads(8)
#pragma omp parallel num_threads(16)
  for (int round = 0; round < 10; round++) {
    int me = omp_get_ancestor_thread_num(1) * 16 + omp_get_thread_num();
    char* block = new_block((uint32_t)(me % (last_node() + 1)), (uint32_t)(16 + me * 3));
#pragma omp barrier
    end_block(block, round == 0);
  }
  expect_equal("bytes in blocks that live", allocated_bytes(), before);
}

/* How many of 64 threads that live at once libc can tell apart: all where fibers have thread blocks
 * of their own. */
static int told_apart(void) {
  static pthread_t self[64];
  int different = 0;
#pragma omp parallel num_threads(64)
  {
    self[omp_get_thread_num()] = pthread_self();
#pragma omp barrier
  }
  for (int i = 0; i < 64; i++) {
    int seen = 0;
    for (int k = 0; k < i; k++) seen |= pthread_equal(self[i], self[k]);
    different += !seen;
  }
  return different;
}

/* The library of the heaps must not change how the program's threads are kept apart. */
static void heaps_change_no_tier(void) {
  int before = told_apart();
  xylem_free(xylem_malloc_on_node(10, 0));
  int after = told_apart();
  expect_equal("threads have blocks of their own", after == 64, before == 64);
}

static void replicated(void) {
  static int table[5000];
  for (int i = 0; i < 5000; i++) table[i] = i * 3;
  xylem_replicated* data = xylem_replicated_create(table, sizeof table);
  expect_true("xylem_replicated_create", data != NULL);
#pragma omp parallel num_threads(8)
  {
    const int* mine = xylem_replicated_local(data);
    int node;
    expect_equal("contents", memcmp(mine, table, sizeof table), 0);
    if (xylem_memory_locate(mine, 1, &node) == 0 && xylem_current_node() >= 0)
      expect_equal("node of the copy", node, xylem_current_node());
  }
  int* master = xylem_replicated_master(data);
  master[10] = -1;
  expect_equal("refresh", xylem_replicated_refresh(data, 10 * sizeof(int), sizeof(int)), 0);
#pragma omp parallel num_threads(8)
  expect_equal("after it", ((const int*)xylem_replicated_local(data))[10], -1);
  expect_equal("refresh of too much", xylem_replicated_refresh(data, 1, sizeof table), EINVAL);
  xylem_replicated_destroy(data);
}

static void in_a_child(void) {
  char* block = xylem_malloc_on_node(100, last_node());
  strcpy(block, "xylem");
  pid_t child = fork_when_quiet();
  if (child == 0) {
    expect_true("what the block holds", strcmp(block, "xylem") == 0);
    xylem_free(block);
    pass_blocks_on(4, 200);
    _exit(expect_result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal("exit of the child", status, 0);
  expect_true("what the block still holds", strcmp(block, "xylem") == 0);
  xylem_free(block);
}

int main(int argc, char** argv) {
  if (!xylem_malloc_on_node) return 77;
  locate = xylem_memory_locate;
  int each = argc > 1 ? atoi(argv[1]) : 2000;
  heaps_change_no_tier();
  contents_and_sizes();
  every_placement();
  what_cannot_be();
  from_nested_teams();
  pass_blocks_on(16, each);
  replicated();
  in_a_child();
  expect_death(free_of_none, "xylem_free");
  expect_death(free_of_malloc, "xylem_free");
  expect_death(free_twice, "freed already");
  expect_death(realloc_of_none, "xylem_realloc");
  return expect_result();
}
