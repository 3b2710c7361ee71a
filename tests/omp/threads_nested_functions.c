/* Functions nested in others, whose address is taken (GNU C; Fortran's internal procedures that are
 * handed on are the same): the compiler writes code to the stack of the thread that takes it, and
 * asks the loader for stacks that code may run on. The members of teams, nested ones too, call such
 * functions, before and after they have gone on elsewhere.
 * Arguments: none: the program itself has such functions; or the path of a library that has them,
 * and when it is opened: before the `first` region, `between` regions, or `inside` one. */
#include <dlfcn.h>
#include <string.h>

#include "threads_move.h"

enum { calls = 10, regions = 5 };

__attribute__((weak)) int plugin_sum_of_calls(int first, int times, void (*between)(void));

static int (*sum_of_calls)(int first, int times, void (*between)(void));

static void load_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  *(void**)&sum_of_calls = dlsym(library, "plugin_sum_of_calls");
}

static void call(void (*between)(void)) {
  int first = omp_get_thread_num(), count = 2 * calls;
  expect_equal("sum of what a nested function returned", sum_of_calls(first, calls, between),
               count * first + count * (count - 1) / 2);
}

static void call_in_regions(void) {
  for (int region = 0; region < regions; region++) {
#pragma omp parallel num_threads(members)
    {
      call(meet_and_move);
#pragma omp parallel num_threads(2)
      call(move_alone);
    }
  }
}

/* Half of the members have waited before the library comes, half have not begun to. */
static void inside_a_region(const char* path) {
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    if (omp_get_thread_num() == members - 1) load_library(path);
    meet_and_move();
    call(meet_and_move);
  }
}

static void only_move(void) {
#pragma omp parallel num_threads(members)
  meet_and_move();
}

int main(int count, char** arguments) {
  begin_threads();
  const char* when = count == 3 ? arguments[2] : "never";
  if (count == 1) sum_of_calls = plugin_sum_of_calls;
  if (strcmp(when, "first") == 0) load_library(arguments[1]);
  if (strcmp(when, "between") == 0) {
    only_move();
    load_library(arguments[1]);
  }
  if (strcmp(when, "inside") == 0) inside_a_region(arguments[1]);
  if (!sum_of_calls) return 2;
  call_in_regions();
  return expect_result();
}
