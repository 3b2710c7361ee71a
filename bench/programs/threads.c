/* Threads: fibers of Xylem and kernel threads of NPTL, operation by operation (threads.h; paper
 * 002, tables 2.1 to 2.3). Case fiber_OPERATION or nptl_OPERATION. Not an OpenMP program: the
 * fibers are those of the runtime's layers, in a library that is linked as libxylem.so is, so that
 * what XYLEM_TLS=1, 2 or 3 asks for is what a program would get. */
#include "threads.h"

#include <dlfcn.h>

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

static void load_exceptions(void) {
  if (dlopen("libxylem_exceptions.so", RTLD_NOW | RTLD_GLOBAL)) return;
  fprintf(stderr, "threads: tier 2 cannot be had: %s\n", dlerror());
  exit(1);
}

int main(int argc, char** argv) {
  if (argc > 1 && strncmp(argv[1], "fiber_", 6) == 0) {
    const char* asked = getenv("XYLEM_TLS");
    const int tier = asked ? atoi(asked) : 0;
    if (tier == 2) load_exceptions();
    bench_fiber_start(tier);
  }
  return bench_main(cases, argc, argv);
}
