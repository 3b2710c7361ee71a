/* A C program whose plugin brings the C++ library for itself (RTLD_LOCAL), as Python loads its
 * extensions: exceptions are each member's own. The plugin comes before the first region, or when
 * kernel threads for members are there already.
 * Arguments: the plugin's path, and `first` or `later`. */
#include <dlfcn.h>
#include <string.h>

#include "threads_move.h"

typedef int (*Throw)(int member, int turn, void (*move)(void));

enum { turns = 20 };

static Throw load_plugin(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return (Throw)dlsym(library, "plugin_throw");
}

static void meet(void) { meet_and_move(); }

int main(int count, char** arguments) {
  if (count != 3) return 2;
  begin_threads();
  if (strcmp(arguments[2], "later") == 0) {
#pragma omp parallel num_threads(members)
    meet_and_move();
  }
  Throw throw_one = load_plugin(arguments[1]);
  int wrong = 0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < turns; turn++) wrong += throw_one(omp_get_thread_num(), turn, meet);
  expect_equal("exceptions of another member", wrong, 0);
  wrong = 0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < turns; turn++)
    wrong += throw_one(omp_get_thread_num(), turn, move_alone);
  expect_equal("exceptions of another member, each alone", wrong, 0);
  return expect_result();
}
