/* Codelets that do nothing. See null_tasks.h. */
#include "null_tasks.h"

#include <xylem/codelet.h>

static int nothing(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  return 0;
}

static const xylem_codelet without_data = {.cpu = nothing};
static const xylem_codelet with_one = {.cpu = nothing, .accesses = 1, .modes = {xylem_read_write}};

static double time_of(int with_data) {
  double memory = 0;
  xylem_data* data = xylem_data_variable(&memory, sizeof memory);
  const xylem_task_options options = {.data = &data};
  const xylem_codelet* codelet = with_data ? &with_one : &without_data;
  const double began = now_ns();
  for (int i = 0; i < count; ++i)
    if (xylem_submit(codelet, &options, NULL) != 0) exit(1);
  if (xylem_wait_all() != 0) exit(1);
  const double took = now_ns() - began;
  if (xylem_data_unregister(data) != 0) exit(1);
  return took;
}

int main(void) {
  show("xylem", time_of);
  return 0;
}
