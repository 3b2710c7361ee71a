// Parking: no wake-up is lost. Nothing but the protocol of parking.cpp wakes a worker here, as no
// monitor runs: what nobody comes to is never run, and the test does not end.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "os/clock.hpp"
#include "sched/queue/fiber.hpp"
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
        os::relax();
    }
  }
  BubbleKind its_kind;
  std::vector<SeedRange> storage;
  std::atomic<int> ended{0};
};

// Nothing to some tens of microseconds: workers are then searching, or about to sleep, or asleep.
void pause(std::mt19937& random) {
  const int turns = static_cast<int>(random() % 1024);
  for (int i = 0; i < turns; ++i) os::relax();
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

TEST_P(Parking, ASeedThatComesAloneIsRun) { push_one_by_one(pool_, rounds); }

// Nobody else looks where the worker has stopped looking. Without its last look before it sleeps
// some thousand seeds are enough.
TEST_P(Parking, ASeedThatComesAloneToOneWorkerIsRun) {
  Pool& pool = *new Pool(one_worker(), settings(GetParam()));
  push_one_by_one(pool, 10 * rounds);
  pool.stop();
}

// Several at once, to queues of PUs and to the one above all.
TEST_P(Parking, SeedsThatComeFromSeveralThreadsAreRun) {
  constexpr int threads = 3;
  auto& seeds = *new Seeds(threads * rounds, [](Bubble&, int, Thread&) {});
  std::vector<std::thread> pushers;
  for (int t = 0; t < threads; ++t)
    pushers.emplace_back([this, t, &seeds] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = t * rounds; i < (t + 1) * rounds;) {
        const int n = std::min<int>((t + 1) * rounds - i, 1 + static_cast<int>(random() % 4));
        const int pu = static_cast<int>(random() % 4);
        if (random() % 4 == 0) {
          pool_.level_queue(0).push_fresh(seeds.new_seed_range(i, i + n));
          pool_.wake_below(0, n, nullptr);
        } else {
          const Concerns whom = pool_.pu_queue(pu).push_fresh(seeds.new_seed_range(i, i + n));
          pool_.wake_for(pu, whom, nullptr);
        }
        i += n;
        pause(random);
      }
    });
  for (std::thread& pusher : pushers) pusher.join();
  seeds.wait_for(threads * rounds);
}

// Where fibers wait until who comes last makes all ready.
struct Meeting {
  base::SpinLock lock{{30, "a test's lock"}};
  EntityList waiting;
  int came = 0;
};
Meeting* meeting = nullptr;
constexpr int members = 6, meetings = 500;

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
  make_all_ready(ready);
}

// Nobody pushes from outside here: each fiber is woken by another one, on a worker that may then go
// to sleep.
TEST_P(Parking, FibersThatWaitForEachOtherAreWoken) {
  auto& here = *new Meeting;
  meeting = &here;
  auto& seeds = *new Seeds(members, [](Bubble&, int index, Thread& self) {
    std::mt19937 random(static_cast<unsigned>(index));
    for (int i = 0; i < meetings; ++i) {
      meet(static_cast<Fiber&>(self));
      pause(random);
    }
  });
  pool_.wake_for(1, pool_.pu_queue(1).push_fresh(seeds.new_seed_range(0, members)), nullptr);
  seeds.wait_for(members);
}

INSTANTIATE_TEST_SUITE_P(Spins, Parking, testing::Values(0, 2'000, 50'000));

}  // namespace
}  // namespace xylem::sched
