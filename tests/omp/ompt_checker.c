// A tool that checks what it is told, for any program: each begin has its end, on the same thread
// and in the order of a stack; tasks follow each other; data are the tool's own; and a thread is
// one to thread-local data too. What is wrong ends the process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompt.h"

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_unique_id_t get_unique_id;

enum { most_open = 4096 };

// Of what is open on a thread.
struct open {
  int event, kind;
  const void* task;
};

struct thread {
  struct open open[most_open];
  int count;
  ompt_data_t* task;  // that it runs
};

// The thread that thread-local data say.
static __thread struct thread* own_thread;
static int callbacks_called;

#define check(holds, ...)                 \
  do {                                    \
    if (!(holds)) {                       \
      fprintf(stderr, "ompt_checker: ");  \
      fprintf(stderr, __VA_ARGS__);       \
      fprintf(stderr, " [%s]\n", #holds); \
      fflush(NULL);                       \
      abort();                            \
    }                                     \
  } while (0)

static struct thread* this_thread(void) {
  ompt_data_t* data = get_thread_data();
  check(data && data->ptr, "no data of the thread");
  check(data->ptr == own_thread, "data %p and thread-local data %p are of two threads", data->ptr,
        (void*)own_thread);
  __atomic_fetch_add(&callbacks_called, 1, __ATOMIC_RELAXED);
  return data->ptr;
}

static void begin(int event, int kind, const void* task) {
  struct thread* self = this_thread();
  check(self->count < most_open, "too much is open");
  self->open[self->count++] = (struct open){event, kind, task};
}

static void end(int event, int kind, const void* task) {
  struct thread* self = this_thread();
  check(self->count > 0, "event %d of kind %d ends, and nothing is open", event, kind);
  const struct open* top = &self->open[--self->count];
  check(top->event == event && top->kind == kind && top->task == task,
        "event %d of kind %d ends, open is %d of kind %d", event, kind, top->event, top->kind);
}

static void scope(int event, int kind, int endpoint, const void* task) {
  check(endpoint == ompt_scope_begin || endpoint == ompt_scope_end, "endpoint %d", endpoint);
  if (endpoint == ompt_scope_begin)
    begin(event, kind, task);
  else
    end(event, kind, task);
}

static void is_current(const ompt_data_t* task) {
  ompt_data_t* told = NULL;
  check(get_task_info(0, NULL, &told, NULL, NULL, NULL) == 2, "no task");
  check(told == task, "the current task's data are %p, told are %p", (void*)told, (void*)task);
  check(this_thread()->task == task, "the thread runs another task");
  check(task->value != 0, "a task without a number");
}

static void on_thread_begin(int kind, ompt_data_t* data) {
  check(kind == ompt_thread_initial || kind == ompt_thread_worker, "kind of thread %d", kind);
  check(data->ptr == NULL && own_thread == NULL, "a thread begins twice");
  data->ptr = own_thread = calloc(1, sizeof(struct thread));
}

static void on_thread_end(ompt_data_t* data) {
  check(data->ptr && data->ptr == own_thread, "another thread ends");
  check(own_thread->count == 0, "a thread ends in event %d", own_thread->open[0].event);
  free(own_thread);
  data->ptr = own_thread = NULL;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned wanted, int flags, const void* code) {
  is_current(task);
  check(frame->enter_frame.ptr && code, "nobody knows where the region was opened");
  check(region->value == 0, "a region has data before the tool has seen it");
  check(wanted > 0 || (flags & 0x40000000), "no thread was asked for");
  region->value = get_unique_id();
  begin(ompt_callback_parallel_begin, 0, region);
}

static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)flags, (void)code;
  end(ompt_callback_parallel_begin, 0, region);
  is_current(task);
}

static void begin_implicit_task(ompt_data_t* region, ompt_data_t* task, unsigned threads,
                                unsigned number, int flags) {
  check(task->value == 0, "a task has data before the tool has seen it");
  task->value = get_unique_id();
  if (flags & ompt_task_initial) {
    if (region->value == 0) region->value = get_unique_id();
  } else {
    int told_threads = 0;
    check(number < threads, "thread %u of %u", number, threads);
    check(get_parallel_info(0, NULL, &told_threads) == 2 && told_threads == (int)threads,
          "%d threads in the region, told are %u", told_threads, threads);
  }
  check(region->value != 0, "a task of a region that was not told of");
  begin(ompt_callback_implicit_task, (int)number, task);
  // What the thread ran before goes on afterwards.
  struct thread* self = this_thread();
  self->open[self->count - 1].task = self->task;
  self->task = task;
}

