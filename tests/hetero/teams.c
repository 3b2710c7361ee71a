/* Codelets that open parallel regions (xylem_codelet::most_threads), on four processors: a task has
 * its own processor and those with nothing else to do, at most as many as it may, and, where times
 * are measured, as many as take least. */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { processors = 4, length = 1000 };

static atomic_int begun; /* tasks that are inside holds() */
static atomic_int over;

static int hold(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  atomic_fetch_add(&begun, 1);
  while (!atomic_load(&over)) usleep(200);
  return 0;
}

/* Threads of a region, and what it was told that it would have. */
static int count_threads(const xylem_view* views, void* argument) {
  (void)argument;
  int* threads = views[0].data;
  int members = 0;
  const int told = omp_get_max_threads();
#pragma omp parallel reduction(+ : members)
  members += 1;
  *threads = told == members ? members : -1;
  return 0;
}

/* What it sets is its own affair. */
static int count_and_set(const xylem_view* views, void* argument) {
  count_threads(views, argument);
  omp_set_num_threads(3);
  omp_set_max_active_levels(7);
  return 0;
}

static int sum_up(const xylem_view* views, void* argument) {
  (void)argument;
  const int* x = views[1].data;
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < (int)views[1].x; ++i) sum += x[i];
  *(long*)views[0].data += sum;
  return 0;
}

static const xylem_codelet holding = {.cpu = hold};
#define COUNTING(name, function, most) \
  static const xylem_codelet name = {  \
      .cpu = (function), .accesses = 1, .modes = {xylem_write}, .most_threads = (most)}
COUNTING(counting, count_and_set, 100);
COUNTING(counting_two, count_threads, 2);
COUNTING(serial, count_threads, 0);
COUNTING(serial_setting, count_and_set, 0);
static const xylem_codelet summing = {
    .cpu = sum_up, .accesses = 2, .modes = {xylem_read_write, xylem_read}, .most_threads = 3};

static int threads_of(const xylem_codelet* codelet) {
  int threads = 0;
  xylem_data* data = xylem_data_variable(&threads, sizeof threads);
  xylem_task* task;
  CHECK(xylem_submit(codelet, &(xylem_task_options){.data = &data}, &task) == 0);
  CHECK(xylem_task_wait(task) == 0);
  CHECK(xylem_data_unregister(data) == 0);
  return threads;
}

/* The others' processors are busy. */
static void beside(int others) {
  atomic_store(&begun, 0);
  atomic_store(&over, 0);
  for (int i = 0; i < others; ++i)
    CHECK(xylem_submit(&holding, &(xylem_task_options){0}, NULL) == 0);
  while (atomic_load(&begun) < others) usleep(200);
  CHECK(threads_of(&counting) == processors - others);
  CHECK(threads_of(&counting_two) == (others == processors - 1 ? 1 : 2));
  atomic_store(&over, 1);
  CHECK(xylem_wait_all() == 0);
}

static void sums(void) {
  int x[length];
  long sum = 5;
  for (int i = 0; i < length; ++i) x[i] = i;
  xylem_data* data[] = {xylem_data_variable(&sum, sizeof sum),
                        xylem_data_vector(x, length, sizeof *x)};
  for (int i = 0; i < 50; ++i)
    CHECK(xylem_submit(&summing, &(xylem_task_options){.data = data}, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(xylem_data_unregister(data[i]) == 0);
  CHECK(sum == 5 + 50l * (length * (length - 1) / 2));
}

/* Two threads are the best, of one, two and four. */
static int take(const xylem_view* views, void* argument) {
  (void)argument;
  const int threads = omp_get_max_threads();
  *(int*)views[0].data = threads;
  usleep(threads == 2 ? 1000 : threads == 1 ? 9000 : 20000);
  return 0;
}
static const xylem_codelet taking = {
    .cpu = take, .accesses = 1, .modes = {xylem_write}, .most_threads = processors};

static void learned(void) {
  int had[processors + 1] = {0};
  for (int i = 0; i < 12; ++i) {
    const int threads = threads_of(&taking);
    CHECK(threads >= 1 && threads <= processors);
    ++had[threads];
  }
  CHECK(had[1] >= 1 && had[2] >= 1 && had[4] >= 1 && had[3] == 0);
  for (int i = 0; i < 5; ++i) CHECK(threads_of(&taking) == 2);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  CHECK(xylem_executor_count() == processors);
  const int own = omp_get_max_threads();
  const int levels = omp_get_max_active_levels();
  if (argc > 1) return learned(), 0;
  const int before = threads_of(&serial);
  for (int others = 0; others < processors; ++others) beside(others);
  sums();
  CHECK(threads_of(&serial) == before);
  for (int i = 0; i < 20; ++i) CHECK(threads_of(&serial_setting) == before);
  CHECK(omp_get_max_threads() == own && omp_get_max_active_levels() == levels);
  return 0;
}
