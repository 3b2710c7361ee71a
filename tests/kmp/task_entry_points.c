/* Entry points of tasks that Clang's compiled code does not call in every version, called as LLVM's
 * headers describe them. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>

#include "expect.h"

struct task {
  void* shared;
  int32_t (*routine)(int32_t, struct task*);
  int32_t part;
  union {
    int32_t priority;
    void* destructors;
  } data1, data2;
  uint64_t lower, upper; /* of a taskloop: the program's own */
  int last;
};

enum { tied = 1, proxy = 16 };

int32_t __kmpc_global_thread_num(void*);
struct task* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t,
                                   int32_t (*)(int32_t, struct task*));
struct task* __kmpc_omp_target_task_alloc(void*, int32_t, int32_t, size_t, size_t,
                                          int32_t (*)(int32_t, struct task*), int64_t);
int32_t __kmpc_omp_task(void*, int32_t, struct task*);
int32_t __kmpc_omp_task_parts(void*, int32_t, struct task*);
int32_t __kmpc_omp_taskwait(void*, int32_t);
void __kmpc_proxy_task_completed(int32_t, struct task*);
void __kmpc_proxy_task_completed_ooo(struct task*);
uint64_t __kmpc_get_taskid(void);
uint64_t __kmpc_get_parent_taskid(void);
void __kmpc_taskloop(void*, int32_t, struct task*, int32_t, uint64_t*, uint64_t*, int64_t, int32_t,
                     int32_t, uint64_t, void (*)(struct task*, struct task*, int32_t));
void __kmpc_taskloop_5(void*, int32_t, struct task*, int32_t, uint64_t*, uint64_t*, int64_t,
                       int32_t, int32_t, uint64_t, int32_t,
                       void (*)(struct task*, struct task*, int32_t));

static int completed;

static void* complete_elsewhere(void* task) {
  const struct timespec moment = {.tv_nsec = 5000000};
  nanosleep(&moment, NULL);
  __atomic_fetch_add(&completed, 1, __ATOMIC_SEQ_CST);
  __kmpc_proxy_task_completed_ooo(task);
  return NULL;
}

/* A proxy task starts what a thread of the program's own completes. */
static int32_t start_elsewhere(int32_t number, struct task* task) {
  (void)number;
  pthread_t thread;
  pthread_create(&thread, NULL, complete_elsewhere, task);
  pthread_detach(thread);
  return 0;
}

static int32_t complete_here(int32_t number, struct task* task) {
  __atomic_fetch_add(&completed, 1, __ATOMIC_SEQ_CST);
  __kmpc_proxy_task_completed(number, task);
  return 0;
}

static void proxies(int members) {
  completed = 0;
#pragma omp parallel num_threads(members)
  {
    const int32_t number = __kmpc_global_thread_num(NULL);
    for (int i = 0; i < 4; i++)
      __kmpc_omp_task(NULL, number,
                      __kmpc_omp_task_alloc(NULL, number, tied | proxy, sizeof(struct task), 0,
                                            i % 2 ? start_elsewhere : complete_here));
    __kmpc_omp_taskwait(NULL, number);
    expect_between("proxy tasks before the wait ended", completed, 4, 4 * members);
  }
  expect_equal("proxy tasks", completed, 4 * members);
}

static uint64_t parent_of_task, own_of_task;

static int32_t tell_numbers(int32_t number, struct task* task) {
  (void)number;
  own_of_task = __kmpc_get_taskid();
  parent_of_task = __kmpc_get_parent_taskid();
  expect_equal("the data that a task shares", *(int*)task->shared, 77);
  return 0;
}

static void numbers(int for_target) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    const int32_t number = __kmpc_global_thread_num(NULL);
    struct task* task =
        for_target
            ? __kmpc_omp_target_task_alloc(NULL, number, tied, sizeof *task, 8, tell_numbers, -1)
            : __kmpc_omp_task_alloc(NULL, number, tied, sizeof *task, 8, tell_numbers);
    *(int*)task->shared = 77;
    __kmpc_omp_task_parts(NULL, number, task);
    __kmpc_omp_taskwait(NULL, number);
    expect_equal("a task's parent", parent_of_task == __kmpc_get_taskid(), 1);
    expect_equal("a task's number is its own", own_of_task == parent_of_task, 0);
  }
}

enum { most = 200 };
static int times[most], sizes[most], made, lasts;

static int32_t run_range(int32_t number, struct task* task) {
  (void)number;
  const int step = *(int*)task->shared;
  int size = 0;
  for (int64_t i = (int64_t)task->lower;
       step > 0 ? i <= (int64_t)task->upper : i >= (int64_t)task->upper; i += step, size++)
    __atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);
  sizes[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED)] = size;
  __atomic_fetch_add(&lasts, task->last, __ATOMIC_RELAXED);
  return 0;
}

static void duplicate(struct task* to, struct task* from, int32_t last) {
  (void)from;
  to->last = last;
}

/* `strict` is the modifier of the amount, which is a grain. */
static void taskloop(int members, int low, int high, int step, int grain, int strict,
                     int deferred) {
  for (int i = 0; i < most; i++) times[i] = 0;
  made = lasts = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
    const int32_t number = __kmpc_global_thread_num(NULL);
    struct task* task = __kmpc_omp_task_alloc(NULL, number, tied, sizeof *task, 8, run_range);
    *(int*)task->shared = step;
    task->lower = (uint64_t)(int64_t)low;
    task->upper = (uint64_t)(int64_t)high;
    if (strict)
      __kmpc_taskloop_5(NULL, number, task, deferred, &task->lower, &task->upper, step, 0, 1,
                        (uint64_t)grain, 1, duplicate);
    else
      __kmpc_taskloop(NULL, number, task, deferred, &task->lower, &task->upper, step, 0, 1,
                      (uint64_t)grain, duplicate);
    expect_equal("last tasks of a taskloop", lasts, 1);
  }
  int count = 0;
  for (int i = low; step > 0 ? i <= high : i >= high; i += step, count++)
    expect_equal("times that an iteration ran", times[i], 1);
  int in_all = 0, short_ones = 0;
  for (int i = 0; i < made; i++) {
    in_all += sizes[i];
    short_ones += sizes[i] != grain;
  }
  expect_equal("iterations of all tasks", in_all, count);
  if (strict) expect_between("tasks whose grain is not the one wanted", short_ones, 0, 1);
}

/* As compilers make them of a taskwait with dependences and nowait: done when they may begin. */
static void without_routine(int members) {
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int i = 0; i < 100; i++) {
    int32_t number = __kmpc_global_thread_num(NULL);
    __kmpc_omp_task(NULL, number,
                    __kmpc_omp_task_alloc(NULL, number, tied, sizeof(struct task), 0, NULL));
  }
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    proxies(members);
    without_routine(members);
    for (int way = 0; way < 4; way++) {
      taskloop(members, 3, 130, 1, 10, way & 1, way & 2);
      taskloop(members, 199, 0, -7, 4, way & 1, way & 2);
      taskloop(members, 0, 199, 11, 30, way & 1, way & 2);
    }
  }
  numbers(0);
  numbers(1);
  return expect_result();
}
