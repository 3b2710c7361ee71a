/* A program with a tool of its own: what the tool is told of each construct, in which order, with
 * which data, states and frames; what it may ask; how it ends. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "ompt.h"

int omp_control_tool(int command, int modifier, void* argument) __attribute__((weak));

static struct {
  ompt_set_callback_t set_callback;
  ompt_get_callback_t get_callback;
  ompt_get_thread_data_t get_thread_data;
  ompt_get_state_t get_state;
  ompt_get_parallel_info_t get_parallel_info;
  ompt_get_task_info_t get_task_info;
  ompt_get_task_memory_t get_task_memory;
  ompt_enumerate_states_t enumerate_states, enumerate_mutex_impls;
  ompt_get_number_t get_num_procs, get_num_places, get_place_num, get_proc_id, get_num_devices;
  ompt_get_unique_id_t get_unique_id;
  ompt_finalize_tool_t finalize_tool;
} ask;

/* Events by number, and of some their kinds: begins and ends. */
static int begun[most_events][16], ended[most_events][16], raised[most_events];
static int members_seen, states_seen[0x110], finalized;
static uint64_t waited_for;

static void count(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void count_scope(int event, int kind, int endpoint) {
  count(endpoint == ompt_scope_begin ? &begun[event][kind] : &ended[event][kind]);
}

static void note_state(void) {
  uint64_t wait_id = 0;
  const int state = ask.get_state(&wait_id);
  if (state >= 0 && state < 0x110) count(&states_seen[state]);
  if (wait_id) __atomic_store_n(&waited_for, wait_id, __ATOMIC_RELAXED);
}

static __thread uint64_t own_number;
static void on_thread_begin(int kind, ompt_data_t* data) {
  (void)kind;
  count(&raised[ompt_callback_thread_begin]);
  data->value = own_number = ask.get_unique_id();
}

static void on_thread_end(ompt_data_t* data) {
  count(&raised[ompt_callback_thread_end]);
  expect_equal("a thread ends on itself", (long long)data->value, (long long)own_number);
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned wanted, int flags, const void* code) {
  (void)task, (void)flags;
  count(&raised[ompt_callback_parallel_begin]);
  expect_equal("threads asked for", wanted, 3);
  expect_true("the encountering task is in the runtime", frame->enter_frame.ptr != NULL);
  expect_true("where the region was opened is known", code != NULL);
  region->value = 4711;
}

static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)flags, (void)code;
  count(&raised[ompt_callback_parallel_end]);
  expect_equal("the region's data", region->value, 4711);
}

static void on_implicit_task(int endpoint, ompt_data_t* region, ompt_data_t* task, unsigned threads,
                             unsigned number, int flags) {
  if (flags & ompt_task_initial) return;
  count_scope(ompt_callback_implicit_task, 0, endpoint);
  if (endpoint == ompt_scope_begin) {
    expect_equal("data of a task's region", region->value, 4711);
    expect_equal("threads", threads, 3);
    task->value = 100 + number;
    __atomic_fetch_or(&members_seen, 1 << number, __ATOMIC_RELAXED);
  } else {
    expect_equal("an implicit task's data", task->value, 100 + number);
    expect_true("no region at the end", region == NULL);
  }
}

static void on_sync_region(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                           const void* code) {
  (void)region, (void)task, (void)code;
  count_scope(ompt_callback_sync_region, kind, endpoint);
}

static void on_sync_region_wait(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                                const void* code) {
  (void)region, (void)task, (void)code;
  count_scope(ompt_callback_sync_region_wait, kind, endpoint);
  note_state();
}

static void on_work(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, uint64_t all,
                    const void* code) {
  (void)region, (void)task, (void)code;
  count_scope(ompt_callback_work, kind, endpoint);
  if (kind == ompt_work_loop_dynamic) expect_equal("iterations of the loop", (long long)all, 60);
}

