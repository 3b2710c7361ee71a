// The locks of C++: std::mutex, recursive and timed ones, held while the holder gives way, taken
// twice by it, and refused to every other member. Nothing else here tells threads apart.
#include <chrono>
#include <mutex>

#include "threads_inside.h"

namespace {

constexpr int turns = 30;
using namespace std::chrono_literals;

template <class Mutex>
void once(const char* what) {
  Mutex mutex;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    std::lock_guard<Mutex> held(mutex);
    alone_inside(what);
  }
}

template <class Mutex>
void twice(const char* what) {
  Mutex mutex;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    std::lock_guard<Mutex> held(mutex);
#pragma omp taskyield
    std::lock_guard<Mutex> again(mutex);
    alone_inside(what);
  }
}

// Member 0 holds: the others' try_lock must fail.
template <class Mutex>
void refused(const char* what) {
  Mutex mutex;
#pragma omp parallel num_threads(members)
  {
    const bool holder = omp_get_thread_num() == 0;
    if (holder) mutex.lock();
    meet_and_move();
    const bool got = mutex.try_lock();
    expect_equal(what, got, holder);
    meet_and_move();
    if (got) mutex.unlock();
    if (holder) mutex.unlock();
  }
}

void timed_out() {
  std::recursive_timed_mutex mutex;
#pragma omp parallel num_threads(members)
  {
    const bool holder = omp_get_thread_num() == 0;
    if (holder) mutex.lock();
    meet_and_move();
    const bool got = mutex.try_lock_for(1ms);
    expect_equal("try_lock_for of a held lock", got, holder);
    meet_and_move();
    if (got) mutex.unlock();
    if (holder) mutex.unlock();
  }
}

}  // namespace

int main() {
  begin_threads();
  once<std::mutex>("holders of std::mutex");
  once<std::recursive_mutex>("holders of std::recursive_mutex");
  once<std::timed_mutex>("holders of std::timed_mutex");
  twice<std::recursive_mutex>("holders of std::recursive_mutex, twice");
  twice<std::recursive_timed_mutex>("holders of std::recursive_timed_mutex, twice");
  refused<std::recursive_mutex>("std::recursive_mutex::try_lock");
  timed_out();
  return expect_result();
}
