// Which threads are asked to go to another processor, by processors that the test writes in the
// kernel's place; and that a thread that goes has the affinity that it had.
#include "sched/worker/parting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "os/running.hpp"
#include "os/thread.hpp"
#include "sched/fake_kernel.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

constexpr int pus = 4, nobody_asked = -1;

// Two memory nodes of two PUs.
const topo::Machine& four_pus() {
  static const auto loaded = topo::load_machine("[numa] pack:2 [numa] pu:2", true);
  return *loaded.value();
}

PoolSettings settings() {
  PoolSettings made;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

// A thread of the program's is PU 0's worker, and each other PU has one; all are on their own
// processors.
class Parts : public testing::Test {
 protected:
  Parts() {
    for (int pu = 0; pu < pus; ++pu) {
      Worker& worker = workers_[static_cast<size_t>(pu)];
      worker.pool = &pool_;
      worker.serve(pu);
      be_on(pu, pu);
      worker.show_thread(&processors_[static_cast<size_t>(pu)], tid_of(pu));
      pool_.slot(pu).worker = &worker;
    }
    workers_[0].external = &external_;
  }
  static int tid_of(int worker) { return 100 + worker; }
  // By PUs' numbers.
  void be_on(int worker, int pu) {
    processors_[static_cast<size_t>(worker)] = four_pus().pu_os_index(pu);
  }
  // All but those at rest take a turn, and the monitor looks, two milliseconds after it did last.
  void poll(std::initializer_list<int> at_rest = {}) {
    for (int pu = 0; pu < pus; ++pu)
      if (std::find(at_rest.begin(), at_rest.end(), pu) == at_rest.end())
        workers_[static_cast<size_t>(pu)].record_turn();
    kernel_.now += 2'000'000;
    parting_.poll(kernel_.now);
  }
  void rest(int worker) { workers_[static_cast<size_t>(worker)].rests += 2; }
  // So often, while the worker waits for its processor for so long each time.
  void poll_while(int worker, int64_t waits_ns, int times) {
    for (int i = 0; i < times; ++i) {
      kernel_.waited[tid_of(worker)] += waits_ns;
      poll();
    }
  }
  // The PU that the worker is asked to go to; it does.
  int asked(int worker) {
    const int cpu = workers_[static_cast<size_t>(worker)].asked_to_go.exchange(nobody_asked);
    return cpu < 0 ? nobody_asked : four_pus().pu_of_os_index(cpu);
  }

  // Worker 1 meets the program's thread, and goes to its own PU.
  void send_away() {
    be_on(1, 0);
    poll();
    ASSERT_EQ(asked(1), 1);
    be_on(1, 1);
  }

  test::FakeKernel kernel_;
  Pool pool_{four_pus(), settings()};
  ExternalThread external_{};
  std::array<Worker, pus> workers_;
  std::array<int, pus> processors_{};
  Parting parting_{pool_};
};

TEST_F(Parts, ThreadsThatAreApartStay) {
  for (int i = 0; i < 10; ++i) poll();
  for (int worker = 0; worker < pus; ++worker) EXPECT_EQ(asked(worker), nobody_asked);
}

TEST_F(Parts, TheWorkerGoesAndNotTheProgramsThread) {
  be_on(1, 0);
  poll();
  EXPECT_EQ(asked(0), nobody_asked);
  EXPECT_EQ(asked(1), 1);
}

TEST_F(Parts, OneOfTwoWorkersGoesToAFreePuOfItsNode) {
  be_on(3, 2);
  poll();
  EXPECT_EQ(asked(2), 3);
  EXPECT_EQ(asked(3), nobody_asked);
}

TEST_F(Parts, WhoIsOnAnotherNodeGoesBackToItsOwn) {
  be_on(3, 0);
  poll();
  EXPECT_EQ(asked(3), 3);
}

TEST_F(Parts, WhoIsAtRestIsNeitherCountedNorAsked) {
  be_on(1, 0);
  for (int i = 0; i < 10; ++i) poll({1});
  EXPECT_EQ(asked(1), nobody_asked);
}

TEST_F(Parts, WhoIsOnlyWokenInVainIsAsked) {
  be_on(1, 0);
  poll({1});
  EXPECT_EQ(asked(1), nobody_asked);
  rest(1);
  poll({1});
  EXPECT_EQ(asked(1), 1);
}

TEST_F(Parts, NobodyIsAskedWhereNoProcessorOfTheNodeIsFree) {
  be_on(1, 0);
  be_on(2, 1);
  poll();
  for (int worker = 0; worker < pus; ++worker) EXPECT_EQ(asked(worker), nobody_asked);
}

TEST_F(Parts, EachTimeItTakesTwiceAsManyPolls) {
  for (int needed = 1; needed <= 8; needed *= 2) {
    be_on(1, 0);
    for (int i = 1; i < needed; ++i) {
      poll();
      EXPECT_EQ(asked(1), nobody_asked) << i << " of " << needed;
    }
    poll();
    EXPECT_EQ(asked(1), 1) << needed;
    be_on(1, 1);
    poll_while(1, 0, 5);
  }
}

TEST_F(Parts, OneMeetingIsEnoughAgainAfterManyPollsWithoutAny) {
  send_away();
  for (int i = 0; i < 20; ++i) poll();
  be_on(1, 0);
  poll();
  EXPECT_EQ(asked(1), 1);
}

TEST_F(Parts, MeetingsWithPollsApartInBetweenDoNotAddUp) {
  send_away();  // from now on it takes two
  poll_while(1, 0, 5);
  for (int i = 0; i < 4; ++i) {
    be_on(1, 0);
    poll();
    be_on(1, 1);
    poll();
    EXPECT_EQ(asked(1), nobody_asked);
  }
}

TEST_F(Parts, WhoHasToWaitForItsNewProcessorGoesBackAndTriesSeldom) {
  send_away();
  poll_while(1, 1'000'000, 5);
  EXPECT_EQ(asked(1), 0);
  be_on(1, 0);
  poll_while(1, 1'000'000, 255);
  EXPECT_EQ(asked(1), nobody_asked);
  poll();
  EXPECT_EQ(asked(1), 1);
}

TEST_F(Parts, WhoIsToGoBackStaysAskedWhileOthersMeet) {
  send_away();
  be_on(3, 2);
  poll_while(1, 1'000'000, 7);
  EXPECT_EQ(asked(1), 0);
}

TEST_F(Parts, WhoWaitsALittleStays) {
  send_away();
  poll_while(1, 200'000, 10);
  EXPECT_EQ(asked(1), nobody_asked);
}

TEST_F(Parts, OneGoesAtATimeAndTheNextWhenThatOneHasGone) {
  be_on(1, 0);
  be_on(3, 2);
  poll();
  EXPECT_EQ(asked(1), 1);
  EXPECT_EQ(asked(2), nobody_asked);
  be_on(1, 1);
  poll_while(1, 0, 6);
  EXPECT_EQ(asked(2), 3);
}

TEST_F(Parts, WhoDidNotGoIsAskedAgain) {
  be_on(1, 0);
  poll();
  EXPECT_EQ(asked(1), 1);
  for (int i = 0; i < 4; ++i) poll();
  EXPECT_EQ(asked(1), 1);
}

TEST_F(Parts, WhereTheProgramsThreadComesTooNobodyGoesBack) {
  send_away();
  poll_while(1, 1'000'000, 2);
  be_on(0, 1);
  poll_while(1, 1'000'000, 2);
  EXPECT_EQ(asked(1), 0) << "free, and this was the second poll in which they met";
}

TEST_F(Parts, WhoseProcessorIsNotKnownIsNotAsked) {
  workers_[1].processor = nullptr;
  processors_[2] = -1;
  processors_[3] = 1000;
  for (int i = 0; i < 4; ++i) poll();
  for (int worker = 0; worker < pus; ++worker) EXPECT_EQ(asked(worker), nobody_asked);
}

TEST_F(Parts, NobodyIsAskedWhileProcessorsAreShared) {
  pool_.set_crowded(true);
  be_on(1, 0);
  for (int i = 0; i < 4; ++i) poll();
  EXPECT_EQ(asked(1), nobody_asked);
}

TEST_F(Parts, WhoIsAskedToGoHomeIsNotThere) {
  be_on(1, 0);
  for (Worker& worker : workers_) ask_to_go_home(worker);
  for (int worker = 0; worker < pus; ++worker)
    EXPECT_EQ(asked(worker), worker == 1 ? 1 : nobody_asked);
}

TEST_F(Parts, NobodyIsAskedToGoHomeWhereThatIsNotKnownOrProcessorsAreShared) {
  be_on(1, 0);
  processors_[2] = -1;
  ask_to_go_home(workers_[2]);
  pool_.set_crowded(true);
  ask_to_go_home(workers_[1]);
  for (int worker = 0; worker < pus; ++worker) EXPECT_EQ(asked(worker), nobody_asked);
}

TEST_F(Parts, WhoRunsAHeldMemberOnAnothersProcessorIsBroughtHomeEachFewMilliseconds) {
  Worker& worker = workers_[1];
  worker.show_thread(&processors_[1], os::thread_id());  // the test's is brought
  worker.record_turn();
  worker.record_held();
  be_on(1, 0);
  for (int times = 0; times < 3; ++times) {
    poll({1});
    EXPECT_EQ(worker.brought_at, kernel_.now);
    poll({1});
    EXPECT_EQ(worker.brought_at, kernel_.now - 2'000'000);
  }
  EXPECT_EQ(asked(1), nobody_asked);
}

TEST_F(Parts, WhoRunsAHeldMemberAloneOnAProcessorIsLeftThere) {
  workers_[1].record_turn();
  workers_[1].record_held();
  be_on(0, 1);
  be_on(1, 0);
  for (int i = 0; i < 4; ++i) poll({1});
  EXPECT_EQ(workers_[1].brought_at, 0);
}

// The mask that the test's thread has is put back.
class Part : public testing::Test {
 protected:
  ~Part() override { os::set_affinity(before_); }
  int first_cpu() const {
    int cpu = 0;
    while (!before_.has(cpu)) ++cpu;
    return cpu;
  }
  const os::AffinityMask before_ = os::affinity();
  Worker worker_;
};

TEST_F(Part, AThreadThatGoesHasTheAffinityThatItHad) {
  worker_.asked_to_go = first_cpu();
  part_if_asked(worker_);
  EXPECT_EQ(worker_.asked_to_go, nobody_asked);
  const os::AffinityMask after = os::affinity();
  EXPECT_EQ(after.count(), before_.count());
  for (int cpu = 0; cpu < 1024; ++cpu) EXPECT_EQ(after.has(cpu), before_.has(cpu)) << cpu;
}

TEST_F(Part, OneThatIsBoundElsewhereStays) {
  if (before_.count() < 2) GTEST_SKIP() << "one processor";
  int other = first_cpu() + 1;
  while (!before_.has(other)) ++other;
  ASSERT_EQ(os::bind_to_cpu(other), 0);
  worker_.asked_to_go = first_cpu();
  part_if_asked(worker_);
  EXPECT_EQ(os::running_on().cpu, other);
  EXPECT_EQ(os::affinity().count(), 1);
}

// What the kernel writes into a thread's memory is where it runs.
TEST_F(Part, TheKernelWritesWhereAThreadRuns) {
  os::find_rseq();
  const os::NativeThread self = os::describe_this_thread();
  if (os::processor_at(self.processor) < 0) GTEST_SKIP() << "libc registers no rseq";
  for (int cpu = 0; cpu < 1024; ++cpu) {
    if (!before_.has(cpu)) continue;
    ASSERT_EQ(os::bind_to_cpu(cpu), 0);
    EXPECT_EQ(os::processor_at(self.processor), cpu);
  }
}

}  // namespace
}  // namespace xylem::sched
