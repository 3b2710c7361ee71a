/* The program's own thread on a processor of somebody else's: the worker that is bound there makes
 * room, and comes back when it may. "bound": threads that are bound to places stay where they are.
 * "confined": who confines all threads of the process to one processor is obeyed.
 * In a team as large as the machine, one kernel thread for each member. */
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { processors_at_most = 1024 };

typedef struct {
  int tid;
  int cpu;
  int allowed; /* how many processors */
} place;

static place places[processors_at_most];
static int threads;

static void bind_thread(int tid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(tid, sizeof set, &set);
}
static void bind_to(int cpu) { bind_thread(0, cpu); }

static int on_cpu;
static int confined[4 * processors_at_most];
static int confined_count;

static void confine_all_to(int cpu) {
  DIR* tasks = opendir("/proc/self/task");
  on_cpu = cpu;
  for (struct dirent* entry; tasks && (entry = readdir(tasks));) {
    if (entry->d_name[0] == '.' || confined_count == 4 * processors_at_most) continue;
    confined[confined_count] = atoi(entry->d_name);
    bind_thread(confined[confined_count++], cpu);
  }
  if (tasks) closedir(tasks);
}

static int is_confined(int tid) {
  for (int i = 0; i < confined_count; i++)
    if (confined[i] == tid) return 1;
  return 0;
}

static void compute(double seconds) {
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) {
  }
}

/* A region in which all members run at once. Returns whether each had a kernel thread of its own.
 */
static int look(void) {
#pragma omp parallel num_threads(threads)
  {
    place* mine = &places[omp_get_thread_num()];
    cpu_set_t set;
    compute(300e-6);
#pragma omp barrier
    compute(300e-6);
    sched_getaffinity(0, sizeof set, &set);
    mine->tid = (int)syscall(SYS_gettid);
    mine->cpu = sched_getcpu();
    mine->allowed = CPU_COUNT(&set);
  }
  for (int i = 0; i < threads; i++)
    for (int j = 0; j < i; j++)
      if (places[i].tid == places[j].tid) return 0;
  return 1;
}

static int is_main(int i) { return places[i].tid == getpid(); }

/* No other member was on the processor of the program's own thread. */
static int parted(void) {
  int main_cpu = -1, beside = 0;
  for (int i = 0; i < threads; i++)
    if (is_main(i)) main_cpu = places[i].cpu;
  for (int i = 0; i < threads; i++) beside += !is_main(i) && places[i].cpu == main_cpu;
  return main_cpu >= 0 && beside == 0;
}

static int workers_bound(void) {
  int bound = 1;
  for (int i = 0; i < threads; i++) bound &= is_main(i) || places[i].allowed == 1;
  return bound;
}

/* Kernel threads that came later were not asked. */
static int all_there(void) {
  int there = 1;
  for (int i = 0; i < threads; i++) there &= !is_confined(places[i].tid) || places[i].cpu == on_cpu;
  return there;
}

/* In each region of a while. */
static int stays(const char* what, int (*holds)(void)) {
  const double end = expect_seconds() + 0.3;
  while (expect_seconds() < end)
    if (look()) expect_true(what, holds());
  return expect_result();
}

/* For a while: one that makes room is bound elsewhere for a moment. */
static int workers_stay_bound(void) {
  static int looks;
  looks = workers_bound() ? looks + 1 : 0;
  return looks == 100;
}

/* For as long as it takes: the test's own limit says when it is too long. */
static void wait_until(int (*holds)(void)) {
  while (!look() || !holds()) {
  }
}

static int node_of(int cpu) {
  unsigned node = 0;
  bind_to(cpu);
  syscall(SYS_getcpu, NULL, &node, NULL);
  return (int)node;
}

int main(int argc, char** argv) {
  threads = omp_get_num_procs();
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  int first = -1, other = -1;
  look();
  for (int cpu = 0; cpu < processors_at_most && other < 0; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (first < 0)
      first = cpu;
    else if (node_of(cpu) == node_of(first))
      other = cpu;
  }
  if (other < 0 || threads > processors_at_most) return 77;
  bind_to(other);
  if (argc > 1 && strcmp(argv[1], "bound") == 0) return stays("workers stay bound", workers_bound);
  if (argc > 1) {
    confine_all_to(other);
    return stays("all stay where they are confined to", all_there);
  }
  wait_until(parted);
  bind_to(first);
  wait_until(parted);
  bind_to(other);
  wait_until(parted);
  bind_to(first);
  wait_until(workers_stay_bound);
  return expect_result();
}
