/* The locks of C11: mtx_plain and mtx_recursive, held while the holder gives way; conditions,
 * call_once, thread-specific storage and thrd_current. Nothing else here tells threads apart. */
#include <threads.h>

#include "threads_inside.h"

enum { turns = 30 };

static void hold(int kind, int times, const char* what) {
  mtx_t mutex;
  expect_equal("mtx_init", mtx_init(&mutex, kind), thrd_success);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < times; i++) {
      expect_equal("mtx_lock", mtx_lock(&mutex), thrd_success);
#pragma omp taskyield
    }
    alone_inside(what);
    for (int i = 0; i < times; i++) expect_equal("mtx_unlock", mtx_unlock(&mutex), thrd_success);
  }
  mtx_destroy(&mutex);
}

static void refused(void) {
  mtx_t mutex;
  mtx_init(&mutex, mtx_recursive);
#pragma omp parallel num_threads(members)
  {
    int holder = omp_get_thread_num() == 0;
    if (holder) mtx_lock(&mutex);
    meet_and_move();
    int got = mtx_trylock(&mutex) == thrd_success;
    expect_equal("mtx_trylock of a held lock", got, holder);
    meet_and_move();
    if (got) mtx_unlock(&mutex);
    if (holder) mtx_unlock(&mutex);
  }
  mtx_destroy(&mutex);
}

int main(void) {
  begin_threads();
  hold(mtx_plain, 1, "holders of mtx_plain");
  hold(mtx_recursive, 1, "holders of mtx_recursive");
  hold(mtx_recursive | mtx_timed, 2, "holders of mtx_recursive, twice");
  refused();
  return expect_result();
}
