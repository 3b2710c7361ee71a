/* Threads: fibers of Xylem and kernel threads of NPTL, operation by operation (threads.h; paper
 * 002, tables 2.1 to 2.3). Case fiber_OPERATION or nptl_OPERATION. Not an OpenMP program: the
 * fibers are those of the runtime's layers, in a library that is linked as libxylem.so is, so that
 * what XYLEM_TLS=1, 2 or 3 asks for is what a program would get. Nothing here tells threads apart
 * (os/modules.cpp), which would be tier 3; NPTL's side, which does, is a library named as the
 * runtime's own are. Tier 2 wants threads_exceptions.c's library preloaded. */
#include "threads.h"

#include "measure.h"

#define BODIES(operation)                           \
  static void run_fiber_##operation(long count) {   \
    bench_told_ns = bench_fiber_##operation(count); \
  }                                                 \
  static void run_nptl_##operation(long count) { bench_told_ns = bench_nptl_##operation(count); }
BENCH_THREAD_OPERATIONS(BODIES)

#define ROWS(operation)                               \
  {"fiber_" #operation, run_fiber_##operation, 1000}, \
      {"nptl_" #operation, run_nptl_##operation, 1000},
static const bench_case cases[] = {BENCH_THREAD_OPERATIONS(ROWS){NULL, NULL, 0}};

int main(int argc, char** argv) {
  if (argc > 1 && strncmp(argv[1], "fiber_", 6) == 0) {
    const char* asked = getenv("XYLEM_TLS");
    bench_fiber_start(asked ? atoi(asked) : 0);
  }
  return bench_main(cases, argc, argv);
}
