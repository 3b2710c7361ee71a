// Locks for many readers or one writer: std::shared_mutex, and pthread_rwlock_t, which knows its
// writer and refuses it a second time.
#include <pthread.h>

#include <cerrno>
#include <mutex>
#include <shared_mutex>

#include "threads_inside.h"

namespace {

constexpr int turns = 30;

void readers_and_writers() {
  std::shared_mutex mutex;
  int readers = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    if (omp_get_thread_num() % 2) {
      std::unique_lock<std::shared_mutex> held(mutex);
      expect_equal("readers beside a writer", load(&readers), 0);
      alone_inside("writers of std::shared_mutex");
      expect_equal("readers beside a writer", load(&readers), 0);
    } else {
      std::shared_lock<std::shared_mutex> held(mutex);
      add_one(&readers);
      expect_equal("a writer beside readers", load(&holders), 0);
      move_alone();
      __atomic_sub_fetch(&readers, 1, __ATOMIC_SEQ_CST);
    }
  }
}

void the_writer_is_known() {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    expect_equal("pthread_rwlock_wrlock", pthread_rwlock_wrlock(&lock), 0);
    alone_inside("writers of pthread_rwlock_t");
    expect_equal("a second time", pthread_rwlock_wrlock(&lock), EDEADLK);
    expect_equal("as a reader", pthread_rwlock_rdlock(&lock), EDEADLK);
    expect_equal("pthread_rwlock_unlock", pthread_rwlock_unlock(&lock), 0);
  }
  pthread_rwlock_destroy(&lock);
}

void others_are_refused() {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#pragma omp parallel num_threads(members)
  {
    const bool writer = omp_get_thread_num() == 0;
    if (writer) pthread_rwlock_wrlock(&lock);
    meet_and_move();
    expect_equal("pthread_rwlock_trywrlock", pthread_rwlock_trywrlock(&lock), EBUSY);
    expect_equal("pthread_rwlock_tryrdlock", pthread_rwlock_tryrdlock(&lock), EBUSY);
    meet_and_move();
    if (writer) pthread_rwlock_unlock(&lock);
  }
  pthread_rwlock_destroy(&lock);
}

}  // namespace

int main() {
  begin_threads();
  readers_and_writers();
  the_writer_is_known();
  others_are_refused();
  return expect_result();
}
