/* A program whose malloc takes a mutex, as many allocators do. With the interposing library a
 * thread that finds the mutex taken is suspended, also where the runtime itself asks for memory:
 * there it may hold a lock of its own, and must not be. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "expect.h"

enum { members = 8, turns = 20, tasks = 40 };

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int calls;

static void enter(void) {
  pthread_mutex_lock(&mutex);
  if (++calls % 8 == 0) sched_yield(); /* so that others find it taken */
}
static void leave(void) { pthread_mutex_unlock(&mutex); }

void* malloc(size_t bytes) {
  enter();
  void* block = __libc_malloc(bytes);
  leave();
  return block;
}

void* calloc(size_t count, size_t bytes) {
  enter();
  void* block = __libc_calloc(count, bytes);
  leave();
  return block;
}

void* realloc(void* old, size_t bytes) {
  enter();
  void* block = __libc_realloc(old, bytes);
  leave();
  return block;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  enter();
  void* block = __libc_memalign(alignment, bytes);
  leave();
  return block;
}

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = aligned_alloc(alignment, bytes);
  return *block ? 0 : ENOMEM;
}

void free(void* block) {
  enter();
  __libc_free(block);
  leave();
}

static int sum;

static void use_memory(void) {
  void* blocks[8];
  for (int i = 0; i < 8; i++) blocks[i] = malloc((size_t)(i + 1) * 100);
  for (int i = 0; i < 8; i++) free(blocks[i]);
}

static void nest(void) {
#pragma omp parallel num_threads(3)
  {
    use_memory();
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < 6; i++) {
#pragma omp ordered
      use_memory();
    }
    add_one(&sum);
  }
}

static void make_tasks(void) {
  int cells[tasks];
  (void)cells; /* only their addresses count */
  for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : cells[i]) depend(in : cells[(i * 7) % tasks]) firstprivate(i)
    use_memory();
  }
#pragma omp taskwait
}

int main(void) {
  omp_set_max_active_levels(4);
  for (int turn = 0; turn < turns; turn++) {
#pragma omp parallel num_threads(members)
    {
      nest();
      make_tasks();
    }
  }
  expect_equal("members of inner teams", sum, turns * members * 3);
  return expect_result();
}
