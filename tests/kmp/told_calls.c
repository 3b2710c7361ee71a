/* What a tool is told of entry points that Clang 19's code does not call, or not with all of their
 * arguments: locks, the chunks of a league's team, collapsed nests. They are called by hand, and
 * the tool must be told where. And the chunks of loops that threads divide by themselves: all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "expect.h"
#include "ompt.h"

typedef struct {
  int32_t type, variable_type, comparison, outer;
  uint64_t lower, lower_slope, upper, upper_slope;
  int64_t step;
  uint64_t iterations;
} bounds_t;

int __kmpc_global_thread_num(void*);
void __kmpc_init_lock(void*, int, void*);
void __kmpc_init_lock_with_hint(void*, int, void*, uintptr_t);
void __kmpc_destroy_lock(void*, int, void*);
void __kmpc_set_lock(void*, int, void*);
void __kmpc_unset_lock(void*, int, void*);
int __kmpc_test_lock(void*, int, void*);
void __kmpc_init_nest_lock(void*, int, void*);
void __kmpc_init_nest_lock_with_hint(void*, int, void*, uintptr_t);
void __kmpc_destroy_nest_lock(void*, int, void*);
void __kmpc_set_nest_lock(void*, int, void*);
void __kmpc_unset_nest_lock(void*, int, void*);
int __kmpc_test_nest_lock(void*, int, void*);
void __kmpc_team_static_init_4(void*, int, int*, int32_t*, int32_t*, int32_t*, int32_t, int32_t);
void __kmpc_for_static_init_8(void*, int, int, int*, int64_t*, int64_t*, int64_t*, int64_t,
                              int64_t);
void __kmpc_for_static_fini(void*, int);
int __kmpc_for_collapsed_init(void*, int, bounds_t*, bounds_t*, int, int*);

/* What was told last, of one thread at a time. */
static struct {
  int event, kind, endpoint;
  uint64_t hint, id, count;
  const void* code;
} told[64];
static int tellings;

static void note(int event, int kind, int endpoint, uint64_t hint, uint64_t id, uint64_t count,
                 const void* code) {
  const int at = __atomic_fetch_add(&tellings, 1, __ATOMIC_RELAXED);
  if (at >= 64) return;
  told[at].event = event, told[at].kind = kind, told[at].endpoint = endpoint;
  told[at].hint = hint, told[at].id = id, told[at].count = count, told[at].code = code;
}

static void on_lock_init(int kind, unsigned hint, unsigned way, uint64_t id, const void* code) {
  (void)way;
  note(ompt_callback_lock_init, kind, 0, hint, id, 0, code);
}
static void on_lock_destroy(int kind, uint64_t id, const void* code) {
  note(ompt_callback_lock_destroy, kind, 0, 0, id, 0, code);
}
static void on_acquire(int kind, unsigned hint, unsigned way, uint64_t id, const void* code) {
  (void)hint, (void)way;
  note(ompt_callback_mutex_acquire, kind, 0, 0, id, 0, code);
}
static void on_acquired(int kind, uint64_t id, const void* code) {
  note(ompt_callback_mutex_acquired, kind, 0, 0, id, 0, code);
}
static void on_released(int kind, uint64_t id, const void* code) {
  note(ompt_callback_mutex_released, kind, 0, 0, id, 0, code);
}
static void on_nest_lock(int endpoint, uint64_t id, const void* code) {
  note(ompt_callback_nest_lock, 0, endpoint, 0, id, 0, code);
}
static void on_work(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, uint64_t count,
                    const void* code) {
  (void)region, (void)task;
  note(ompt_callback_work, kind, endpoint, 0, 0, count, code);
}

