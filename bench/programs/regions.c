/* What every OpenMP program pays for: regions, loops, barriers, and what orders threads. The number
 * of threads is OMP_NUM_THREADS'. An operation is what the name says, done by the whole team once;
 * of critical, lock and atomic: by one thread once. */
#include <omp.h>

#include "measure.h"

static volatile long sink;
static omp_lock_t lock;
static long shared_sum;

#define KEEP __asm__ volatile("" ::: "memory")

static void region(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp parallel
    KEEP;
  }
}

static void barrier(long count) {
#pragma omp parallel
  for (long i = 0; i < count; i++) {
#pragma omp barrier
  }
}

#define LOOP(name, clauses)                                    \
  static void name(long count) {                               \
    _Pragma("omp parallel") {                                  \
      const int turns = 16 * omp_get_num_threads();            \
      for (long i = 0; i < count; i++) {                       \
        _Pragma(clauses) for (int k = 0; k < turns; k++) KEEP; \
      }                                                        \
    }                                                          \
  }
LOOP(for_static, "omp for schedule(static)")
LOOP(for_static_1, "omp for schedule(static, 1)")
LOOP(for_dynamic_1, "omp for schedule(dynamic, 1)")
LOOP(for_dynamic_8, "omp for schedule(dynamic, 8)")
LOOP(for_guided, "omp for schedule(guided)")

/* As for_dynamic_1, but no loop equals the one before it. */
static void for_dynamic_1_turns(long count) {
#pragma omp parallel
  {
    const int turns = 16 * omp_get_num_threads();
    for (long i = 0; i < count; i++) {
      const int first = (int)(i % 2);
#pragma omp for schedule(dynamic, 1)
      for (int k = first; k < turns + first; k++) KEEP;
    }
  }
}

/* An operation is one hand-off from a thread to the next: each loop has one iteration for each
 * thread, as some runtimes give a thread several in a row whatever the schedule says. */
static void ordered(long count) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    const long loops = count / threads + 1;
    for (long done = 0; done < loops; done++) {
#pragma omp for ordered schedule(static, 1) nowait
      for (int i = 0; i < threads; i++) {
#pragma omp ordered
        KEEP;
      }
    }
#pragma omp master
    bench_done = loops * threads;
  }
}

static void single(long count) {
#pragma omp parallel
  for (long i = 0; i < count; i++) {
#pragma omp single
    KEEP;
  }
}

static void critical(long count) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; i++) {
#pragma omp critical
    shared_sum++;
  }
}

static void a_lock(long count) {
  omp_init_lock(&lock);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; i++) {
    omp_set_lock(&lock);
    shared_sum++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void atomic(long count) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; i++) {
#pragma omp atomic
    shared_sum++;
  }
}

static void reduction(long count) {
  for (long i = 0; i < count; i++) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += 1;
    sink = sum;
  }
}

static void private_array(long count) {
  char array[4096];
  memset(array, 1, sizeof array);
  for (long i = 0; i < count; i++) {
#pragma omp parallel firstprivate(array)
    __asm__ volatile("" : : "r"(array) : "memory");
  }
}

/* Regions of 8 and 2 threads in turn, whatever OMP_NUM_THREADS says. */
static void team_change(long count) {
  for (long i = 0; i < count; i++) {
#pragma omp parallel num_threads(i % 2 == 0 ? 8 : 2)
    KEEP;
  }
}

/* A region whose threads meet twice in a barrier of their own, where they spin without a yield. */
static void spin_barrier(long count) {
  for (long i = 0; i < count; i++) {
    int arrived = 0;
#pragma omp parallel
    {
      const int threads = omp_get_num_threads();
      for (int meeting = 1; meeting <= 2; meeting++) {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < meeting * threads) {
        }
      }
    }
  }
}

/* The first region of the process: one sample. */
static int first_region(void) {
  const int64_t begin = bench_now_ns();
#pragma omp parallel
  KEEP;
  const double took = (double)(bench_now_ns() - begin);
  printf("first_region\t%.1f\t%.1f\t1\n", took, took);
  return 0;
}

static const bench_case cases[] = {{"region", region, 1},
                                   {"barrier", barrier, 1},
                                   {"for_static", for_static, 1},
                                   {"for_static_1", for_static_1, 1},
                                   {"for_dynamic_1", for_dynamic_1, 1},
                                   {"for_dynamic_1_turns", for_dynamic_1_turns, 1},
                                   {"for_dynamic_8", for_dynamic_8, 1},
                                   {"for_guided", for_guided, 1},
                                   {"ordered", ordered, 1},
                                   {"single", single, 1},
                                   {"critical", critical, 1},
                                   {"lock", a_lock, 1},
                                   {"atomic", atomic, 1},
                                   {"reduction", reduction, 1},
                                   {"private_array", private_array, 1},
                                   {"team_change", team_change, 1},
                                   {"spin_barrier", spin_barrier, 1},
                                   {NULL, NULL, 0}};

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "first_region") == 0) return first_region();
  return bench_main(cases, argc, argv);
}
