/* Codelets with names and without that take a known time, for tests/tool/models_test.py: each runs
 * four times, with data of one or two sizes, on whatever policy XYLEM_CODELET_POLICY names. */
#include <time.h>

#include "check.h"

static int nap(const xylem_view* views, void* argument) {
  (void)argument;
  const struct timespec time = {0, (long)views[0].x * 2000000};
  return nanosleep(&time, NULL);
}

static const xylem_codelet named = {
    .name = "nap", .cpu = nap, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet also_named = {
    .name = "nod", .cpu = nap, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet nameless = {.cpu = nap, .accesses = 1, .modes = {xylem_read_write}};

static void run(const xylem_codelet* codelet, size_t count) {
  double memory[2] = {0, 0};
  xylem_data* data = xylem_data_vector(memory, count, sizeof(double));
  CHECK(data != NULL);
  for (int i = 0; i < 4; ++i)
    CHECK(xylem_submit(codelet, &(xylem_task_options){.data = &data}, NULL) == 0);
  CHECK(xylem_data_unregister(data) == 0);
}

int main(void) {
  run(&named, 1);
  run(&named, 2);
  run(&also_named, 1);
  run(&nameless, 1);
  CHECK(xylem_wait_all() == 0);
  return 0;
}
