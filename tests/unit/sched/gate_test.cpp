// Workers on their way from one kernel thread to another.
#include "sched/context/gate.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "os/futex.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {
namespace {

// Nobody sleeps at the gate that is opened, as where its kernel thread waits for a processor.
TEST(Gate, AWorkerThatHasNotArrivedHasNoThread) {
  switch_by_gates();
  Worker worker;
  Stack from, to;
  add_gate(from, true);
  to.gate = new ThreadGate;
  worker.tid = 77;
  Context left{nullptr, &from}, other_left{nullptr, &to};
  const AfterSwitch nothing = [](Worker&, void*) {};
  int tid_on_its_way = -1;
  std::thread other([&] {
    while (to.gate->state.load() != ThreadGate::opened) std::this_thread::yield();
    tid_on_its_way = worker.tid;
    from.gate->incoming = {&other_left, &from, &worker, nothing, nullptr};
    from.gate->state.store(ThreadGate::opened);
    os::futex_wake(&from.gate->state, 1);
  });
  hand_over({&left, &to, &worker, nothing, nullptr}, from, to);
  other.join();
  EXPECT_EQ(tid_on_its_way, 0);
  EXPECT_EQ(worker.tid, from.gate->native.tid);
  delete from.gate;
  delete to.gate;
}

}  // namespace
}  // namespace xylem::sched
