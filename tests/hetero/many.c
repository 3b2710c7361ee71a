/* Very many tasks at once: none runs before all are submitted, and the process has taken a stated
 * memory for each. */
#include <malloc.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int ran;
static int gate;

static int open_gate(const xylem_view* views, void* argument) {
  (void)argument;
  *(int*)views[0].data = 1;
  return 0;
}

static int run(const xylem_view* views, void* argument) {
  (void)argument;
  if (*(int*)views[0].data != 1) return 1;
  atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
  return 0;
}

int main(int argc, char** argv) {
  static const xylem_codelet opening = {
      .cpu = open_gate, .accesses = 1, .modes = {xylem_read_write}};
  static const xylem_codelet running = {.cpu = run, .accesses = 1, .modes = {xylem_read}};
  const int tasks = argc > 1 ? atoi(argv[1]) : 100000;
  const size_t most_bytes_a_task = 320;
  xylem_data* data = xylem_data_variable(&gate, sizeof gate);
  CHECK(xylem_data_acquire(data, xylem_read) == 0);
  CHECK(xylem_submit(&opening, &(xylem_task_options){.data = &data}, NULL) == 0);
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < tasks; ++i)
    CHECK(xylem_submit(&running, &(xylem_task_options){.data = &data}, NULL) == 0);
  const size_t taken = mallinfo2().uordblks - before;
  CHECK(atomic_load(&ran) == 0);
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_wait_all() == 0);
  CHECK(atomic_load(&ran) == tasks);
  CHECK(xylem_data_unregister(data) == 0);
  printf("%zu bytes for each of %d tasks\n", taken / (size_t)tasks, tasks);
  CHECK(taken / (size_t)tasks <= most_bytes_a_task);
  return 0;
}