static long long iterations_dispatched;
static void on_dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  (void)region, (void)task;
  if (kind != ompt_dispatch_ws_loop_chunk) return;
  const ompt_dispatch_chunk_t* chunk = instance.ptr;
  __atomic_fetch_add(&iterations_dispatched, (long long)chunk->iterations, __ATOMIC_RELAXED);
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait_id,
                             const void* code) {
  (void)hint, (void)implementation, (void)wait_id, (void)code;
  count(&begun[ompt_callback_mutex_acquire][kind]);
}
static void on_mutex_acquired(int kind, uint64_t wait_id, const void* code) {
  (void)wait_id, (void)code;
  count(&begun[ompt_callback_mutex_acquired][kind]);
}
static void on_mutex_released(int kind, uint64_t wait_id, const void* code) {
  (void)wait_id, (void)code;
  count(&begun[ompt_callback_mutex_released][kind]);
}
static void on_nest_lock(int endpoint, uint64_t wait_id, const void* code) {
  (void)wait_id, (void)code;
  count_scope(ompt_callback_nest_lock, 0, endpoint);
}

static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int has_dependences, const void* code) {
  (void)creator;
  expect_true("the creator is in the runtime", frame->enter_frame.ptr && frame->exit_frame.ptr);
  expect_true("where the task was created is known", code != NULL);
  expect_true("it is explicit", flags & ompt_task_explicit);
  count(&raised[ompt_callback_task_create]);
  task->value = has_dependences ? 1000 : 2000;
}

static void on_task_schedule(ompt_data_t* before, int status, ompt_data_t* next) {
  (void)before, (void)next;
  count(&begun[ompt_callback_task_schedule][status]);
}

static int dependences_by_kind[8];
static void on_dependences(ompt_data_t* task, const ompt_dependence_t* all, int number) {
  expect_equal("a task with dependences", task->value, 1000);
  for (int i = 0; i < number; ++i) count(&dependences_by_kind[all[i].dependence_type]);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void* argument, const void* code) {
  expect_true("where the tool was called is known", code != NULL);
  expect_equal("the argument", argument == &finalized, 1);
  return (int)(command * 10 + modifier);
}

static void set(int event, void* callback, int least) {
  expect_true("the event is raised", ask.set_callback(event, (ompt_callback_t)callback) >= least);
}

static void set_callbacks(void) {
  set(ompt_callback_thread_begin, on_thread_begin, ompt_set_always);
  set(ompt_callback_thread_end, on_thread_end, ompt_set_sometimes);
  set(ompt_callback_parallel_begin, on_parallel_begin, ompt_set_always);
  set(ompt_callback_parallel_end, on_parallel_end, ompt_set_always);
  set(ompt_callback_implicit_task, on_implicit_task, ompt_set_always);
  set(ompt_callback_sync_region, on_sync_region, ompt_set_always);
  set(ompt_callback_sync_region_wait, on_sync_region_wait, ompt_set_always);
  set(ompt_callback_work, on_work, ompt_set_sometimes);
  set(ompt_callback_dispatch, on_dispatch, ompt_set_sometimes);
  set(ompt_callback_mutex_acquire, on_mutex_acquire, ompt_set_always);
  set(ompt_callback_mutex_acquired, on_mutex_acquired, ompt_set_always);
  set(ompt_callback_mutex_released, on_mutex_released, ompt_set_always);
  set(ompt_callback_nest_lock, on_nest_lock, ompt_set_always);
  set(ompt_callback_task_create, on_task_create, ompt_set_always);
  set(ompt_callback_task_schedule, on_task_schedule, ompt_set_always);
  set(ompt_callback_dependences, on_dependences, ompt_set_always);
  set(ompt_callback_control_tool, on_control_tool, ompt_set_always);
}

static void look_up(ompt_function_lookup_t lookup) {
  const struct {
    const char* name;
    void* where;
  } names[] = {{"ompt_set_callback", &ask.set_callback},
               {"ompt_get_callback", &ask.get_callback},
               {"ompt_get_thread_data", &ask.get_thread_data},
               {"ompt_get_state", &ask.get_state},
               {"ompt_get_parallel_info", &ask.get_parallel_info},
               {"ompt_get_task_info", &ask.get_task_info},
               {"ompt_get_task_memory", &ask.get_task_memory},
               {"ompt_enumerate_states", &ask.enumerate_states},
               {"ompt_enumerate_mutex_impls", &ask.enumerate_mutex_impls},
               {"ompt_get_num_procs", &ask.get_num_procs},
               {"ompt_get_num_places", &ask.get_num_places},
               {"ompt_get_place_num", &ask.get_place_num},
               {"ompt_get_proc_id", &ask.get_proc_id},
               {"ompt_get_num_devices", &ask.get_num_devices},
               {"ompt_get_unique_id", &ask.get_unique_id},
               {"ompt_finalize_tool", &ask.finalize_tool}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const ompt_interface_fn_t found = lookup(names[i].name);
    expect_true(names[i].name, found != NULL);
    memcpy(names[i].where, &found, sizeof found);
  }
  expect_true("a name that is none", lookup("ompt_get_everything") == NULL);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  look_up(lookup);
  expect_equal("the host's number", device, 0);
  expect_equal("the tool's data", (long long)tool->value, 42);
  set_callbacks();
  ompt_callback_t found = NULL;
  expect_equal("a callback is set", ask.get_callback(ompt_callback_work, &found), 1);
  expect_true("it is that one", found == (ompt_callback_t)on_work);
  expect_equal("none is set", ask.get_callback(ompt_callback_flush, &found), 0);
  expect_equal("no such event", ask.set_callback(99, found), 0);
  return 1;
}

