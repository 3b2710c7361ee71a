/* Thread-local data of every model: in the program (local-exec), in a library that came with it
 * (initial-exec, local-dynamic, global-dynamic), and in one that is opened, used, closed and opened
 * again. The argument is the path of that one. */
#include "threads_models.h"

#include <dlfcn.h>

#include "threads_move.h"

typedef int (*Step)(int value);

enum { turns = 20, models = 4, late_models = 2 };

VARIABLES_OF(local_exec, "local-exec")

int initial_exec_step(int value);
int local_dynamic_step(int value);
int global_dynamic_step(int value);

static const Step step[models] = {local_exec_step, initial_exec_step, local_dynamic_step,
                                  global_dynamic_step};
static const char* const name[models] = {"local-exec", "initial-exec", "local-dynamic",
                                         "global-dynamic"};

static void use(int model, Step of_model, int already) {
  int me = omp_get_thread_num();
  for (int turn = 1; turn <= turns; turn++) {
    expect_equal(name[model], of_model(me), 100 + me * (already + turn));
    meet_and_move();
  }
}

static void of_program(void) {
  for (int region = 0; region < 3; region++) {
    for (int model = 0; model < models; model++) {
#pragma omp parallel num_threads(members)
      use(model, step[model], region * turns);
    }
  }
}

static Step find(void* library, const char* symbol) { return (Step)dlsym(library, symbol); }

/* Opened anew, the library's variables begin anew, in threads old and new. */
static void opened(const char* path) {
  for (int time = 0; time < 3; time++) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    expect_true("dlopen", library != NULL);
    if (!library) return;
    Step late[late_models] = {find(library, "local_dynamic_step"),
                              find(library, "global_dynamic_step")};
    for (int model = 0; model < late_models; model++) {
#pragma omp parallel num_threads(members)
      use(model + 2, late[model], 0);
    }
    expect_equal("dlclose", dlclose(library), 0);
#pragma omp parallel num_threads(members)
    meet_and_move();
  }
}

/* Each opens a copy for itself while the others use theirs: a library is one, counted. */
static void opened_by_all(const char* path) {
#pragma omp parallel num_threads(members)
  for (int time = 0; time < 5; time++) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) exit(2);
    Step late = find(library, "global_dynamic_step");
    meet_and_move();
    int first = late(0);
    meet_and_move();
    expect_equal("kept over a switch", late(3), first + 3);
    meet_and_move();
    expect_equal("dlclose", dlclose(library), 0);
    meet_and_move();
  }
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  begin_threads();
  of_program();
  opened(arguments[1]);
  opened_by_all(arguments[1]);
  return expect_result();
}
