/* What a tool is told of explicit tasks, of dependences between them, of copyprivate and of the
 * error directive. Compiled by GCC and, in tests/kmp, by Clang: the tool is told the same. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ompt.h"

enum { most_tasks = 4000, most_pairs = 100 };

static ompt_get_unique_id_t get_unique_id;

/* By a task's number, which the tool gives it. */
static struct { int flags, begun, switched_out, ended[16]; } tasks[most_tasks];
static struct { uint64_t source, sink; } pairs[most_pairs];
static int created, pair_count, dependences, work_open, groups_begun, groups_ended, inner_barriers;
static int taskloop_begins, errors;
static long long taskloop_iterations, chunk_iterations;
static uint64_t last_created;

static int add(int* counter) { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void on_implicit_task(int endpoint, ompt_data_t* region, ompt_data_t* task, unsigned threads,
                             unsigned number, int flags) {
  (void)region, (void)threads, (void)number, (void)flags;
  if (endpoint == ompt_scope_begin) task->value = most_tasks;  // none of the table's
}

static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int has_dependences, const void* code) {
  (void)creator, (void)has_dependences;
  expect_true("where the task was made is known", code != NULL && frame->enter_frame.ptr != NULL);
  task->value = (uint64_t)add(&created) + 1;
  tasks[task->value].flags = flags;
  __atomic_store_n(&last_created, task->value, __ATOMIC_RELAXED);
}

static void on_task_schedule(ompt_data_t* before, int status, ompt_data_t* next) {
  if (before->value < most_tasks) {
    if (status == ompt_task_switch || status == ompt_task_yield)
      add(&tasks[before->value].switched_out);
    else
      add(&tasks[before->value].ended[status]);
  }
  if (next && next->value < most_tasks) add(&tasks[next->value].begun);
}

static void on_dependences(ompt_data_t* task, const ompt_dependence_t* all, int count) {
  (void)all;
  expect_true("dependences of a task that was told of", task->value > 0);
  __atomic_fetch_add(&dependences, count, __ATOMIC_RELAXED);
}

static void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  const int i = add(&pair_count);
  if (i < most_pairs) {
    pairs[i].source = source->value;
    pairs[i].sink = sink->value;
  }
}

static void on_sync_region(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                           const void* code) {
  (void)region, (void)task, (void)code;
  if (kind == ompt_sync_region_taskgroup)
    add(endpoint == ompt_scope_begin ? &groups_begun : &groups_ended);
  if (kind == ompt_sync_region_barrier_implementation && endpoint == ompt_scope_begin)
    add(&inner_barriers);
}

static void on_work(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, uint64_t count,
                    const void* code) {
  (void)region, (void)task, (void)code;
  if (kind != ompt_work_taskloop) return;
  work_open += endpoint == ompt_scope_begin ? 1 : -1;
  if (endpoint != ompt_scope_begin) return;
  ++taskloop_begins;
  taskloop_iterations += (long long)count;
}

static void on_dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  (void)region;
  if (kind != ompt_dispatch_taskloop_chunk) return;
  expect_true("a chunk of a task that was told of", task->value > 0 && task->value < most_tasks);
  const ompt_dispatch_chunk_t* chunk = instance.ptr;
  __atomic_fetch_add(&chunk_iterations, (long long)chunk->iterations, __ATOMIC_RELAXED);
}

static void on_error(int severity, const char* message, size_t length, const void* code) {
  expect_equal("severity", severity, 1);
  expect_true("where the directive stands is known", code != NULL);
  expect_true("its message", length == 8 && memcmp(message, "a remark", 8) == 0);
  add(&errors);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
  expect_equal("dependences between tasks are told",
               set(ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence),
               ompt_set_always);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  set(ompt_callback_error, (ompt_callback_t)on_error);
  return 1;
}

static void finalize(ompt_data_t* tool) { (void)tool; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static uint64_t last(void) { return __atomic_load_n(&last_created, __ATOMIC_RELAXED); }

static void expect_complete(const char* what, uint64_t task) {
  expect_equal(what, tasks[task].ended[ompt_task_complete], 1);
}

/* The first task ends when all are made, so each later one has one that is not complete before. */
static void chain(void) {
  int word = 0, go = 0, seen = 0;
  const int first_pair = pair_count, first_dependence = dependences;
  uint64_t numbers[5];
  for (int i = 0; i < 5; i++) {
#pragma omp task shared(word, go) depend(inout : word)
    {
      while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
      }
      word++;
    }
    numbers[i] = last();
  }
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait depend(in : word)
  seen = word;
#pragma omp taskwait
  expect_equal("the chain has ended", seen, 5);
  expect_equal("clauses, with the wait's", dependences - first_dependence, 6);
  for (int i = 0; i < 4; i++) {
    expect_equal("who is waited for", (long long)pairs[first_pair + i].source,
                 (long long)numbers[i]);
    expect_equal("who waits", (long long)pairs[first_pair + i].sink, (long long)numbers[i + 1]);
    expect_complete("a task of the chain", numbers[i + 1]);
  }
}

