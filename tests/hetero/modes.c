/* Tasks that commute, reduce, or have scratch memory; callbacks; tasks that wait for others. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

enum { tasks = 500, length = 100 };

static atomic_int inside[2];

/* Two pieces, each of which one task may have at a time. */
static int swap_in(const xylem_view* views, void* argument) {
  const int number = *(int*)argument;
  long* one = views[0].data;
  long* other = views[1].data;
  if (atomic_fetch_add(&inside[0], 1) != 0) return 1;
  *one += number;
  *other -= number;
  atomic_fetch_sub(&inside[0], 1);
  return 0;
}

static void commuting(void) {
  static const xylem_codelet codelet = {
      .cpu = swap_in, .accesses = 2, .modes = {xylem_commute, xylem_commute}};
  long memory[2] = {0, 0};
  xylem_data* data[2];
  for (int i = 0; i < 2; ++i) data[i] = xylem_data_variable(&memory[i], sizeof memory[i]);
  xylem_data* turned[2] = {data[1], data[0]};
  long sum = 0;
  for (int i = 1; i <= tasks; ++i) {
    xylem_task_options options = {
        .data = i % 2 ? data : turned, .argument = &i, .argument_bytes = sizeof i};
    CHECK(xylem_submit(&codelet, &options, NULL) == 0);
    sum += i % 2 ? i : -i;
  }
  for (int i = 0; i < 2; ++i) CHECK(xylem_data_unregister(data[i]) == 0);
  CHECK(memory[0] == sum && memory[1] == -sum);
}

static void zeros(const xylem_view* copy) {
  for (unsigned long i = 0; i < copy->x; ++i) ((long*)copy->data)[i] = 0;
}

static void add(const xylem_view* into, const xylem_view* from) {
  for (unsigned long i = 0; i < into->x; ++i) ((long*)into->data)[i] += ((long*)from->data)[i];
}

/* Counts in scratch memory first. */
static int count(const xylem_view* views, void* argument) {
  char* scratch = views[1].data;
  memset(scratch, 1, views[1].x);
  for (unsigned long i = 0; i < views[0].x; ++i)
    ((long*)views[0].data)[i] += scratch[i] * *(int*)argument;
  return 0;
}

static int double_all(const xylem_view* views, void* argument) {
  (void)argument;
  for (unsigned long i = 0; i < views[0].x; ++i) ((long*)views[0].data)[i] *= 2;
  return 0;
}

static void reducing(int with_value) {
  static const xylem_codelet counting = {
      .cpu = count, .accesses = 2, .modes = {xylem_reduce, xylem_scratch}};
  static const xylem_codelet doubling = {
      .cpu = double_all, .accesses = 1, .modes = {xylem_read_write}};
  long memory[length];
  for (int i = 0; i < length; ++i) memory[i] = 7;
  xylem_data* data[2] = {xylem_data_vector(with_value ? memory : NULL, length, sizeof(long)),
                         xylem_data_vector(NULL, length, 1)};
  CHECK(xylem_submit(&counting, &(xylem_task_options){.data = data}, NULL) == EINVAL);
  CHECK(xylem_data_set_reduction(data[0], zeros, add) == 0);
  long expected = with_value ? 7 : 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < tasks; ++i) {
      CHECK(xylem_submit(
                &counting,
                &(xylem_task_options){.data = data, .argument = &i, .argument_bytes = sizeof i},
                NULL) == 0);
      expected += i;
    }
    CHECK(xylem_submit(&doubling, &(xylem_task_options){.data = data}, NULL) == 0);
    expected *= 2;
  }
  CHECK(xylem_data_acquire(data[0], xylem_read) == 0);
  xylem_view view;
  CHECK(xylem_data_view(data[0], &view) == 0);
  for (int i = 0; i < length; ++i) CHECK(((long*)view.data)[i] == expected);
  CHECK(xylem_data_release(data[0]) == 0);
  CHECK(xylem_data_unregister(data[0]) == 0);
  CHECK(xylem_data_unregister(data[1]) == 0);
}

static atomic_int ran, called;

static int run(const xylem_view* views, void* argument) {
  (void)views;
  CHECK(argument == &ran);
  CHECK(xylem_current_executor() >= 0 && xylem_current_executor() < xylem_executor_count());
  atomic_fetch_add(&ran, 1);
  return 0;
}

static void note_call(void* argument) {
  CHECK(argument == &called);
  CHECK(atomic_load(&called) < atomic_load(&ran));
  atomic_fetch_add(&called, 1);
}

static int runs_last(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  return atomic_load(&ran) == tasks && atomic_load(&called) == tasks ? 0 : 1;
}

/* Without data: one task after many. */
static void told(void) {
  static const xylem_codelet many = {.name = "many", .cpu = run};
  static const xylem_codelet last = {.name = "last", .cpu = runs_last};
  xylem_task* before[tasks];
  for (int i = 0; i < tasks; ++i)
    CHECK(xylem_submit(&many,
                       &(xylem_task_options){
                           .argument = &ran, .callback = note_call, .callback_argument = &called},
                       &before[i]) == 0);
  xylem_task* end = NULL;
  CHECK(xylem_submit(&last, &(xylem_task_options){.after = before, .after_count = tasks}, &end) ==
        0);
  CHECK(xylem_task_wait(end) == 0);
  for (int i = 0; i < tasks; ++i) xylem_task_release(before[i]);
  CHECK(xylem_current_executor() == -1);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  commuting();
  reducing(1);
  reducing(0);
  told();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