static uint64_t chunks_told; /* iterations */
static int chunk_kind;
/* Of the running thread: its chunks as they were told, in order. */
static _Thread_local ompt_dispatch_chunk_t told_chunk[64];
static _Thread_local int told_chunks;
static void on_dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  (void)region, (void)task;
  __atomic_store_n(&chunk_kind, kind, __ATOMIC_RELAXED);
  const ompt_dispatch_chunk_t* chunk = instance.ptr;
  __atomic_fetch_add(&chunks_told, chunk->iterations, __ATOMIC_RELAXED);
  if (told_chunks < 64) told_chunk[told_chunks] = *chunk;
  told_chunks++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_lock_init, (ompt_callback_t)on_lock_init);
  set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)on_acquire);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
  set(ompt_callback_mutex_released, (ompt_callback_t)on_released);
  set(ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  return 1;
}
static void finalize(ompt_data_t* tool) { (void)tool; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

/* --- what is expected ------------------------------------------------------------------------- */

static void expect_told(int at, const char* where, int event, int kind, uint64_t hint,
                        const void* id) {
  Dl_info found = {0};
  expect_true("it is told at all", at < tellings);
  expect_equal("event", told[at].event, event);
  expect_equal("kind of mutex", told[at].kind, kind);
  expect_equal("hint", (long long)told[at].hint, (long long)hint);
  expect_true("the lock's address", told[at].id == (uintptr_t)id);
  expect_true("called from there",
              dladdr(told[at].code, &found) && found.dli_sname && !strcmp(found.dli_sname, where));
}

__attribute__((noinline)) void plain_lock(int thread) {
  omp_lock_t lock;
  const int hint = omp_lock_hint_contended;
  tellings = 0;
  __kmpc_init_lock(NULL, thread, &lock);
  __kmpc_destroy_lock(NULL, thread, &lock);
  __kmpc_init_lock_with_hint(NULL, thread, &lock, hint);
  __kmpc_set_lock(NULL, thread, &lock);
  expect_true("it is held", !__kmpc_test_lock(NULL, thread, &lock));
  __kmpc_unset_lock(NULL, thread, &lock);
  expect_true("it is free", __kmpc_test_lock(NULL, thread, &lock));
  __kmpc_unset_lock(NULL, thread, &lock);
  __kmpc_destroy_lock(NULL, thread, &lock);
  const int kinds[][3] = {{ompt_callback_lock_init, ompt_mutex_lock, 0},
                          {ompt_callback_lock_destroy, ompt_mutex_lock, 0},
                          {ompt_callback_lock_init, ompt_mutex_lock, hint},
                          {ompt_callback_mutex_acquire, ompt_mutex_lock, 0},
                          {ompt_callback_mutex_acquired, ompt_mutex_lock, 0},
                          {ompt_callback_mutex_acquire, ompt_mutex_test_lock, 0},
                          {ompt_callback_mutex_released, ompt_mutex_lock, 0},
                          {ompt_callback_mutex_acquire, ompt_mutex_test_lock, 0},
                          {ompt_callback_mutex_acquired, ompt_mutex_test_lock, 0},
                          {ompt_callback_mutex_released, ompt_mutex_lock, 0},
                          {ompt_callback_lock_destroy, ompt_mutex_lock, 0}};
  const int events = sizeof kinds / sizeof *kinds;
  expect_equal("events of a lock", tellings, events);
  for (int i = 0; i < events; i++)
    expect_told(i, "plain_lock", kinds[i][0], kinds[i][1], (uint64_t)kinds[i][2], &lock);
}

__attribute__((noinline)) void nest_lock(int thread) {
  omp_nest_lock_t lock;
  const int hint = omp_lock_hint_speculative;
  tellings = 0;
  __kmpc_init_nest_lock(NULL, thread, &lock);
  __kmpc_destroy_nest_lock(NULL, thread, &lock);
  __kmpc_init_nest_lock_with_hint(NULL, thread, &lock, hint);
  __kmpc_set_nest_lock(NULL, thread, &lock);
  expect_equal("how often it is held", __kmpc_test_nest_lock(NULL, thread, &lock), 2);
  __kmpc_unset_nest_lock(NULL, thread, &lock);
  __kmpc_unset_nest_lock(NULL, thread, &lock);
  __kmpc_destroy_nest_lock(NULL, thread, &lock);
  const int kinds[][3] = {{ompt_callback_lock_init, ompt_mutex_nest_lock, 0},
                          {ompt_callback_lock_destroy, ompt_mutex_nest_lock, 0},
                          {ompt_callback_lock_init, ompt_mutex_nest_lock, hint},
                          {ompt_callback_mutex_acquire, ompt_mutex_nest_lock, 0},
                          {ompt_callback_mutex_acquired, ompt_mutex_nest_lock, 0},
                          {ompt_callback_mutex_acquire, ompt_mutex_test_nest_lock, 0},
                          {ompt_callback_nest_lock, 0, 0},
                          {ompt_callback_nest_lock, 0, 0},
                          {ompt_callback_mutex_released, ompt_mutex_nest_lock, 0},
                          {ompt_callback_lock_destroy, ompt_mutex_nest_lock, 0}};
  const int events = sizeof kinds / sizeof *kinds;
  expect_equal("events of a nested lock", tellings, events);
  for (int i = 0; i < events; i++)
    expect_told(i, "nest_lock", kinds[i][0], kinds[i][1], (uint64_t)kinds[i][2], &lock);
  expect_equal("held once more", told[6].endpoint, ompt_scope_begin);
  expect_equal("held once less", told[7].endpoint, ompt_scope_end);
}

static void expect_work(int at, const char* where, int kind, int endpoint, uint64_t count) {
  expect_told(at, where, ompt_callback_work, kind, 0, NULL);
  expect_equal("begin or end", told[at].endpoint, endpoint);
  expect_equal("iterations", (long long)told[at].count, (long long)count);
}

enum { distribute = 6, distribute_chunk = 5 };

__attribute__((noinline)) void chunk_of_team(int thread) {
  int last = 0;
  int32_t from = 0, to = 99, step = 0;
  __kmpc_team_static_init_4(NULL, thread, &last, &from, &to, &step, 1, 7);
  __kmpc_for_static_fini(NULL, thread);
  __asm__ volatile("" ::: "memory"); /* the call above is none in tail position */
}

static void league(void) {
  int teams = 0;
  tellings = 0, chunks_told = 0;
#pragma omp teams num_teams(2) thread_limit(1)
  {
    chunk_of_team(__kmpc_global_thread_num(NULL));
    __atomic_fetch_add(&teams, 1, __ATOMIC_RELAXED);
  }
  expect_equal("teams", teams, 2);
  expect_equal("events of two teams' loops", tellings, 4);
  int begun = 0;
  for (int i = 0; i < tellings && i < 4; i++) {
    begun += told[i].endpoint == ompt_scope_begin;
    expect_work(i, "chunk_of_team", distribute, told[i].endpoint, 100);
  }
  expect_equal("beginnings", begun, 2);
  expect_equal("the chunks of both", (long long)chunks_told, 100);
  expect_equal("a chunk of a team", chunk_kind, distribute_chunk);
}

enum { int32_type = 5, less = 3 };

/* for (i = 0; i < 10; i++) for (j = i; j < 10; j++): 55 points. */
__attribute__((noinline)) void triangle(int thread) {
  bounds_t nest[2] = {{int32_type, int32_type, less, 0, 0, 0, 10, 0, 1, 0},
                      {int32_type, int32_type, less, 0, 0, 1, 10, 0, 1, 0}};
  bounds_t part[2];
  int last = 0;
  __kmpc_for_collapsed_init(NULL, thread, nest, part, 2, &last);
  __asm__ volatile("" ::: "memory"); /* the call above is none in tail position */
}

static void nests(void) {
  tellings = 0, chunks_told = 0;
#pragma omp parallel num_threads(3)
  triangle(__kmpc_global_thread_num(NULL));
  expect_equal("a beginning and an end for each thread", tellings, 6);
  int begun = 0;
  for (int i = 0; i < tellings && i < 6; i++) {
    begun += told[i].endpoint == ompt_scope_begin;
    expect_work(i, "triangle", ompt_work_loop_static, told[i].endpoint, 55);
  }
  expect_equal("beginnings", begun, 3);
  expect_equal("points", (long long)chunks_told, 55);
  expect_equal("chunks of a loop", chunk_kind, ompt_dispatch_ws_loop_chunk);
}

/* The running thread was told of all its chunks: each third number, in order, of a loop whose
 * iteration i has the value first + i * step. */
static void expect_chunks(int count, int64_t first, int64_t step) {
  const int threads = omp_get_num_threads();
  int chunks = 0;
  for (int i = 3 * omp_get_thread_num(); i < count; i += 3 * threads, chunks++) {
    expect_true("the chunk is told", chunks < told_chunks);
    expect_equal("its start", (long long)told_chunk[chunks].start, first + i * step);
    expect_equal("its iterations", (long long)told_chunk[chunks].iterations,
                 i + 3 > count ? count - i : 3);
  }
  expect_equal("chunks", told_chunks, chunks);
}

/* By hand: i from 40 down to 20 by 2. */
static void loop_down(void) {
  const int thread = __kmpc_global_thread_num(NULL);
  int last = 0;
  int64_t lower = 40, upper = 20, stride = 0;
  told_chunks = 0;
  __kmpc_for_static_init_8(NULL, thread, 33, &last, &lower, &upper, &stride, -2, 3);
  expect_chunks(11, 40, -2);
  __kmpc_for_static_fini(NULL, thread);
}

/* Chunks of 3 iterations, all told before the thread runs the first. Clang counts from 0. */
static void loops_with_chunks(int threads) {
#pragma omp parallel num_threads(threads)
  {
    int begun = told_chunks = 0;
#pragma omp for schedule(static, 3)
    for (int i = -5; i < 15; i++)
      if (!begun++) expect_chunks(20, 0, 1);
    loop_down();
    told_chunks = 0;
#pragma omp for schedule(static, 3)
    for (int i = 3; i < begun - begun; i++) begun++;
    expect_equal("chunks of no iterations", told_chunks, 0);
  }
}

/* Who is alone has all iterations in one chunk. */
static void loop_of_one(void) {
  told_chunks = 0;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(static, 3)
  for (int i = 0; i < 20; i++) expect_equal("iterations", (long long)told_chunk[0].iterations, 20);
  expect_equal("chunks of a team of one", told_chunks, 1);
}

int main(void) {
  const int thread = __kmpc_global_thread_num(NULL);
  plain_lock(thread);
  nest_lock(thread);
  league();
  nests();
  loops_with_chunks(2);
  loops_with_chunks(4);
  loop_of_one();
  return expect_result();
}
