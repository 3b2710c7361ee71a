/* Codelets with names and without that take a known time, for tests/tool/models_test.py: each runs
 * five times with data of each of its sizes, on whatever policy XYLEM_CODELET_POLICY names. */
#include <time.h>

#include "check.h"

static int sleep_for(int ms) {
  const struct timespec time = {0, ms * 1000000L};
  return nanosleep(&time, NULL);
}

static int nap(const xylem_view* views, void* argument) {
  (void)argument;
  return sleep_for(2 * (int)views[0].x);
}

/* The extents do not tell how long it takes. */
static int doze(const xylem_view* views, void* argument) {
  (void)views;
  return sleep_for(*(const int*)argument);
}
static double work(const xylem_view* views, const void* argument) {
  (void)views;
  return *(const int*)argument;
}

#define ONE_ACCESS .accesses = 1, .modes = {xylem_read_write}
static const xylem_codelet named = {.name = "nap", .cpu = nap, ONE_ACCESS};
static const xylem_codelet also_named = {.name = "nod", .cpu = nap, ONE_ACCESS};
static const xylem_codelet worked = {.name = "doze", .cpu = doze, .work = work, ONE_ACCESS};
static const xylem_codelet nameless = {.cpu = nap, ONE_ACCESS};

static void run(const xylem_codelet* codelet, size_t count, int argument) {
  double memory[8] = {0};
  xylem_data* data = xylem_data_vector(memory, count, sizeof(double));
  CHECK(data != NULL);
  for (int i = 0; i < 5; ++i)
    CHECK(xylem_submit(codelet,
                       &(xylem_task_options){
                           .data = &data, .argument = &argument, .argument_bytes = sizeof argument},
                       NULL) == 0);
  CHECK(xylem_data_unregister(data) == 0);
}

int main(void) {
  run(&named, 1, 0);
  run(&named, 2, 0);
  run(&named, 8, 0);
  run(&also_named, 1, 0);
  run(&worked, 1, 2);
  run(&worked, 1, 3);
  run(&nameless, 1, 0);
  CHECK(xylem_wait_all() == 0);
  return 0;
}
