/* Data's lives: acquired between tasks, ended with and without waiting, without a value. */
#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static int slow_add(const xylem_view* views, void* argument) {
  (void)argument;
  usleep(1000);
  *(int*)views[0].data += 1;
  return 0;
}

static int set(const xylem_view* views, void* argument) {
  *(int*)views[0].data = *(int*)argument;
  return 0;
}

// Runs until the gate is open.
static atomic_int gate;
static int add_later(const xylem_view* views, void* argument) {
  while (!atomic_load(&gate)) usleep(100);
  return slow_add(views, argument);
}

static const xylem_codelet adding_later = {
    .cpu = add_later, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet adding = {.cpu = slow_add, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet setting = {.cpu = set, .accesses = 1, .modes = {xylem_write}};

static void ended_while_used(void) {
  int now = 0, later = 0;
  xylem_data* one = xylem_data_variable(&now, sizeof now);
  xylem_data* other = xylem_data_variable(&later, sizeof later);
  CHECK(xylem_submit(&adding_later, &(xylem_task_options){.data = &other}, NULL) == 0);
  for (int i = 0; i < 20; ++i) {
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &one}, NULL) == 0);
    if (i > 0) CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &other}, NULL) == 0);
  }
  CHECK(xylem_data_unregister_later(other) == 0);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &other}, NULL) == EBUSY);
  atomic_store(&gate, 1);
  CHECK(xylem_data_unregister(one) == 0);
  CHECK(now == 20);
  CHECK(xylem_wait_all() == 0);
  CHECK(later == 20);
}

static void without_value(void) {
  xylem_data* data = xylem_data_variable(NULL, sizeof(int));
  CHECK(xylem_data_acquire(data, xylem_read) == ENODATA);
  xylem_task* task = NULL;
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, &task) == 0);
  CHECK(xylem_task_wait(task) == ENODATA);
  CHECK(xylem_wait_all() == ENODATA);
  int five = 5;
  xylem_task_options options = {.data = &data, .argument = &five, .argument_bytes = sizeof five};
  CHECK(xylem_submit(&setting, &options, NULL) == 0);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, &task) == 0);
  CHECK(xylem_task_wait(task) == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == 0);
  xylem_view view;
  CHECK(xylem_data_view(data, &view) == 0 && *(int*)view.data == 6);
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_data_release(data) == EINVAL);
  CHECK(xylem_data_invalidate(data) == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == ENODATA);
  CHECK(xylem_data_unregister(data) == 0);
}

/* An access that nobody waits for: its turn, its error, and that others wait for it. */
typedef struct {
  xylem_data* data;
  atomic_int came;
  int error;
} turn;

static void record_turn(void* argument, int error) {
  turn* t = argument;
  t->error = error;
  atomic_store(&t->came, 1);
}

static void wait_for_turn(turn* t) {
  while (!atomic_load(&t->came)) usleep(100);
}

static void acquired_without_waiting(void) {
  int memory = 1;
  xylem_data* data = xylem_data_variable(&memory, sizeof memory);
  turn read = {.data = data}, write = {.data = data}, refused = {.data = data};
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, NULL) == 0);
  CHECK(xylem_data_acquire_then(data, xylem_read, record_turn, &read) == 0);
  CHECK(xylem_data_acquire_then(data, xylem_read_write, record_turn, &write) == 0);
  xylem_task* last = NULL;
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, &last) == 0);
  wait_for_turn(&read);
  CHECK(read.error == 0 && memory == 2);
  usleep(2000);
  CHECK(!atomic_load(&write.came)); /* the reader holds it up */
  CHECK(xylem_data_release(data) == 0);
  wait_for_turn(&write);
  memory = 10;
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_task_wait(last) == 0 && memory == 11);
  CHECK(xylem_data_acquire_then(data, xylem_scratch, record_turn, &refused) == EINVAL);
  CHECK(xylem_data_unregister(data) == 0);
}

