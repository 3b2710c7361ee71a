/* Robust mutexes: held over switches, handed from member to member; and who dies holding one, a
 * thread or a process, leaves it to the next with EOWNERDEAD. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_inside.h"

enum { turns = 30 };

static void make(pthread_mutex_t* mutex, int type, int shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setpshared(&attributes, shared);
  expect_equal("pthread_mutex_init", pthread_mutex_init(mutex, &attributes), 0);
}

static void hold(int type) {
  pthread_mutex_t mutex[2];
  for (int i = 0; i < 2; i++) make(&mutex[i], type, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < 2; i++) expect_equal("lock", pthread_mutex_lock(&mutex[i]), 0);
    alone_inside("holders of a robust mutex");
    for (int i = 0; i < 2; i++) expect_equal("unlock", pthread_mutex_unlock(&mutex[i]), 0);
  }
  for (int i = 0; i < 2; i++) pthread_mutex_destroy(&mutex[i]);
}

static void* die_holding(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}

/* Every member has threads of its own die, while the others do the same. */
static void dead_threads(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_mutex_t mutex;
    pthread_t thread;
    make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE);
    expect_equal("pthread_create", pthread_create(&thread, NULL, die_holding, &mutex), 0);
    move_alone();
    pthread_join(thread, NULL);
    expect_equal("lock of a dead thread's", pthread_mutex_lock(&mutex), EOWNERDEAD);
    move_alone();
    expect_equal("pthread_mutex_consistent", pthread_mutex_consistent(&mutex), 0);
    expect_equal("unlock", pthread_mutex_unlock(&mutex), 0);
    expect_equal("lock again", pthread_mutex_lock(&mutex), 0);
    expect_equal("unlock again", pthread_mutex_unlock(&mutex), 0);
    pthread_mutex_destroy(&mutex);
  }
}

static void dead_process(void) {
  pthread_mutex_t* mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < members; turn++) {
#pragma omp barrier
    if (turn == omp_get_thread_num()) {
      make(mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED);
      pid_t child = fork();
      if (child == 0) {
        pthread_mutex_lock(mutex);
        _exit(0);
      }
      waitpid(child, NULL, 0);
    }
    meet_and_move();
    int got = pthread_mutex_lock(mutex);
    expect_true("lock of a dead process's", got == 0 || got == EOWNERDEAD);
    if (got == EOWNERDEAD) pthread_mutex_consistent(mutex);
    alone_inside("holders after a process died");
    expect_equal("unlock", pthread_mutex_unlock(mutex), 0);
#pragma omp barrier
  }
}

int main(void) {
  begin_threads();
  hold(PTHREAD_MUTEX_NORMAL);
  hold(PTHREAD_MUTEX_RECURSIVE);
  dead_threads();
  dead_process();
  return expect_result();
}
