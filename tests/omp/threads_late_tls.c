/* A library with initial-exec thread-local data that comes late: before the first region, between
 * regions, or while members wait inside one. From then on every member has its own variables,
 * initialised, and the first thread too.
 * Arguments: the library's path, and when it is loaded: `first`, `between` or `inside`. */
#include <dlfcn.h>
#include <string.h>

#include "threads_move.h"

typedef int (*Add)(int);

enum { turns = 20 };

static Add add;

static void load_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  add = (Add)dlsym(library, "plugin_add");
}

static void use(int already) {
  int me = omp_get_thread_num();
  for (int turn = 1; turn <= turns; turn++) {
    expect_equal("the library's total", add(me + 1), 100 + (me + 1) * (already + turn));
    meet_and_move();
  }
}

static void some_regions(void) {
  for (int region = 0; region < 5; region++) {
#pragma omp parallel num_threads(members)
    meet_and_move();
  }
}

/* Half of the members have waited before the library comes, half have not begun to. */
static void inside_a_region(const char* path) {
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    if (omp_get_thread_num() == members - 1) load_library(path);
    meet_and_move();
    use(0);
  }
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  begin_threads();
  int already = 0;
  if (strcmp(arguments[2], "first") == 0) load_library(arguments[1]);
  some_regions();
  if (strcmp(arguments[2], "between") == 0) load_library(arguments[1]);
  if (strcmp(arguments[2], "inside") == 0) {
    inside_a_region(arguments[1]);
    already = turns;
  }
  for (int region = 0; region < 3; region++, already += turns) {
#pragma omp parallel num_threads(members)
    use(already);
  }
  return expect_result();
}
