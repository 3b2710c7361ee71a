/* Misses that xylem_bubble_query() tells, of an event that every kernel counts: page faults, by
 * XYLEM_MISSES=1:2. With "off" as the argument nothing is counted. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <linux/perf_event.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { pages = 64, page_bytes = 4096 };

static void touch_for(double seconds) {
  const clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < until) {
    char* block =
        mmap(NULL, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect_equal("mmap", block != MAP_FAILED, 1);
    madvise(block, pages * page_bytes, MADV_NOHUGEPAGE);
    for (int page = 0; page < pages; page++) *(volatile char*)(block + page * page_bytes) = 1;
    munmap(block, pages * page_bytes);
  }
}

static void burn_for(double seconds) {
  const clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < until) {
  }
}

/* False where rights, or a filter of system calls, keep the kernel from counting. */
static int may_count(void) {
  struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof faults,
                                   .config = PERF_COUNT_SW_PAGE_FAULTS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
  const long opened = syscall(SYS_perf_event_open, &faults, 0, -1, -1, 0);
  if (opened >= 0) close((int)opened);
  return opened >= 0;
}

static long faults(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt + used.ru_majflt;
}

/* What is counted of a team one of whose members works so. */
static long long misses_of(void (*work_for)(double seconds)) {
  xylem_bubble* bubble = xylem_bubble_create();
  xylem_bubble_enter(bubble);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    work_for(0.5);
  else
    usleep(100000);
  xylem_bubble_leave();
  xylem_bubble_info info = {0};
  expect_equal("query", xylem_bubble_query(bubble, &info, sizeof info), 0);
  expect_equal("destroy", xylem_bubble_destroy(bubble), 0);
  return info.misses;
}

/* A program that was built before there were misses. */
static void old_size(void) {
  xylem_bubble* bubble = xylem_bubble_create();
  xylem_bubble_info info = {.misses = 42};
  const unsigned long old = offsetof(xylem_bubble_info, misses);
  expect_equal("query of the first version", xylem_bubble_query(bubble, &info, old), 0);
  expect_equal("not written", info.misses, 42);
  expect_equal("destroy", xylem_bubble_destroy(bubble), 0);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "off") == 0) {
    expect_equal("not counted", misses_of(burn_for), -1);
    return expect_result();
  }
  if (!may_count()) {
    fprintf(stderr, "skipped: this process may count no events\n");
    return 77;
  }
  old_size();
  const long before = faults();
  const long long misses = misses_of(touch_for);
  const long touched = faults() - before;
  expect_between("of who touches pages", misses, touched / 2, touched + touched / 10);
  expect_between("of who does not", misses_of(burn_for), 0, touched / 100);
  return expect_result();
}
