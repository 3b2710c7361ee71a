// A profiler of parallel regions: how often each was opened, how long it took, and how much of its
// threads' time went into waiting for each other (barriers, taskwaits, taskgroups).
//
// A region is named by the place in the program that opens it. Times are added up by all threads,
// and printed when the program ends, to the file that OMPT_PROFILE names or to standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ompt.h"

enum { most_places = 4096, most_waits = 64 };

// A place that opens regions. All but `code` is added to by any thread.
struct place {
  const void* code;
  long calls;
  int threads;  // of the largest region
  int64_t ns, wait_ns;
};
static struct place places[most_places];

// One region that is open: where, and since when.
struct region {
  struct place* place;
  int64_t begin_ns;
};

// Waits that a thread is in: those further out began before tasks that it runs in them.
struct thread {
  int depth;
  struct {
    struct place* place;
    int64_t begin_ns;
  } waits[most_waits];
};

static ompt_get_thread_data_t get_thread_data;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The record of a place, made if need be. The last one serves all for which there is no room.
static struct place* place_of(const void* code) {
  size_t at = (uintptr_t)code * 0x9E3779B97F4A7C15u >> 52;
  for (int tries = 0; tries < most_places - 1; ++tries, at = (at + 1) % (most_places - 1)) {
    const void* seen = NULL;
    if (__atomic_compare_exchange_n(&places[at].code, &seen, code, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        seen == code)
      return &places[at];
  }
  return &places[most_places - 1];
}

static void on_thread_begin(int kind, ompt_data_t* thread) {
  (void)kind;
  thread->ptr = calloc(1, sizeof(struct thread));
}

static void on_parallel_begin(ompt_data_t* task, const void* frame, ompt_data_t* region,
                              unsigned wanted, int flags, const void* code) {
  (void)task, (void)frame, (void)wanted, (void)flags;
  struct region* opened = malloc(sizeof *opened);
  opened->place = place_of(code);
  opened->begin_ns = now_ns();
  region->ptr = opened;
}

static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)flags, (void)code;
  struct region* opened = region->ptr;
  __atomic_fetch_add(&opened->place->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&opened->place->ns, now_ns() - opened->begin_ns, __ATOMIC_RELAXED);
  free(opened);
}

static void on_implicit_task(int endpoint, ompt_data_t* region, ompt_data_t* task, unsigned threads,
                             unsigned number, int flags) {
  (void)task;
  if (endpoint != ompt_scope_begin || number != 0 || (flags & ompt_task_initial)) return;
  struct place* place = ((struct region*)region->ptr)->place;
  int seen = __atomic_load_n(&place->threads, __ATOMIC_RELAXED);
  while (seen < (int)threads &&
         !__atomic_compare_exchange_n(&place->threads, &seen, (int)threads, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

// Outside of regions there is nobody to wait for: such waits have no place.
static void on_wait(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task,
                    const void* code) {
  (void)kind, (void)task, (void)code;
  struct thread* self = get_thread_data()->ptr;
  if (endpoint == ompt_scope_begin) {
    if (self->depth++ >= most_waits) return;
    self->waits[self->depth - 1].place =
        region && region->ptr ? ((struct region*)region->ptr)->place : NULL;
    self->waits[self->depth - 1].begin_ns = now_ns();
  } else if (self->depth-- <= most_waits) {
    struct place* place = self->waits[self->depth].place;
    const int64_t ns = now_ns() - self->waits[self->depth].begin_ns;
    if (place) __atomic_fetch_add(&place->wait_ns, ns, __ATOMIC_RELAXED);
  }
}

// --- the profile
// -----------------------------------------------------------------------------------

static int longest_first(const void* one, const void* other) {
  const int64_t first = ((const struct place*)one)->ns, second = ((const struct place*)other)->ns;
  return (first < second) - (first > second);
}

static void print_place(FILE* out, const struct place* place, double all_ns) {
  Dl_info found = {0};
  const double thread_ns = (double)place->ns * (place->threads ? place->threads : 1);
  fprintf(out, "%6.1f%% %11.3f %9ld %8d %7.1f%%  ", 100 * (double)place->ns / all_ns,
          (double)place->ns / 1e6, place->calls, place->threads,
          100 * (double)place->wait_ns / thread_ns);
  if (dladdr(place->code, &found) && found.dli_sname)
    fprintf(out, "%s+0x%tx\n", found.dli_sname, (char*)place->code - (char*)found.dli_saddr);
  else if (found.dli_fname)
    fprintf(out, "%s+0x%tx\n", found.dli_fname, (char*)place->code - (char*)found.dli_fbase);
  else
    fprintf(out, "%p\n", place->code);
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  const char* name = getenv("OMPT_PROFILE");
  FILE* out = name ? fopen(name, "w") : stderr;
  if (!out) return perror(name);
  double all_ns = 0;
  qsort(places, most_places, sizeof *places, longest_first);
  for (int i = 0; i < most_places; ++i) all_ns += (double)places[i].ns;
  fprintf(out, "   time          ms     calls  threads   waits  region\n");
  for (int i = 0; i < most_places && places[i].calls > 0; ++i) print_place(out, &places[i], all_ns);
  if (out != stderr) fclose(out);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  set(ompt_callback_thread_begin, (ompt_interface_fn_t)on_thread_begin);
  set(ompt_callback_parallel_begin, (ompt_interface_fn_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_interface_fn_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_interface_fn_t)on_implicit_task);
  set(ompt_callback_sync_region_wait, (ompt_interface_fn_t)on_wait);
  return 1;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(
    unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
