// Solo workers: kernel threads that run one fiber alone.
#include "sched/worker/solo.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sched/context/gate.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {
namespace {

struct Meeting {
  Fiber* fiber;
  std::atomic<bool> can_be_found{false};
};

void let_find(Worker&, void* raw) { static_cast<Meeting*>(raw)->can_be_found = true; }

// Whether it still looks in place, or sleeps in the kernel by then.
void wake_when_found(Meeting& meeting, std::chrono::milliseconds later) {
  while (!meeting.can_be_found) std::this_thread::yield();
  std::this_thread::sleep_for(later);
  EXPECT_TRUE(waits_alone(*meeting.fiber->worker));
  EXPECT_TRUE(wake_alone(*meeting.fiber));
}

TEST(Solo, AFiberThatWaitsIsWokenWhereItIs) {
  Fiber& fiber = this_fiber();
  Worker& worker = *fiber.worker;
  ASSERT_TRUE(worker.solo) << "outside of regions an external thread runs its own fiber alone";
  for (const int later : {0, 20}) {
    Meeting meeting{&fiber};
    std::thread other([&] { wake_when_found(meeting, std::chrono::milliseconds(later)); });
    wait_alone(fiber, let_find, &meeting);
    EXPECT_FALSE(waits_alone(worker));
    EXPECT_EQ(worker.current, &fiber);
    other.join();
  }
  EXPECT_FALSE(wake_alone(fiber)) << "it does not wait";
}

TEST(Solo, AFiberOfAnyOtherWorkerIsLeftToQueues) {
  Worker worker;
  Fiber fiber;
  fiber.worker = &worker;
  worker.solo_wait = 1;
  EXPECT_FALSE(wake_alone(fiber));
}

// The gate of a thread that has no worker, and is given one by who has none to leave.
TEST(Solo, AThreadThatSleepsAtItsGateIsGivenItsWorker) {
  switch_by_gates();
  for (const int64_t spin_ns : {int64_t{0}, int64_t{1'000'000'000}}) {
    Worker worker;
    Stack stack;
    std::atomic<bool> at_gate{false};
    std::thread sleeper([&] {
      add_gate(stack, true);
      at_gate = true;
      EXPECT_EQ(wait_for_worker(stack, spin_ns), &worker);
    });
    while (!at_gate) std::this_thread::yield();
    start_at(stack, worker);
    sleeper.join();
    EXPECT_EQ(worker.tid, stack.gate->native.tid);
    EXPECT_EQ(stack.gate->state.load(), ThreadGate::closed);
    delete stack.gate;
  }
}

}  // namespace
}  // namespace xylem::sched
