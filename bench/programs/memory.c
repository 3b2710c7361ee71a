/* What a runtime keeps and takes while it works on something else or on nothing: resident memory,
 * processor time while idle, and work beside a busy process. One value a process; the cases stand
 * above their functions. Memory is read from /proc/self/smaps_rollup (Rss) before and while there
 * is much of what is measured, and divided by how many.
 *
 * A thread is a kernel thread on most runtimes, so they get a hundredth of what Xylem gets. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum { seeds = 1000000, sleepers = 100000, nested_teams = 250 };

static int on_xylem(void) { return dlsym(RTLD_DEFAULT, "xylem_version") != NULL; }
static int scaled(int count) { return on_xylem() ? count : count / 100; }

static void tell(const char* name, double value) {
  printf("%s\t%.4f\t%.4f\t1\n", name, value, value);
}

/* A field of a file in /proc/self, in bytes. */
static double field(const char* file, const char* name) {
  char line[256];
  double kib = -1;
  FILE* text = fopen(file, "r");
  while (text && fgets(line, sizeof line, text))
    if (strncmp(line, name, strlen(name)) == 0) kib = atof(line + strlen(name));
  if (text) fclose(text);
  if (kib < 0) {
    fprintf(stderr, "memory: %s has no %s\n", file, name);
    exit(1);
  }
  return kib * 1024;
}
static double resident(void) { return field("/proc/self/smaps_rollup", "Rss:"); }
static double page_tables(void) { return field("/proc/self/status", "VmPTE:"); }

/* What a runtime does once, in a region of its usual size and in one inside another. */
static void warm_up(void) {
#pragma omp parallel
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
  }
  resident(); /* stdio's buffers */
  page_tables();
}

/* seed: of a team of a million on one PU, read by member 0 before any other can have started. */
static void seed(void) {
  double bytes = 0;
  int started = 0;
  warm_up();
  const double before = resident();
#pragma omp parallel num_threads(seeds)
  if (omp_get_thread_num() == 0) {
    bytes = resident() - before;
    if (__atomic_load_n(&started, __ATOMIC_RELAXED) > 0) bytes = -1e9;
  } else {
    __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
  }
  if (started != seeds - 1 || bytes < 0) {
    fprintf(stderr, "memory: not all members were seeds: run it on Xylem, on one PU\n");
    exit(1);
  }
  tell("seed", bytes / (seeds - 1));
}

/* team_of_4: of as many as may be nested, each opened by member 0 of the one outside; on one PU the
 * three others of each wait to start. The pages of the stack were touched before. */
static double at_the_bottom;
static void open_teams(int levels) {
  if (levels == 0) {
    at_the_bottom = resident();
    return;
  }
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) open_teams(levels - 1);
}
/* Not inlined: the area lies where the teams' frames will. */
__attribute__((noinline)) static void touch_stack(void) {
  volatile char area[2 << 20];
  for (size_t i = 0; i < sizeof area; i += 1024) area[i] = 0;
}
static void team_of_4(void) {
  const int teams = on_xylem() ? nested_teams : nested_teams / 10;
  omp_set_max_active_levels(teams + 1);
  warm_up();
  touch_stack();
  const double before = resident();
  open_teams(teams);
  tell("team_of_4", (at_the_bottom - before) / teams);
}

/* asleep: of the members of one team all of which but member 0 sleep in its barrier; asleep_tables:
 * what the kernel's page tables grow by, which is not resident memory of the process; left: what is
 * still resident after that region. */
typedef struct {
  double resident, tables, left;
} of_sleepers;

/* Lets others run, and gives them time to fall asleep. */
static void let_all_arrive(const int* arrived, int count) {
  for (int64_t until = 0; until == 0 || bench_now_ns() < until;) {
#pragma omp taskyield
    if (!on_xylem()) sched_yield();
    if (until == 0 && __atomic_load_n(arrived, __ATOMIC_ACQUIRE) == count)
      until = bench_now_ns() + 100000000;
  }
}

static of_sleepers put_to_sleep(void) {
  const int count = scaled(sleepers);
  of_sleepers seen = {0, 0, 0};
  int arrived = 0;
  warm_up();
  const double before = resident(), tables_before = page_tables();
#pragma omp parallel num_threads(count + 1)
  {
    if (omp_get_thread_num() == 0) {
      let_all_arrive(&arrived, count);
      seen.resident = (resident() - before) / count;
      seen.tables = (page_tables() - tables_before) / count;
    } else {
      __atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
    }
#pragma omp barrier
  }
  seen.left = resident() - before;
  return seen;
}
static void asleep(void) { tell("asleep", put_to_sleep().resident); }
static void asleep_tables(void) { tell("asleep_tables", put_to_sleep().tables); }
static void left(void) { tell("left", put_to_sleep().left); }

/* idle: percent of one processor in the second that begins half a second after the last region. */
static double processor_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}
static void idle(void) {
  warm_up();
  usleep(500000);
  const double used = processor_seconds();
  const int64_t begin = bench_now_ns();
  usleep(1000000);
  tell("idle", 100e9 * (processor_seconds() - used) / (double)(bench_now_ns() - begin));
}

/* undisturbed, beside_hog: a region with a loop of 1024 times 1 us and two barriers, alone and
 * while another process computes without end on any processor. */
static void work_in_regions(long count) {
  for (long i = 0; i < count; i++)
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < 512; j++) bench_work(1000);
#pragma omp for schedule(dynamic, 8)
    for (int j = 0; j < 512; j++) bench_work(1000);
  }
}
static double time_of_regions(void) {
  enum { regions = 1000 };
  work_in_regions(10);
  const int64_t begin = bench_now_ns();
  work_in_regions(regions);
  return (double)(bench_now_ns() - begin) / regions;
}
static void undisturbed(void) {
  bench_calibrate();
  tell("undisturbed", time_of_regions());
}
static void beside_hog(void) {
  bench_calibrate();
  const pid_t self = getpid(), hog = fork();
  if (hog == 0) {
    while (getppid() == self) bench_work_turns(1000000);
    _exit(0);
  }
  const double took = time_of_regions();
  kill(hog, SIGKILL);
  waitpid(hog, NULL, 0); /* so that its time counts as this process's */
  tell("beside_hog", took);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"seed", seed},
               {"team_of_4", team_of_4},
               {"asleep", asleep},
               {"asleep_tables", asleep_tables},
               {"left", left},
               {"idle", idle},
               {"undisturbed", undisturbed},
               {"beside_hog", beside_hog}};
  const int count = sizeof cases / sizeof *cases;
  omp_set_dynamic(0);
  for (int i = 0; i < count; i++)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      return 0;
    }
  for (int i = 0; i < count; i++) puts(cases[i].name);
  return 2;
}