static void release_soon(void* argument, int error) {
  turn* t = argument;
  atomic_store(&t->came, 1); /* before the release, with which xylem_wait_all() may return */
  CHECK(error == 0 && xylem_data_release(t->data) == 0);
}

static void given_up(void) {
  xylem_data* data = xylem_data_variable(NULL, sizeof(int));
  turn none = {.data = data}, write = {.data = data}, soon = {.data = data};
  CHECK(xylem_data_give_up(data) == EINVAL);
  CHECK(xylem_data_acquire_then(data, xylem_read, record_turn, &none) == 0);
  wait_for_turn(&none);
  CHECK(none.error == ENODATA);
  CHECK(xylem_data_acquire_then(data, xylem_write, record_turn, &write) == 0);
  wait_for_turn(&write);
  CHECK(write.error == 0);
  CHECK(xylem_data_give_up(data) == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == ENODATA);
  CHECK(xylem_data_acquire_then(data, xylem_write, release_soon, &soon) == 0);
  CHECK(xylem_wait_all() == 0 && atomic_load(&soon.came));
  CHECK(xylem_data_unregister(data) == 0);
}

/* Submitted, and waited for, by all members of a team; a region inside a codelet. */
static int sum_in_team(const xylem_view* views, void* argument) {
  (void)argument;
  if (omp_get_num_threads() != 1) return 1;
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; ++i) sum += i;
  *(int*)views[0].data += sum;
  return 0;
}

static void from_a_team(void) {
  static const xylem_codelet summing = {
      .cpu = sum_in_team, .accesses = 1, .modes = {xylem_read_write}};
  int shared = 0;
  xylem_data* data = xylem_data_variable(&shared, sizeof shared);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
    xylem_task* task = NULL;
    CHECK(xylem_submit(&summing, &(xylem_task_options){.data = &data}, &task) == 0);
    if (i % 5 == 0)
      CHECK(xylem_task_wait(task) == 0);
    else
      xylem_task_release(task);
  }
  CHECK(xylem_data_unregister(data) == 0);
  CHECK(shared == 4 * 50 * 4950);
}

static atomic_int used_scratch;
static int use_scratch(const xylem_view* views, void* argument) {
  (void)argument;
  usleep(50000);
  CHECK(views[0].x == 100 && views[0].kind == xylem_vector);
  ((int*)views[0].data)[99] = 1;
  atomic_fetch_add(&used_scratch, 1);
  return 0;
}

/* Memory for tasks alone: the handle lives until they have run, whatever ends it. */
static void scratch_ends(void) {
  static const xylem_codelet codelet = {
      .cpu = use_scratch, .accesses = 1, .modes = {xylem_scratch}};
  xylem_data* scratch = xylem_data_vector(NULL, 100, sizeof(int));
  for (int i = 0; i < 5; ++i)
    CHECK(xylem_submit(&codelet, &(xylem_task_options){.data = &scratch}, NULL) == 0);
  CHECK(xylem_data_unregister(scratch) == 0);
  CHECK(atomic_load(&used_scratch) == 5);
  scratch = xylem_data_vector(NULL, 300, sizeof(int));
  CHECK(xylem_data_partition(scratch, 3, 1, 1) == 0);
  for (int i = 0; i < 6; ++i) {
    xylem_data* part = xylem_data_part(scratch, i % 3);
    CHECK(xylem_submit(&codelet, &(xylem_task_options){.data = &part}, NULL) == 0);
  }
  CHECK(xylem_data_unpartition(scratch) == 0);
  CHECK(xylem_data_unregister_later(scratch) == 0);
  CHECK(xylem_wait_all() == 0);
  CHECK(atomic_load(&used_scratch) == 11);
}

int main(void) {
  ended_while_used();
  without_value();
  from_a_team();
  scratch_ends();
  acquired_without_waiting();
  given_up();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
