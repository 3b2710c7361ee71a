// What is done once: std::call_once, also where the first to try throws, static variables of a
// function, pthread_once and C11's call_once. The one who does it gives way meanwhile.
#include <pthread.h>
#include <threads.h>

#include <mutex>
#include <stdexcept>

#include "threads_move.h"

namespace {

constexpr int turns = 50;
int calls;

// The value that the flag's own caller wrote is everybody's after it.
void by_cxx() {
  for (int turn = 0; turn < turns; turn++) {
    std::once_flag once;
    int value = 0;
    store(&calls, 0);
#pragma omp parallel num_threads(members)
    {
      std::call_once(
          once,
          [&](int given) {
            add_one(&calls);
            move_alone();
            value = given;
          },
          turn + 1);
      expect_equal("after std::call_once", value, turn + 1);
    }
    expect_equal("calls of std::call_once", calls, 1);
  }
}

void first_throws() {
  for (int turn = 0; turn < turns; turn++) {
    std::once_flag once;
    int tries = 0, caught = 0;
#pragma omp parallel num_threads(members)
    try {
      std::call_once(once, [&] {
        if (add_one(&tries) <= 2) {
          move_alone();
          throw std::runtime_error("not yet");
        }
      });
    } catch (const std::runtime_error&) {
      add_one(&caught);
    }
    expect_equal("tries of std::call_once", tries, members > 2 ? 3 : 2);
    expect_equal("exceptions out of std::call_once", caught, 2);
  }
}

// Each flag with a call that it alone knows: libstdc++ hands the call over in thread-local data.
void many_flags() {
  std::once_flag once[most_members];
  int value[most_members] = {};
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
#pragma omp barrier
    std::call_once(once[me], [&] {
      move_alone();
      value[me] += me + 1;
    });
    move_alone();
    std::call_once(once[me], [&] { value[me] += 100; });
    expect_equal("a flag's own call", value[me], me + 1);
  }
}

struct Slow {
  int value = 0;
  Slow() {
    add_one(&calls);
    move_alone();
    value = 42;
  }
};

void static_variables() {
  store(&calls, 0);
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
    static const Slow slow;
    expect_equal("a static variable of a function", slow.value, 42);
  }
  expect_equal("makings of a static variable", calls, 1);
}

void count_slowly() {
  add_one(&calls);
  move_alone();
}

void by_c() {
  pthread_once_t by_posix = PTHREAD_ONCE_INIT;
  once_flag by_c11 = ONCE_FLAG_INIT;
  store(&calls, 0);
#pragma omp parallel num_threads(members)
  {
    pthread_once(&by_posix, count_slowly);
    expect_true("after pthread_once", load(&calls) >= 1);
#pragma omp barrier
    call_once(&by_c11, count_slowly);
    expect_equal("after call_once", load(&calls), 2);
  }
  expect_equal("calls of both", calls, 2);
}

}  // namespace

int main() {
  begin_threads();
  by_cxx();
  first_throws();
  many_flags();
  static_variables();
  by_c();
  return expect_result();
}