static void flags(void) {
  int ran = 0;
#pragma omp task if (0) shared(ran)
  ran++;
  expect_true("undeferred", (tasks[last()].flags & ompt_task_undeferred) != 0);
  expect_complete("an undeferred task", last());
  expect_equal("an undeferred task begins", tasks[last()].begun, 1);
#pragma omp task final(1) shared(ran)
  {
#pragma omp task shared(ran)
    {
      ran++;
      expect_true("an included task",
                  (tasks[last()].flags & (ompt_task_undeferred | ompt_task_final)) ==
                      (ompt_task_undeferred | ompt_task_final));
    }
    ran++;
  }
#pragma omp taskwait
  expect_equal("tasks ran", ran, 3);
}

/* Clang's untied tasks run in parts: they are left in between, and end once. */
static void untied(void) {
  int inner = 0;
#pragma omp task untied shared(inner)
  {
#pragma omp task shared(inner)
    __atomic_fetch_add(&inner, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
    __atomic_fetch_add(&inner, 1, __ATOMIC_RELAXED);
  }
#pragma omp taskwait
  expect_equal("parts of an untied task", inner, 2);
}

static void expect_untied(uint64_t first, uint64_t end) {
  int found = 0;
  for (uint64_t i = first; i < end; i++) {
    if (!(tasks[i].flags & ompt_task_untied)) continue;
    found++;
    expect_complete("an untied task", i);
    expect_equal("as often left as it goes on", tasks[i].begun, tasks[i].switched_out + 1);
  }
  expect_equal("untied tasks", found, 1);
}

static void taskloop(void) {
  int sum = 0;
  const int groups = groups_ended, tasks_before = created;
#pragma omp taskloop num_tasks(4) shared(sum)
  for (int i = 3; i < 25; i += 2) __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  expect_equal("the taskloop's sum", sum, 143);
  expect_equal("tasks of the loop", created - tasks_before, 4);
  expect_equal("its taskgroup", groups_ended - groups, 1);
#pragma omp taskloop grainsize(5) nogroup shared(sum)
  for (int i = 10; i > 0; i--) __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
#pragma omp taskwait
  expect_equal("taskloops", taskloop_begins, 2);
  expect_equal("that are open", work_open, 0);
  expect_equal("their iterations", taskloop_iterations, 21);
  expect_equal("their tasks' iterations", chunk_iterations, 21);
}

static void detach(void) {
  omp_event_handle_t event = 0;
  int go = 0;
#pragma omp task detach(event) shared(go)
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  const uint64_t task = last();
#pragma omp taskyield
  while (!__atomic_load_n(&tasks[task].ended[ompt_task_detach], __ATOMIC_RELAXED)) {
#pragma omp taskyield
  }
  omp_fulfill_event(event);
#pragma omp taskwait
  expect_equal("fulfilled after its end", tasks[task].ended[ompt_task_late_fulfill], 1);
}

/* early: the group is cancelled before any of the six is made. */
static void cancelled(int early) {
  const int before = created;
#pragma omp taskgroup
  {
#pragma omp task if (0) firstprivate(early)
    {
      if (early) {
#pragma omp cancel taskgroup
      }
    }
    for (int i = 0; i < 6; i++) {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
    }
  }
  int ended = 0, discarded = 0;
  for (int i = before + 1; i <= created; i++) {
    ended += tasks[i].ended[ompt_task_complete] + tasks[i].ended[ompt_task_cancel];
    discarded += tasks[i].ended[ompt_task_cancel] && !tasks[i].begun;
  }
  expect_equal("tasks of a cancelled group, run or not", ended, created - before);
  if (early) expect_equal("made when all was cancelled", discarded, 6);
}

int main(void) {
  uint64_t first = 0, end = 0;
#pragma omp parallel num_threads(3)
  {
    int copied;
#pragma omp single copyprivate(copied)
    copied = 42;
    expect_equal("copied", copied, 42);
#pragma omp single
    {
      chain();
      flags();
      first = (uint64_t)created + 1;
      untied();
      end = (uint64_t)created + 1;
      taskloop();
      detach();
      cancelled(0);
      cancelled(1);
#pragma omp error at(execution) severity(warning) message("a remark")
    }
  }
  expect_untied(first, end);
  expect_true("copyprivate has barriers inside", inner_barriers >= 3);
  expect_equal("taskgroups begin and end", groups_begun, groups_ended);
  expect_equal("error directives", errors, 1);
  for (int i = 1; i <= created; i++) {
    const int waits = (tasks[i].flags & ompt_task_taskwait) != 0;
    const int* ended = tasks[i].ended;
    expect_equal("each task ends once",
                 ended[ompt_task_complete] + ended[ompt_task_cancel] + ended[ompt_task_detach] +
                     ended[ompt_taskwait_complete],
                 1);
    if (!waits && !ended[ompt_task_cancel])
      expect_equal("each task goes on as often as it is left", tasks[i].begun,
                   tasks[i].switched_out + 1);
  }
  return expect_result();
}