static void finalize(ompt_data_t* tool) {
  expect_equal("the tool's data at the end", (long long)tool->value, 42);
  ++finalized;
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {42}};
  expect_true("the version", version >= 202111);
  expect_true("the runtime's name", strncmp(runtime, "Xylem", 5) == 0);
  return &result;
}

/* --- what the program does ---------------------------------------------------------------------
 */

static omp_lock_t lock;

static void ask_in_task(int level_of_region, int expected_flags) {
  int flags = 0, number = -1, threads = 0;
  ompt_data_t *task = NULL, *region = NULL;
  ompt_frame_t* frame = NULL;
  expect_equal("the task is known", ask.get_task_info(0, &flags, &task, &frame, &region, &number),
               2);
  expect_equal("its flags", flags & 15, expected_flags);
  expect_equal("its region's data", (long long)region->value, 4711);
  expect_equal("its thread", number, omp_get_thread_num());
  expect_true("the runtime called it", frame->exit_frame.ptr != NULL);
  expect_true("and it is not in the runtime", frame->enter_frame.ptr == NULL);
  expect_equal("the region is known", ask.get_parallel_info(level_of_region, &region, &threads), 2);
  expect_equal("its threads", threads, 3);
  expect_equal("the thread works", ask.get_state(NULL), ompt_state_work_parallel);
}

static void tasks(void) {
  static int x, y;
#pragma omp task depend(out : x)
  {
    ask_in_task(0, ompt_task_explicit);
    x = 1;
  }
#pragma omp task depend(in : x) depend(inout : y)
  y = x;
#pragma omp taskwait
#pragma omp taskgroup
  {
#pragma omp task if (0)
    ask_in_task(0, ompt_task_explicit);
  }
}

static void locks(void) {
  omp_nest_lock_t nested;
  omp_init_nest_lock(&nested);
  omp_set_nest_lock(&nested);
  omp_set_nest_lock(&nested);
  omp_unset_nest_lock(&nested);
  omp_unset_nest_lock(&nested);
  omp_destroy_nest_lock(&nested);
}

static void run_region(void) {
#pragma omp parallel num_threads(3)
  {
    ask_in_task(0, ompt_task_implicit);
    expect_true("a thread has data", ask.get_thread_data()->value != 0);
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 60; ++i) usleep(10);
#pragma omp barrier
#pragma omp single
    tasks();
#pragma omp critical
    usleep(100);
    omp_set_lock(&lock);
    usleep(1000);
    omp_unset_lock(&lock);
#pragma omp master
    locks();
  }
}

