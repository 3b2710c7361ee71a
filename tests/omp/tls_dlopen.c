/* A library with thread-local data that is loaded while fibers exist: from the moment it is there
 * its variables are each OpenMP thread's own. The argument is the library's path. */
#include <dlfcn.h>
#include <omp.h>

#include "expect.h"

typedef int (*Add)(int);

enum { members = 16 };

static void use(Add add, int already) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    for (int turn = 1; turn <= 20; turn++) {
      int seen = add(me);
      expect_equal("the plugin's total", seen, 100 + me * (already + turn));
#pragma omp barrier
    }
  }
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
    add_one(&ran);
#pragma omp barrier
  }
  expect_equal("members before loading", ran, members);
  void* library = dlopen(arguments[1], RTLD_NOW);
  expect_true("dlopen", library != NULL);
  if (library == NULL) return expect_result();
  Add add = (Add)dlsym(library, "plugin_add");
  use(add, 0);
  use(add, 20);
  return expect_result();
}
