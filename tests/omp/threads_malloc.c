/* No two kernel threads run under one thread pointer: the C library keeps errno, malloc's cache and
 * more there, without a lock. The program's own malloc counts who is inside it by thread pointer,
 * while the first thread computes, and other members block in the kernel, spin, and open teams. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void __libc_free(void* block);

enum { turns = 20, turns_of_two = 6, nested_teams = 10, blocks = 16, pointers = 4096, pauses = 50 };

/* By thread pointer: the kernel thread inside an allocation, 0 if none. Entries stay for ever. */
static struct {
  void* pointer;
  int inside;
} by_pointer[pointers];
static int overlaps;
static int allocations;

static int* inside_of(void* pointer) {
  for (size_t i = (uintptr_t)pointer / 64 % pointers;; i = (i + 1) % pointers) {
    void* found = __atomic_load_n(&by_pointer[i].pointer, __ATOMIC_SEQ_CST);
    if (!found && __atomic_compare_exchange_n(&by_pointer[i].pointer, &found, pointer, 0,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return &by_pointer[i].inside;
    }
    if (found == pointer) return &by_pointer[i].inside;
  }
}

/* The kernel thread that was inside before the caller came, 0 if none. */
static int enter(void) {
  int saved = errno;
  int tid = (int)syscall(SYS_gettid);
  int before = __atomic_exchange_n(inside_of(__builtin_thread_pointer()), tid, __ATOMIC_SEQ_CST);
  if (before != 0 && before != tid) add_one(&overlaps);
  add_one(&allocations);
  for (int i = 0; i < pauses; i++) __builtin_ia32_pause();
  errno = saved;
  return before;
}

static void leave(int before) { store(inside_of(__builtin_thread_pointer()), before); }

void* malloc(size_t bytes) {
  int before = enter();
  void* block = __libc_malloc(bytes);
  leave(before);
  return block;
}

void* calloc(size_t count, size_t bytes) {
  int before = enter();
  void* block = __libc_calloc(count, bytes);
  leave(before);
  return block;
}

void* realloc(void* old, size_t bytes) {
  int before = enter();
  void* block = __libc_realloc(old, bytes);
  leave(before);
  return block;
}

void free(void* block) {
  int before = enter();
  __libc_free(block);
  leave(before);
}

/* Sizes that malloc's cache of the thread serves. */
static void allocate(int seed) {
  void* block[blocks];
  for (int i = 0; i < blocks; i++) block[i] = malloc((size_t)(16 + (seed + i) % 40 * 16));
  for (int i = 0; i < blocks; i++) free(block[i]);
}

/* The first thread computes until the others are done; its errno must stay its own. */
static void compute(const int* done, int until) {
  int turn = 0;
  while (load(done) < until) {
    errno = 4000 + turn % 100;
    allocate(turn);
    expect_equal("errno of who computes", errno, 4000 + turn % 100);
    turn++;
  }
}

/* Who blocks in the kernel, or spins, keeps the kernel thread on which it is. */
static void keep_busy(int me) {
  if (me % 2) {
    syscall(SYS_poll, NULL, 0, 15);
  } else {
    double until = expect_seconds() + 0.015;
    while (expect_seconds() < until) {
    }
  }
}

static void open_teams(int me) {
  for (int i = 0; i < nested_teams; i++) {
#pragma omp parallel num_threads(4)
    {
      allocate(me);
#pragma omp barrier
      allocate(i);
    }
  }
}

static void* one_root(void* raw) {
  int most = *(int*)raw;
  int done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(members) shared(done)
  for (int turn = 1; turn <= most; turn++) {
    int me = omp_get_thread_num();
    if (me == 0) store(&done, 0);
#pragma omp barrier
    if (me == 0) {
      compute(&done, members - 1);
    } else {
      keep_busy(me);
      open_teams(me);
      add_one(&done);
    }
#pragma omp barrier
  }
  return raw;
}

static void two_roots(void) {
  pthread_t other;
  int most = turns_of_two;
  expect_equal("pthread_create", pthread_create(&other, NULL, one_root, &most), 0);
  one_root(&most);
  pthread_join(other, NULL);
}

int main(void) {
  begin_threads();
  int most = turns;
  one_root(&most);
  two_roots();
  expect_equal("allocations of two kernel threads under one thread pointer", overlaps, 0);
  expect_true("allocations were counted", load(&allocations) > turns * blocks);
  return expect_result();
}