static void on_implicit_task(int endpoint, ompt_data_t* region, ompt_data_t* task, unsigned threads,
                             unsigned number, int flags) {
  if (endpoint == ompt_scope_begin)
    return begin_implicit_task(region, task, threads, number, flags);
  struct thread* self = this_thread();
  check(region == NULL, "a region at a task's end");
  check(self->task == task, "another task ends");
  check(self->count > 0, "a task ends that never began");
  self->task = (ompt_data_t*)self->open[self->count - 1].task;
  end(ompt_callback_implicit_task, (int)number, self->task);
}

static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int has_dependences, const void* code) {
  (void)has_dependences, (void)code, (void)frame;
  is_current(creator);
  check(flags & (ompt_task_explicit | ompt_task_taskwait), "flags of a task: %x", flags);
  check(task->value == 0, "a new task has data");
  task->value = get_unique_id();
}

static void on_task_schedule(ompt_data_t* before, int status, ompt_data_t* next) {
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill ||
      status == ompt_taskwait_complete)
    return;
  struct thread* self = this_thread();
  check(before->value && next->value, "a task that was not told of");
  /* A task that was cancelled before it began; else it was running when it ended. */
  if (status == ompt_task_cancel && self->task != before) return is_current(next);
  check(self->task == before, "the thread leaves another task than it runs");
  self->task = next;
}

static void on_sync_region(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                           const void* code) {
  (void)region, (void)code;
  is_current(task);
  scope(ompt_callback_sync_region, kind, endpoint, task);
}

static void on_sync_region_wait(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                                const void* code) {
  (void)region, (void)code;
  is_current(task);
  scope(ompt_callback_sync_region_wait, kind, endpoint, task);
}

static void on_work(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, uint64_t count,
                    const void* code) {
  (void)count, (void)code;
  check(region->value, "work in a region that was not told of");
  is_current(task);
  scope(ompt_callback_work, kind, endpoint, task);
}

static void on_masked(int endpoint, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)region, (void)code;
  is_current(task);
  scope(ompt_callback_masked, 0, endpoint, task);
}

static void on_dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  check(region->value, "a chunk in a region that was not told of");
  is_current(task);
  if (kind != ompt_dispatch_section)
    check(((ompt_dispatch_chunk_t*)instance.ptr)->iterations > 0, "an empty chunk");
}

static void on_dependences(ompt_data_t* task, const ompt_dependence_t* all, int count) {
  this_thread();
  check(task->value && count > 0, "dependences of nothing");
  for (int i = 0; i < count; ++i)
    check((all[i].dependence_type >= ompt_dependence_type_in &&
           all[i].dependence_type <= ompt_dependence_type_inoutset) ||
              all[i].dependence_type == ompt_dependence_type_out_all_memory,
          "kind of a dependence: %d", all[i].dependence_type);
}

static void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  this_thread();
  check(source != sink && source->value && sink->value && source->value != sink->value,
        "a dependence of task %p on task %p", (void*)sink, (void*)source);
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait_id,
                             const void* code) {
  (void)kind, (void)hint, (void)code;
  this_thread();
  check(wait_id && implementation, "a mutex without a name");
}

static void on_mutex(int kind, uint64_t wait_id, const void* code) {
  (void)kind, (void)code;
  this_thread();
  check(wait_id, "a mutex without a name");
}

static void on_cancel(ompt_data_t* task, int flags, const void* code) {
  (void)code;
  this_thread();
  check(task->value && flags, "nothing is cancelled");
}

static const struct {
  int event;
  void* callback;
} table[] = {
    {ompt_callback_thread_begin, on_thread_begin},
    {ompt_callback_thread_end, on_thread_end},
    {ompt_callback_parallel_begin, on_parallel_begin},
    {ompt_callback_parallel_end, on_parallel_end},
    {ompt_callback_implicit_task, on_implicit_task},
    {ompt_callback_task_create, on_task_create},
    {ompt_callback_task_schedule, on_task_schedule},
    {ompt_callback_sync_region, on_sync_region},
    {ompt_callback_sync_region_wait, on_sync_region_wait},
    {ompt_callback_work, on_work},
    {ompt_callback_masked, on_masked},
    {ompt_callback_dispatch, on_dispatch},
    {ompt_callback_dependences, on_dependences},
    {ompt_callback_task_dependence, on_task_dependence},
    {ompt_callback_mutex_acquire, on_mutex_acquire},
    {ompt_callback_mutex_acquired, on_mutex},
    {ompt_callback_mutex_released, on_mutex},
    {ompt_callback_lock_init, on_mutex_acquire},
    {ompt_callback_lock_destroy, on_mutex},
    {ompt_callback_cancel, on_cancel},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    check(set(table[i].event, (ompt_callback_t)table[i].callback) >= ompt_set_sometimes,
          "event %d is never raised", table[i].event);
  return 1;
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  if (getenv("OMPT_CHECKER_COUNTS")) fprintf(stderr, "ompt_checker: %d events\n", callbacks_called);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  check(version >= 201811 && strlen(runtime) > 0, "a runtime without a version");
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
