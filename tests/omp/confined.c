/* Who confines all threads of the process to one processor is obeyed. "bound": threads that are
 * bound to places stay where they are. In a team as large as the machine, one kernel thread for
 * each member. */
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <sched.h>
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

int main(int argc, char** argv) {
  threads = omp_get_num_procs();
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  look();
  if (threads < 2 || threads > processors_at_most) return 77;
  if (argc > 1) return stays("workers stay bound", workers_bound);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) last = cpu;
  confine_all_to(last);
  return stays("all stay where they are confined to", all_there);
}