static void check_counts(int regions) {
  const int members = 3 * regions;
  expect_equal("regions begun", raised[ompt_callback_parallel_begin], regions);
  expect_equal("regions ended", raised[ompt_callback_parallel_end], regions);
  expect_equal("members", members_seen, 7);
  expect_equal("implicit tasks begun", begun[ompt_callback_implicit_task][0], members);
  expect_equal("implicit tasks ended", ended[ompt_callback_implicit_task][0], members);
  expect_equal("loops begun", begun[ompt_callback_work][ompt_work_loop_dynamic], members);
  expect_equal("loops ended", ended[ompt_callback_work][ompt_work_loop_dynamic], members);
  expect_equal("iterations", iterations_dispatched, 60 * regions);
  expect_equal("singles", begun[ompt_callback_work][ompt_work_single_executor], regions);
  expect_equal("singles ended", ended[ompt_callback_work][ompt_work_single_executor], regions);
  expect_equal("others", begun[ompt_callback_work][ompt_work_single_other], 2 * regions);
  const int kinds[] = {ompt_sync_region_barrier_explicit, ompt_sync_region_taskwait,
                       ompt_sync_region_taskgroup, ompt_sync_region_barrier_implicit_workshare,
                       ompt_sync_region_barrier_implicit_parallel};
  for (int i = 0; i < 5; ++i) {
    const int all = begun[ompt_callback_sync_region][kinds[i]];
    expect_true("this kind is told of", all >= regions);
    expect_equal("its ends", ended[ompt_callback_sync_region][kinds[i]], all);
    expect_equal("its waits", begun[ompt_callback_sync_region_wait][kinds[i]], all);
    expect_equal("ends of waits", ended[ompt_callback_sync_region_wait][kinds[i]], all);
  }
  expect_equal("tasks", raised[ompt_callback_task_create], 3 * regions);
  expect_equal("tasks that ended", begun[ompt_callback_task_schedule][ompt_task_complete],
               3 * regions);
  expect_equal("dependences in", dependences_by_kind[ompt_dependence_type_in], regions);
  expect_equal("dependences out", dependences_by_kind[ompt_dependence_type_inout], 2 * regions);
  for (int kind = ompt_mutex_lock; kind <= ompt_mutex_critical; kind += 4) {
    expect_equal("acquiring", begun[ompt_callback_mutex_acquire][kind], members);
    expect_equal("acquired", begun[ompt_callback_mutex_acquired][kind], members);
    expect_equal("released", begun[ompt_callback_mutex_released][kind], members);
  }
  expect_equal("nested locks", begun[ompt_callback_mutex_acquired][ompt_mutex_nest_lock], regions);
  expect_equal("taken again", begun[ompt_callback_nest_lock][0], regions);
  expect_equal("and given", ended[ompt_callback_nest_lock][0], regions);
  expect_true("waiting in barriers", states_seen[ompt_state_wait_barrier_explicit] > 0);
  expect_true("waiting for tasks", states_seen[ompt_state_wait_taskwait] > 0);
}

static void check_enumerations(void) {
  int state = ompt_state_undefined, found = 0;
  const char* name = NULL;
  while (ask.enumerate_states(state, &state, &name)) {
    found += state == ompt_state_wait_critical;
    expect_true("a state has a name", strncmp(name, "ompt_state_", 11) == 0);
  }
  expect_equal("a state that exists", found, 1);
  int implementation = 0;
  expect_equal("a mutex", ask.enumerate_mutex_impls(0, &implementation, &name), 1);
  expect_equal("no other", ask.enumerate_mutex_impls(implementation, &implementation, &name), 0);
  expect_equal("processors", ask.get_num_procs(), omp_get_num_procs());
  expect_equal("places", ask.get_num_places(), omp_get_num_places());
  expect_equal("this place", ask.get_place_num(), omp_get_place_num());
  expect_true("this processor", ask.get_proc_id() >= 0);
  expect_equal("devices", ask.get_num_devices(), 0);
  expect_true("numbers differ", ask.get_unique_id() != ask.get_unique_id());
}

int main(void) {
  const int regions = 20;
  omp_init_lock(&lock);
  expect_equal("outside of regions", ask.get_state(NULL), ompt_state_work_serial);
  for (int i = 0; i < regions; ++i) run_region();
  check_counts(regions);
  check_enumerations();
  expect_between("threads", raised[ompt_callback_thread_begin], 3, 3 + 2 * regions);
  if (omp_control_tool) {
    expect_equal("the tool's answer", omp_control_tool(3, 4, &finalized), 34);
    ask.set_callback(ompt_callback_control_tool, NULL);
    expect_equal("no callback", omp_control_tool(3, 4, &finalized), -1);
  }
  ask.finalize_tool();
  expect_equal("the tool has ended", finalized, 1);
  expect_equal("threads that ended", raised[ompt_callback_thread_end],
               raised[ompt_callback_thread_begin]);
  const int raised_before = raised[ompt_callback_parallel_begin];
#pragma omp parallel num_threads(3)
  usleep(10);
  expect_equal("nothing is told any more", raised[ompt_callback_parallel_begin], raised_before);
  return expect_result();
}
