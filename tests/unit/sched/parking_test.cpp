// Parking: no wake-up is lost. Nothing but the protocol of parking.cpp wakes a worker here, as no
// monitor runs: what nobody comes to is never run, and the test does not end.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/relax.hpp"
#include "os/clock.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/ticks_of_tests.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

const topo::Machine& four_pus() {
  static const auto loaded = topo::load_machine("pu:4", true);
  return *loaded.value();
}

// No external thread takes PU 0's slot here: one worker.
const topo::Machine& one_worker() {
  static const auto loaded = topo::load_machine("pu:2", true);
  return *loaded.value();
}

// Its own queue and those above, then others'.
Work find(Worker& worker, Order order) {
  Pool& pool = *worker.pool;
  const auto levels = pool.machine().levels();
  for (int level = pool.machine().pu_level(worker.pu); level >= 0;
       level = levels[static_cast<size_t>(level)].parent)
    if (Work work = pool.level_queue(level).take(worker, order)) return work;
  for (int pu = 0; pu < pool.pu_count(); ++pu) {
    if (pu == worker.pu) continue;
    constexpr plan::StealRule rule;
    const Worker::Steal how{worker.queue(), pool.level_queue(0), rule};
    if (Work work = worker.steal_from(pool.pu_queue(pu), how)) return work;
  }
  return {};
}

bool anything_to_steal(Worker& worker) {
  Pool& pool = *worker.pool;
  for (size_t level = 0; level < pool.machine().levels().size(); ++level)
    if (pool.level_queue(static_cast<int>(level)).count() > 0) return true;
  return false;
}

PoolSettings settings(int64_t spin_ns) {
  PoolSettings made;
  made.stack_bytes = 64 << 10;
  made.spin_ns = spin_ns;
  made.find = find;
  made.anything_to_steal = anything_to_steal;
  return made;
}

// Seeds that a test pushes. They outlive it: a worker that has run the last one may look at its
// bubble still.
struct Seeds : Bubble {
  explicit Seeds(int n, void (*run)(Bubble&, int, Thread&)) : storage(static_cast<size_t>(n)) {
    seed_ranges = storage.data();
    members = n;
    its_kind = {run, [](Bubble& bubble, int) { static_cast<Seeds&>(bubble).ended.fetch_add(1); }};
    kind = &its_kind;
  }
  // Waits for the end of `n` in all without being a worker.
  void wait_for(int n) const {
    for (int turn = 0; ended.load() < n; ++turn) {
      if (turn % 1000 == 999)
        os::yield_to_kernel();
      else
        base::relax();
    }
  }
  BubbleKind its_kind;
  std::vector<SeedRange> storage;
  std::atomic<int> ended{0};
};

// Nothing to some tens of microseconds: workers are then searching, or about to sleep, or asleep.
void pause(std::mt19937& random) {
  const int turns = static_cast<int>(random() % 1024);
  for (int i = 0; i < turns; ++i) base::relax();
}

class Parking : public testing::TestWithParam<int64_t> {
 protected:
  ~Parking() override { pool_.stop(); }
  // Pools are not destroyed: workers that end give their stacks back.
  Pool& pool_ = *new Pool(four_pus(), settings(GetParam()));
};

constexpr int rounds = 3000;

// One at a time: somebody must be awake for each.
void push_one_by_one(Pool& pool, int count) {
  std::mt19937 random(1);
  auto& seeds = *new Seeds(count, [](Bubble&, int, Thread&) {});
  for (int i = 0; i < count; ++i) {
    const int pu = static_cast<int>(random()) & (pool.pu_count() - 1);
    pool.wake_for(pu, pool.pu_queue(pu).push_fresh(seeds.new_seed_range(i, i + 1)), nullptr);
    seeds.wait_for(i + 1);
    pause(random);
  }
}

// Lends PUs and takes them back, as the monitor does, all the time; one that has a worker is always
// kept.
class Lender {
 public:
  explicit Lender(Pool& pool) : pool_(pool), thread_([this] { run(); }) {}
  ~Lender() {
    over_.store(true);
    thread_.join();
    EXPECT_GT(lent_, 0) << "no PU was ever lent";
  }

 private:
  void run() {
    std::mt19937 random(5);
    int kept = 1;
    while (!over_.load()) {
      if (random() % 4 == 0) {
        const int next = 1 + static_cast<int>(random() % 3);
        pool_.take_back(next);
        kept = next;
      }
      for (int pu = 1; pu < pool_.pu_count(); ++pu) {
        if (pu != kept && random() % 2 == 0) pool_.lend(pu);
        if (pool_.is_lent(pu)) ++lent_;
        if (random() % 8 == 0) pool_.take_back(pu);
      }
      pause(random);
    }
    for (int pu = 1; pu < pool_.pu_count(); ++pu) pool_.take_back(pu);
  }
  Pool& pool_;
  std::atomic<bool> over_{false};
  int lent_ = 0;
  std::thread thread_;
};

