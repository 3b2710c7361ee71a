/* Owns the malloc of programs that count who calls it in a forked child before fork() returns
 * there: another thread of the parent may have held malloc's lock, and only glibc's own makes its
 * locks free in the child. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* block);

static pid_t forks; /* the process that is about to fork; 0: none */
static int calls;   /* of malloc and its kin, in the child, before fork() returned there */

static void count_call(void) {
  const pid_t parent = __atomic_load_n(&forks, __ATOMIC_SEQ_CST);
  if (parent != 0 && getpid() != parent) add_one(&calls);
}

void* malloc(size_t bytes) {
  count_call();
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  count_call();
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  count_call();
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  count_call();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = aligned_alloc(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) count_call();
  __libc_free(block);
}

static void fork_once(const char* from) {
  store(&calls, 0);
  __atomic_store_n(&forks, getpid(), __ATOMIC_SEQ_CST);
  const pid_t child = fork();
  __atomic_store_n(&forks, 0, __ATOMIC_SEQ_CST);
  if (child == 0) {
    const int seen = load(&calls);
    _exit(seen > 99 ? 99 : seen);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal(from, WIFEXITED(status) ? WEXITSTATUS(status) : -status, 0);
}
