// The metered program: one operation of OpenMP, so many times, by so many threads.
//   operations CASE THREADS TIMES: what is outside the counted time is done twice before it, to
//   warm up.
// Where the runtime tells which PU a thread is on (xylem_current_pu), the thread's memory node
// follows from it; elsewhere thread i of n is on node i * nodes / n, as with OMP_PROC_BIND=close.
// METER_NODES_COUNT says how many nodes there are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "meter.h"

static volatile char* page;
static int threads;
static int times;
static int nodes = 1;
static int (*pu_of_me)(void);

static void count(bool on) { page[METER_SWITCH + on] = 1; }

static void tell_node(int thread) {
  const int pu = pu_of_me ? pu_of_me() : thread;
  page[METER_NODES + (pu < 0 ? 0 : pu * nodes / threads)] = 1;
}

static void delay(void) {
  for (volatile int i = 0; i < 50;) i = i + 1;
}

static void region_once(void) {
#pragma omp parallel num_threads(threads)
  tell_node(omp_get_thread_num());
}

// All kernel threads have begun, and found their processors.
static void warm_up(void) {
  for (int i = 0; i < 5; ++i) region_once();
}

// One operation of a case that all members of a team do together, `times` times in one region.
typedef void (*Together)(void);

static void in_one_region(Together once) {
  warm_up();
#pragma omp parallel num_threads(threads)
  {
    tell_node(omp_get_thread_num());
    for (int i = 0; i < 3; ++i) once();
#pragma omp barrier
#pragma omp master
    count(true);
    for (int i = 0; i < times; ++i) once();
#pragma omp master
    count(false);
  }
}

static void barrier_once(void) {
#pragma omp barrier
}

static void dynamic_once(void) {
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < 4 * threads; ++i) delay();
}

static void guided_once(void) {
#pragma omp for schedule(guided)
  for (int i = 0; i < 16 * threads; ++i) delay();
}

static void single_once(void) {
#pragma omp single
  delay();
}

static double reduced;

static void reduction_once(void) {
  double mine = omp_get_thread_num();
#pragma omp for reduction(+ : reduced) schedule(static)
  for (int i = 0; i < threads; ++i) reduced += mine;
}

static void critical_once(void) {
#pragma omp critical
  delay();
}

static void ordered_once(void) {
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
#pragma omp ordered
    delay();
  }
}

static void task_once(void) {
#pragma omp task
  delay();
#pragma omp taskwait
}

static void one_producer_once(void) {
#pragma omp single
  for (int i = 0; i < threads; ++i) {
#pragma omp task
    delay();
  }
}

static void task_barrier_once(void) {
#pragma omp task
  delay();
#pragma omp barrier
}

static void nested_once(void) {
#pragma omp parallel num_threads(4)
  delay();
}

static void grid_once(void) {
#pragma omp parallel num_threads(threads)
  {
    tell_node(omp_get_thread_num());
    nested_once();
  }
}

static void pair_once(void) {
#pragma omp parallel num_threads(2)
  delay();
}

// Regions one after the other.
static void in_turn(Together once) {
  warm_up();
  for (int i = 0; i < 3; ++i) once();
  count(true);
  for (int i = 0; i < times; ++i) once();
  count(false);
}

// Nothing runs; the time is enough for idle workers to fall asleep before.
static void idle_once(void) { usleep(20000); }

static void idle(Together once) {
  region_once();
  usleep(500000);
  in_turn(once);
}

// As in_turn, but all workers sleep before the first operation.
static void from_sleep(Together once) {
  warm_up();
  usleep(500000);
  for (int i = 0; i < 3; ++i) once();
  count(true);
  for (int i = 0; i < times; ++i) once();
  count(false);
}

static const struct {
  const char* name;
  void (*how)(Together);
  Together once;
} cases[] = {
    {"barrier", in_one_region, barrier_once},
    {"region", in_turn, region_once},
    {"region_of_2", in_turn, pair_once},
    {"loop_dynamic", in_one_region, dynamic_once},
    {"loop_guided", in_one_region, guided_once},
    {"reduction", in_one_region, reduction_once},
    {"single", in_one_region, single_once},
    {"critical", in_one_region, critical_once},
    {"ordered", in_one_region, ordered_once},
    {"task_taskwait", in_one_region, task_once},
    {"task_barrier", in_one_region, task_barrier_once},
    {"one_producer", in_one_region, one_producer_once},
    {"nested", in_one_region, nested_once},
    {"grid", in_turn, grid_once},
    {"idle", idle, idle_once},
    {"pair_of_sleepers", from_sleep, pair_once},
};

int main(int argc, char** argv) {
  if (argc != 4) {
    fputs("usage: operations CASE THREADS TIMES\n", stderr);
    return 2;
  }
  threads = atoi(argv[2]);
  times = atoi(argv[3]);
  page = mmap((void*)METER_PAGE, METER_SIZE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (page == MAP_FAILED) {
    perror("operations: the meter's page");
    return 1;
  }
  if (getenv("METER_NODES_COUNT")) nodes = atoi(getenv("METER_NODES_COUNT"));
  *(void**)&pu_of_me = dlsym(RTLD_DEFAULT, "xylem_current_pu");
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(cases[i].name, argv[1]) == 0) {
      cases[i].how(cases[i].once);
      return 0;
    }
  fprintf(stderr, "operations: no case '%s'\n", argv[1]);
  return 2;
}
