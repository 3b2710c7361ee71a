// Waiting for each other in what C++ gives: condition variables, semaphores, latches, barriers,
// atomics that wait, futures, and threads that are asked to stop.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "threads_move.h"

namespace {

constexpr int turns = 20;
using namespace std::chrono_literals;

template <class Mutex, class Condition>
void conditions(const char* what) {
  Mutex mutex;
  Condition changed;
  int turn = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    const int me = omp_get_thread_num();
    std::unique_lock<Mutex> held(mutex);
    changed.wait(held, [&] { return turn % members == me; });
    turn++;
    move_alone();
    changed.notify_all();
  }
  expect_equal(what, turn, turns * members);
}

// acquire() of libstdc++ 12 may sleep beside a token, for ever: where it read 1, others took that,
// and it is 1 again, the kernel is asked to sleep while it is 1 (bits/atomic_wait.h,
// __atomic_wait_address_bare), and who gives the second token back wakes nobody.
void semaphores() {
  std::counting_semaphore<2> two(2);
  int inside = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    while (!two.try_acquire_for(10ms)) continue;
    expect_between("inside a semaphore of two", add_one(&inside), 1, 2);
    move_alone();
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    two.release();
  }
}

void latches_and_barriers() {
  std::latch latch(members);
  int arrived = 0;
  int completed = 0;
  auto complete = [&]() noexcept { completed++; };
  std::barrier barrier(members, complete);
#pragma omp parallel num_threads(members)
  {
    add_one(&arrived);
    latch.arrive_and_wait();
    expect_equal("arrived at the latch", load(&arrived), members);
    for (int turn = 1; turn <= turns; turn++) {
      move_alone();
      barrier.arrive_and_wait();
      expect_between("completions of the barrier", load(&completed), turn, turn + 1);
    }
  }
  expect_equal("completions of the barrier", completed, turns);
}

void atomics_that_wait() {
  std::atomic<int> turn = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    const int mine = round * members + omp_get_thread_num();
    for (int seen = turn; seen != mine; seen = turn) turn.wait(seen);
    move_alone();
    turn = mine + 1;
    turn.notify_all();
  }
  expect_equal("turns by an atomic", turn, turns * members);
}

void futures() {
  std::vector<std::promise<int>> promise(members);
  std::vector<std::shared_future<int>> future;
  for (auto& one : promise) future.emplace_back(one.get_future());
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
    const int before = me == 0 ? 0 : future[me - 1].get();
    expect_equal("the future before", before, me);
    auto made = std::async(std::launch::async, [=] { return before + 1; });
    move_alone();
    promise[me].set_value(made.get());
  }
  expect_equal("the last future", future[members - 1].get(), members);
}

void asked_to_stop() {
#pragma omp parallel num_threads(members)
  {
    int steps = 0;
    std::mutex mutex;
    std::condition_variable_any changed;
    {
      std::jthread thread([&](std::stop_token stop) {
        std::unique_lock<std::mutex> held(mutex);
        while (!stop.stop_requested()) {
          steps++;
          changed.wait_for(held, stop, 10s, [] { return false; });
        }
      });
      move_alone();
    }
    expect_between("steps of a thread asked to stop", steps, 0, 2);
  }
}

void sleeps() {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 3; turn++) {
    const auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(2ms);
    expect_true("slept long enough", std::chrono::steady_clock::now() - before >= 2ms);
    std::this_thread::yield();
    move_alone();
  }
}

}  // namespace

int main() {
  begin_threads();
  conditions<std::mutex, std::condition_variable>("turns by std::condition_variable");
  conditions<std::recursive_mutex, std::condition_variable_any>("turns by the one for any lock");
  semaphores();
  latches_and_barriers();
  atomics_that_wait();
  futures();
  asked_to_stop();
  sleeps();
  return expect_result();
}
