/* Entry points that Clang 19 does not call by itself, and what it calls where GCC calls nothing: as
 * other compilers of the family call them, by hand. */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

/* Where a call stands, as LLVM's compilers describe it. */
static struct {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* source;
} here = {0, 2, 0, 0, ";entry_points.c;main;1;1;;"};

typedef void microtask(int32_t*, int32_t*, void*);

extern int32_t __kmpc_global_thread_num(void*);
extern int32_t __kmpc_global_num_threads(void*);
extern void __kmpc_begin(void*, int32_t);
extern void __kmpc_end(void*);
extern int32_t __kmpc_ok_to_fork(void*);
extern int32_t __kmpc_barrier_master(void*, int32_t);
extern void __kmpc_end_barrier_master(void*, int32_t);
extern int32_t __kmpc_barrier_master_nowait(void*, int32_t);
extern void __kmpc_fork_call_if(void*, int32_t, microtask*, int32_t, void*);
extern void __kmpc_push_num_threads(void*, int32_t, int32_t);
extern void __kmpc_pop_num_threads(void*, int32_t);
extern void __kmpc_push_proc_bind(void*, int32_t, int32_t);
extern int32_t __kmpc_single(void*, int32_t);
extern void __kmpc_end_single(void*, int32_t);
extern void* __kmpc_copyprivate_light(void*, int32_t, void*);
extern void __kmpc_barrier(void*, int32_t);
extern void __kmpc_flush(void*);
extern void __kmpc_scope(void*, int32_t, void*);
extern void __kmpc_end_scope(void*, int32_t, void*);
extern int32_t __kmpc_get_target_offload(void);
extern int32_t __kmpc_pause_resource(int32_t);
extern void __kmpc_set_thread_limit(void*, int32_t, int32_t);

static int32_t number(void) { return __kmpc_global_thread_num(&here); }

/* --- barriers that member 0 leaves first --------------------------------------------------------
 */

static void split_barrier(void) {
  int value = 0;
#pragma omp parallel num_threads(5)
  {
    for (int turn = 1; turn <= 100; turn++) {
      if (__kmpc_barrier_master(&here, number())) {
        expect_equal("who goes on first", omp_get_thread_num(), 0);
        store(&value, turn);
        __kmpc_end_barrier_master(&here, number());
      }
      expect_equal("what member 0 wrote before the others went on", load(&value), turn);
#pragma omp barrier
    }
  }
}

static void barrier_that_tells_member_0(void) {
  int told = 0;
  int came = 0;
#pragma omp parallel num_threads(5)
  {
    add_one(&came);
    if (__kmpc_barrier_master_nowait(&here, number())) {
      expect_equal("those that have come", load(&came), 5);
      add_one(&told);
    }
  }
  expect_equal("members that were told", told, 1);
}

/* --- a region of one word, if -------------------------------------------------------------------
 */

static void count(int32_t* in_process, int32_t* in_team, void* counter) {
  expect_equal("number in the team", *in_team, omp_get_thread_num());
  expect_equal("number in the process", *in_process, number());
  add_one(counter);
}

static int came_without_words;
static void count_those(int32_t* in_process, int32_t* in_team) {
  expect_equal("number in the team", *in_team, omp_get_thread_num());
  expect_equal("number in the process", *in_process, number());
  add_one(&came_without_words);
}

static void conditional_region(void) {
  int members = 0;
  __kmpc_push_num_threads(&here, number(), 4);
  __kmpc_fork_call_if(&here, 1, count, 1, &members);
  expect_equal("members where the condition holds", members, 4);
  members = 0;
  __kmpc_push_num_threads(&here, number(), 4);
  __kmpc_fork_call_if(&here, 1, count, 0, &members);
  expect_equal("members where it does not", members, 1);
  __kmpc_push_num_threads(&here, number(), 4);
  __kmpc_fork_call_if(&here, 0, (microtask*)count_those, 1, NULL);
  expect_equal("members of a region without words", came_without_words, 4);
}

static void pushed_values_without_meaning(void) {
  omp_set_num_threads(3);
  int members = 0;
  for (int32_t nothing = -1; nothing <= 0; nothing++) {
    __kmpc_push_num_threads(&here, number(), nothing);
    __kmpc_push_proc_bind(&here, number(), 6);
    __kmpc_fork_call_if(&here, 1, count, 1, &members);
  }
  __kmpc_pop_num_threads(&here, number());
  expect_equal("members of two regions of the default size", members, 6);
}

/* --- copyprivate by an address ------------------------------------------------------------------
 */

static void copied_by_the_caller(void) {
#pragma omp parallel num_threads(6)
  {
    for (int turn = 0; turn < 50; turn++) {
      int mine = -1;
      int ran = __kmpc_single(&here, number());
      if (ran) {
        mine = turn;
        __kmpc_end_single(&here, number());
      }
      const int* from = __kmpc_copyprivate_light(&here, number(), ran ? &mine : NULL);
      int copy = *from;
      __kmpc_barrier(&here, number());
      expect_equal("what the one that ran the body had", copy, turn);
    }
  }
}

/* --- the process --------------------------------------------------------------------------------
 */

static void process(void) {
  __kmpc_begin(&here, 0);
  expect_true("may fork", __kmpc_ok_to_fork(&here));
  expect_equal("threads outside", __kmpc_global_num_threads(&here), 1);
#pragma omp parallel num_threads(5)
  expect_equal("threads inside", __kmpc_global_num_threads(&here), 5);
  expect_between("offload", __kmpc_get_target_offload(), 0, 2);
  expect_equal("pause outside", __kmpc_pause_resource(1), 0);
  expect_equal("resume", __kmpc_pause_resource(0), 0);
#pragma omp parallel num_threads(2)
#pragma omp master
  expect_equal("pause inside", __kmpc_pause_resource(2), 1);
  __kmpc_flush(&here);
  __kmpc_scope(&here, number(), NULL);
  __kmpc_end_scope(&here, number(), NULL);
  __kmpc_end(&here);
}

static void limit(void) {
  __kmpc_set_thread_limit(&here, number(), 2);
  expect_equal("thread limit", omp_get_thread_limit(), 2);
  int members = 0;
#pragma omp parallel num_threads(4)
  add_one(&members);
  expect_between("members under the limit", members, 1, 2);
}

int main(void) {
  split_barrier();
  barrier_that_tells_member_0();
  conditional_region();
  pushed_values_without_meaning();
  copied_by_the_caller();
  process();
  limit();
  return expect_result();
}
