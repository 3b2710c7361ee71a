/* Codelets that fail, and calls that are wrong. */
#include <errno.h>

#include "check.h"

static int fail(const xylem_view* views, void* argument) {
  (void)views;
  return *(int*)argument;
}

static int add(const xylem_view* views, void* argument) {
  (void)argument;
  *(int*)views[0].data += 1;
  return 0;
}

static const xylem_codelet failing = {.cpu = fail, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet adding = {.cpu = add, .accesses = 1, .modes = {xylem_read_write}};

/* What a failed codelet was to write has no value, so those after it fail as well. */
static void failed_writer(void) {
  int memory = 1;
  int error = EDOM;
  xylem_data* data = xylem_data_variable(&memory, sizeof memory);
  xylem_task* tasks[3];
  xylem_task_options options = {.data = &data, .argument = &error, .argument_bytes = sizeof error};
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, &tasks[0]) == 0);
  CHECK(xylem_submit(&failing, &options, &tasks[1]) == 0);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, &tasks[2]) == 0);
  CHECK(xylem_task_wait(tasks[0]) == 0);
  CHECK(xylem_task_wait(tasks[1]) == EDOM);
  CHECK(xylem_task_wait(tasks[2]) == ENODATA);
  CHECK(xylem_wait_all() == EDOM);
  CHECK(xylem_wait_all() == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == ENODATA);
  CHECK(xylem_data_acquire(data, xylem_write) == 0);
  memory = 5;
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, NULL) == 0);
  CHECK(xylem_data_unregister(data) == 0);
  CHECK(memory == 6);
}

static void wrong_calls(void) {
  static const xylem_codelet nothing = {.name = "nothing"};
  int memory = 1;
  xylem_data* data = xylem_data_variable(&memory, sizeof memory);
  xylem_data* twice[2] = {data, data};
  static const xylem_codelet two = {.cpu = add, .accesses = 2, .modes = {xylem_read, xylem_write}};
  static const xylem_codelet no_mode = {.cpu = add, .accesses = 1};
  xylem_data* missing = NULL;
  CHECK(xylem_submit(NULL, NULL, NULL) == EINVAL);
  CHECK(xylem_submit(&nothing, NULL, NULL) == EINVAL);
  CHECK(xylem_submit(&adding, NULL, NULL) == EINVAL);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &missing}, NULL) == EINVAL);
  CHECK(xylem_submit(&two, &(xylem_task_options){.data = twice}, NULL) == EINVAL);
  CHECK(xylem_submit(&no_mode, &(xylem_task_options){.data = &data}, NULL) == EINVAL);
  CHECK(xylem_data_acquire(data, xylem_commute) == EINVAL);
  CHECK(xylem_data_set_reduction(data, NULL, NULL) == EINVAL);
  CHECK(xylem_codelet_policy("eager") == EBUSY);
  CHECK(xylem_codelet_policy("none of these") == EINVAL);
  CHECK(xylem_data_unregister(data) == 0);
  CHECK(memory == 1);
}

int main(void) {
  failed_writer();
  wrong_calls();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
