/* Where the thread of main() runs on a machine with several memory nodes: on the first one, as the
 * first processor's worker, where loads are told, and where memory is, in regions that run for the
 * first time. In others it may go elsewhere, and is brought back when a region begins. What it
 * makes has all processors, but for threads that it makes in regions of the first kind. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/xylem/bubble.h"
#include "../../include/xylem/memory.h"
#include "expect.h"
#include "kernel_view.h"

enum { words = 16, tries = 100, enough = 5 };

static int processors, of_a_node, last_node;

/* Raw, as a program that imports sched_setaffinity has a kernel thread for each member. */
static int allowed(void) {
  unsigned long mask[words] = {0};
  int count = 0;
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  for (long i = 0; i < bytes / (long)sizeof *mask; i++) count += __builtin_popcountl(mask[i]);
  return count;
}

static void bind_to(unsigned long mask) { syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask); }

/* To the last processor, and free to run on all. */
static void go_astray(void) {
  bind_to(1ul << (processors - 1));
  bind_to((1ul << processors) - 1);
}

static void* allowed_in_thread(void* out) {
  *(int*)out = allowed();
  return NULL;
}

static void expect_all(const char* when) {
  int in_thread = -1, status = -1;
  pthread_t thread;
  expect_equal(when, allowed(), processors);
  if (pthread_create(&thread, NULL, allowed_in_thread, &in_thread) == 0) pthread_join(thread, NULL);
  expect_equal("a pthread", in_thread, processors);
  const pid_t child = fork();
  if (child == 0) _exit(allowed());
  waitpid(child, &status, 0);
  expect_equal("a child", WEXITSTATUS(status), processors);
}

struct seen {
  int node, allowed, in_child;
};

/* Of member 0. */
static struct seen look(void) {
  struct seen seen = {kernel_node(), allowed(), -1};
  int status = -1;
  const pid_t child = fork();
  if (child == 0) _exit(allowed());
  waitpid(child, &status, 0);
  seen.in_child = WEXITSTATUS(status);
  return seen;
}

static void look_together(struct seen* seen) {
#pragma omp master
  *seen = look();
#pragma omp barrier
}

/* Two regions, as which of them runs for the first time goes by its code. */
static struct seen other_region(void) {
  struct seen seen = {-1, -1, -1};
#pragma omp parallel num_threads(processors)
  look_together(&seen);
  return seen;
}

static struct seen region(void) {
  struct seen seen = {-1, -1, -1};
#pragma omp parallel num_threads(processors)
  look_together(&seen);
  return seen;
}

static int node_in_plain_region(void) {
  int node = -1;
#pragma omp parallel num_threads(processors)
  {
#pragma omp master
    node = kernel_node();
#pragma omp barrier
  }
  return node;
}

static void tell_load(void) {
#pragma omp parallel num_threads(processors)
  xylem_set_load(1);
}

static void expect_at_home(const char* what, struct seen seen) {
  expect_equal(what, seen.node, 0);
  expect_equal("processors of member 0", seen.allowed, of_a_node);
  expect_equal("of its child", seen.in_child, processors);
}

int main(void) {
  processors = omp_get_num_procs();
  if (processors > 64) return 77;
  bind_to(1ul << (processors - 1));
  last_node = kernel_node();
  of_a_node = processors / (last_node + 1);
  bind_to((1ul << processors) - 1);
  if (last_node < 1) return 77;

  expect_equal("told of nothing: processors", other_region().allowed, processors);
  static char memory[1 << 16];
  xylem_memory_register(memory, sizeof memory);
  expect_at_home("told of memory, the first run", region());
  expect_all("after the first run");
  expect_equal("a later run: processors", region().allowed, processors);

  /* It is looked after seldom, as looks must cost little. */
  node_in_plain_region();
  int brought = 0;
  for (int i = 0; i < tries && brought < enough; i++) {
    go_astray();
    brought += node_in_plain_region() == 0;
    usleep(50000);
  }
  expect_equal("times that it was brought back", brought, enough);
  expect_all("after it was brought back");

  tell_load();
  for (int i = 0; i < enough; i++) {
    go_astray();
    expect_at_home("with loads", region());
  }
  expect_all("after regions with loads");

  /* What the program binds stays. */
  bind_to(1ul << (processors - 1));
  const struct seen bound = region();
  expect_equal("bound by the program: its node", bound.node, last_node);
  expect_equal("bound by the program: processors", bound.allowed, 1);
  expect_equal("bound by the program, after it", allowed(), 1);
  return expect_result();
}