TEST_P(Parking, ASeedThatComesAloneIsRun) { push_one_by_one(pool_, rounds); }

TEST_P(Parking, ASeedThatComesAloneIsRunWhilePUsAreLent) {
  const Lender lender(pool_);
  push_one_by_one(pool_, rounds);
}

// Nobody else looks where the worker has stopped looking. Without its last poll before it sleeps
// some thousand seeds are enough.
TEST_P(Parking, ASeedThatComesAloneToOneWorkerIsRun) {
  Pool& pool = *new Pool(one_worker(), settings(GetParam()));
  push_one_by_one(pool, 10 * rounds);
  pool.stop();
}

// Several at once, to queues of PUs and to the one above all.
void push_from_several(Pool& pool) {
  constexpr int threads = 3;
  auto& seeds = *new Seeds(threads * rounds, [](Bubble&, int, Thread&) {});
  std::vector<std::thread> pushers;
  for (int t = 0; t < threads; ++t)
    pushers.emplace_back([&pool, t, &seeds] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = t * rounds; i < (t + 1) * rounds;) {
        const int n = std::min<int>((t + 1) * rounds - i, 1 + static_cast<int>(random() % 4));
        const int pu = static_cast<int>(random() % 4);
        if (random() % 4 == 0) {
          pool.level_queue(0).push_fresh(seeds.new_seed_range(i, i + n));
          pool.wake_below(0, n, nullptr);
        } else {
          const Concerns whom = pool.pu_queue(pu).push_fresh(seeds.new_seed_range(i, i + n));
          pool.wake_for(pu, whom, nullptr);
        }
        i += n;
        pause(random);
      }
    });
  for (std::thread& pusher : pushers) pusher.join();
  seeds.wait_for(threads * rounds);
}

TEST_P(Parking, SeedsThatComeFromSeveralThreadsAreRun) { push_from_several(pool_); }

TEST_P(Parking, SeedsThatComeFromSeveralThreadsAreRunWhilePUsAreLent) {
  const Lender lender(pool_);
  push_from_several(pool_);
}

// Where fibers wait until who comes last makes all ready.
struct Meeting {
  base::SpinLock lock{{30, "a test's lock"}};
  EntityList waiting;
  int came = 0;
};
Meeting* meeting = nullptr;
constexpr int members = 6, meetings = 500;
bool gathers = false;  // who wakes the others gathers them

void unlock_meeting(Worker&, void*) XYLEM_NO_THREAD_ANALYSIS { meeting->lock.unlock(); }

void meet(Fiber& self) XYLEM_NO_THREAD_ANALYSIS {
  EntityList ready;
  meeting->lock.lock();
  if (++meeting->came < members) {
    meeting->waiting.push_back(self);
    suspend(unlock_meeting, nullptr);
    return;
  }
  meeting->came = 0;
  ready = std::exchange(meeting->waiting, EntityList{});
  meeting->lock.unlock();
  if (ready.empty()) return;
  if (!gathers) return make_all_ready(ready);
  self.brief_runs = most_brief_runs;
  begin_run(self);
  Worker* place = gathering_place();
  place ? gather(ready, *place) : make_all_ready(ready);
}

// Nobody pushes from outside here: each fiber is woken by another one, on a worker that may then go
// to sleep.
void let_meet(Pool& pool) {
  auto& here = *new Meeting;
  meeting = &here;
  auto& seeds = *new Seeds(members, [](Bubble&, int index, Thread& self) {
    std::mt19937 random(static_cast<unsigned>(index));
    for (int i = 0; i < meetings; ++i) {
      meet(static_cast<Fiber&>(self));
      pause(random);
    }
  });
  pool.wake_for(1, pool.pu_queue(1).push_fresh(seeds.new_seed_range(0, members)), nullptr);
  seeds.wait_for(members);
}

TEST_P(Parking, FibersThatWaitForEachOtherAreWoken) { let_meet(pool_); }

TEST_P(Parking, FibersThatWaitForEachOtherAreWokenWhilePUsAreLent) {
  const Lender lender(pool_);
  let_meet(pool_);
}

class Gathering : public Parking {
 protected:
  Gathering() {
    await_ticks();
    gathers = true;
  }
  ~Gathering() override { gathers = false; }
};

TEST_P(Gathering, FibersThatAreGatheredAreRun) { let_meet(pool_); }

TEST_P(Gathering, FibersThatAreGatheredAreRunWhilePUsAreLent) {
  const Lender lender(pool_);
  let_meet(pool_);
}

// Returns when the PU is lent.
void lend(Pool& pool, int pu) {
  while (!pool.is_lent(pu)) {
    pool.lend(pu);
    os::yield_to_kernel();
  }
}

TEST_P(Parking, WhatComesToALentPUIsRunByTheOthers) {
  push_one_by_one(pool_, 100);  // the workers are there
  for (int kept = 1; kept < pool_.pu_count(); ++kept) {
    pool_.take_back(kept);
    for (int pu = 1; pu < pool_.pu_count(); ++pu)
      if (pu != kept) lend(pool_, pu);
    push_one_by_one(pool_, 500);
    for (int pu = 1; pu < pool_.pu_count(); ++pu) EXPECT_EQ(pool_.is_lent(pu), pu != kept);
  }
}

// What is on its way to a lent PU goes to one before it that is not, or its maker would wait until
// somebody steals it.
TEST_P(Parking, WhatIsMeantForALentPUGoesToOneBeforeIt) {
  push_one_by_one(pool_, 100);
  for (const int pu : {2, 3}) lend(pool_, pu);
  EXPECT_EQ(pool_.served_pu(3, nullptr), 1);
  EXPECT_EQ(pool_.served_pu(2, nullptr), 1);
  EXPECT_EQ(pool_.served_pu(1, nullptr), 1);
  pool_.take_back(2);
  EXPECT_EQ(pool_.served_pu(3, nullptr), 2);
  pool_.take_back(3);
  pool_.take_back(3);  // once is enough
  EXPECT_EQ(pool_.served_pu(3, nullptr), 3);
}

std::atomic<bool> busy{false}, go_on{false};

TEST_P(Parking, APUThatIsTakenBackRunsWhatWaits) {
  for (int round = 0; round < 100; ++round) {
    for (const int pu : {2, 3}) lend(pool_, pu);
    busy = go_on = false;
    auto& blocker = *new Seeds(1, [](Bubble&, int, Thread&) {
      busy = true;
      while (!go_on) os::yield_to_kernel();
    });
    pool_.wake_for(1, pool_.pu_queue(1).push_fresh(blocker.new_seed_range(0, 1)), nullptr);
    while (!busy) os::yield_to_kernel();
    auto& seeds = *new Seeds(1, [](Bubble&, int, Thread&) {});
    pool_.wake_for(2, pool_.pu_queue(2).push_fresh(seeds.new_seed_range(0, 1)), nullptr);
    const bool moves = round % 2 == 0;
    EXPECT_TRUE(!moves || pool_.move_waiting(2, 1));
    pool_.take_back(3);
    seeds.wait_for(1);
    go_on = true;
    blocker.wait_for(1);
  }
}

// Waits for an object that one takes at a time, on one worker: what stands in its queue was woken.
struct Turns {
  std::atomic<uint32_t> room{0};
  int woken_by_first = -1, woken_by_next = -1;
};
Turns* turns = nullptr;

int wake_next() {
  wake_with_room(turns, wait::everyone);
  return this_fiber().worker->queue().count();
}

void wait_for_turn() {
  const auto room = [](const wait::Wait&) { return turns->room.load(); };
  wait_for_room({.address = turns, .room = room, .object = turns, .in_turn = true},
                wait::no_deadline, true);
}

TEST(Waits, WhoIsWokenInTurnWakesTheNext) {
  Pool& pool = *new Pool(one_worker(), settings(0));
  turns = new Turns;
  auto& seeds = *new Seeds(3, [](Bubble&, int index, Thread&) {
    if (index < 2) {
      wait_for_turn();
      const int woken = wake_next();
      if (turns->woken_by_next < 0) turns->woken_by_next = woken;
      return;
    }
    turns->room = 1;
    wake_next();
    turns->woken_by_first = wake_next();
  });
  pool.wake_for(1, pool.pu_queue(1).push_fresh(seeds.new_seed_range(0, 3)), nullptr);
  const int64_t until = os::now_ns() + 2'000'000'000;
  while (seeds.ended.load() < 3 && os::now_ns() < until) os::yield_to_kernel();
  if (seeds.ended.load() < 3) recheck_waits();
  seeds.wait_for(3);
  EXPECT_EQ(turns->woken_by_first, 1) << "the first one has not looked yet";
  EXPECT_EQ(turns->woken_by_next, 1);
  pool.stop();
}

// One that sleeps is woken when seeds have come, not before.
TEST(StartAhead, StartsAKernelThreadWhereNoneWas) {
  Pool& pool = *new Pool(one_worker(), settings(0));
  const auto state = [&pool] { return pool.slot(1).state.load(); };
  ASSERT_EQ(state(), SlotState::absent);
  pool.start_ahead(0, nullptr);
  EXPECT_NE(state(), SlotState::absent);
  while (state() != SlotState::parked) os::yield_to_kernel();
  pool.start_ahead(0, nullptr);
  EXPECT_EQ(state(), SlotState::parked);
  pool.stop();
}

INSTANTIATE_TEST_SUITE_P(Spins, Parking, testing::Values(0, 2'000, 50'000));
INSTANTIATE_TEST_SUITE_P(Spins, Gathering, testing::Values(0, 2'000, 50'000));

}  // namespace
}  // namespace xylem::sched
