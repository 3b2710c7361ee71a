// Xylem's side of threads.h. What makes threads is done by a member of a team of two, as most that
// open nested teams are members themselves; it is a fiber on a stack of the pool.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "base/relax.hpp"
#include "base/report.hpp"
#include "omp/team/team.hpp"
#include "os/clock.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/wait_address.hpp"
#include "threads.h"

namespace {

using xylem::sched::Fiber;
using xylem::sched::Pool;
using xylem::sched::Worker;

double now_ns() { return static_cast<double>(xylem::os::now_ns()); }

// Processor time of the kernel thread.
double used_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

int my_number() { return xylem::omp::current_member().num; }

// Runs work() in each member of a team.
template <typename Work>
void in_team(unsigned threads, Work work) {
  xylem::omp::parallel({.function = [](void* raw) { (*static_cast<Work*>(raw))(); },
                        .data = &work,
                        .wanted = threads});
}

// Runs work() in a fiber that is not the program's own thread.
template <typename Work>
void in_fiber(Work work) {
  in_team(2, [&work] {
    if (my_number() == 1) work();
  });
}

// --- making threads ---

void nothing(void*) { asm volatile("" ::: "memory"); }
void meet_all(void*) { team_barrier(xylem::omp::current_member()); }

struct Spent {
  double creating = 0, whole = 0;
};

// Member 0 of a team is its maker: it is not made, but it has to do what the others do.
Spent make_and_join(long count, void (*body)(void*)) {
  Spent sum;
  in_fiber([&] {
    for (long done = 0; done < count; done += bench_threads) {
      const double begin = now_ns(), used = used_ns();
      xylem::omp::parallel_begin({.function = body, .wanted = bench_threads + 1});
      sum.creating += used_ns() - used;
      body(nullptr);
      xylem::omp::parallel_end();
      sum.whole += now_ns() - begin;
    }
  });
  return sum;
}

}  // namespace

double bench_fiber_creation(long count) { return make_and_join(count, nothing).creating; }
double bench_fiber_execution(long count) {
  const Spent sum = make_and_join(count, nothing);
  return sum.whole - sum.creating;
}
double bench_fiber_creation_execution(long count) { return make_and_join(count, nothing).whole; }
double bench_fiber_blocking(long count) { return make_and_join(count, meet_all).whole; }

// --- switching ---

namespace {

void make_ready_after(Worker&, void* fiber) {
  xylem::sched::make_ready(*static_cast<Fiber*>(fiber));
}

// Runs work(0) and work(1) in two members of a team that are not the program's own thread.
template <typename Work>
void two_fibers(Work work) {
  in_team(3, [&work] {
    if (my_number() > 0) work(static_cast<uint32_t>(my_number() - 1));
  });
}

}  // namespace

double bench_fiber_schedule(long count) {
  in_fiber([count] {
    for (long i = 0; i < count; ++i)
      xylem::sched::suspend(make_ready_after, xylem::sched::current_fiber());
  });
  return 0;
}

double bench_fiber_switch(long count) {
  two_fibers([count](uint32_t) {
    for (long i = 0; i < count / 2; ++i) xylem::sched::yield();
  });
  return 0;
}

double bench_fiber_hand_over(long count) {
  std::atomic<uint32_t> turn{0};
  two_fibers([count, &turn](uint32_t me) {
    for (long i = 0; i < count / 2; ++i) {
      for (uint32_t seen = turn.load(); seen != me; seen = turn.load())
        xylem::sched::wait_on(&turn, seen);
      turn.store(1 - me);
      xylem::sched::wake_one(&turn);
    }
  });
  return 0;
}

// --- migration ---
// A team of the program's own thread, an asker on PU 0, and sleepers. In each round all sleepers
// sleep, having been on PU 0; then they come to PU 1, where the first keeps the PU until the round
// is over. So the asker waits for nobody, and nobody takes from the queues that it puts into.

namespace {

// Keeps the program's own thread, which serves PU 0 and is bound nowhere, off PU 1's processor.
class AtHome {
 public:
  AtHome() {
    const Pool& pool = *Pool::instance();
    if (pool.pu_count() < 2) xylem::base::fatal("migration needs two processors");
    cpu_set_t home;
    CPU_ZERO(&home);
    CPU_SET(static_cast<size_t>(pool.machine().pu_os_index(0)), &home);
    sched_getaffinity(0, sizeof before_, &before_);
    sched_setaffinity(0, sizeof home, &home);
  }
  ~AtHome() { sched_setaffinity(0, sizeof before_, &before_); }
  AtHome(const AtHome&) = delete;
  AtHome& operator=(const AtHome&) = delete;

 private:
  cpu_set_t before_;
};

struct Rounds {
  Fiber* sleepers[bench_sleepers];
  // Counted up by each sleeper once it may be woken; 0 again by the asker, who then wakes them.
  std::atomic<int> asleep{0};
  std::atomic<int> over{0};        // rounds; written by the asker
  std::atomic<bool> ended{false};  // written by the asker before it wakes them for the last time
};

struct Sleep {
  Rounds* rounds;
  int number;
};

void record_asleep(Worker&, void* raw) {
  const auto& sleep = *static_cast<Sleep*>(raw);
  sleep.rounds->asleep.fetch_add(1);  // from here on its frame may go
}

template <typename Go>
void sleep_and_go(Rounds& rounds, int number, Go go) {
  rounds.sleepers[number] = xylem::sched::current_fiber();
  for (int round = 1;; ++round) {
    xylem::sched::move_to(0);
    Sleep sleep{&rounds, number};
    xylem::sched::suspend(record_asleep, &sleep);
    if (rounds.ended.load()) return;
    go();
    while (rounds.over.load() < round) xylem::base::relax();
  }
}

void wait_until_all_sleep(Rounds& rounds) {
  while (rounds.asleep.load() < bench_sleepers) xylem::sched::yield();
  rounds.asleep.store(0);
}

void wake_all(Rounds& rounds, int pu) {
  for (Fiber* sleeper : rounds.sleepers) {
    sleeper->pin_pu = pu;
    xylem::sched::make_ready(*sleeper);
  }
}

// Times ask(rounds) in each round; `go` is what a sleeper does once it is awake. `prepare` is not
// timed.
template <typename Prepare, typename Ask, typename Go>
double migrate(long count, Prepare prepare, Ask ask, Go go) {
  const AtHome at_home;
  Rounds rounds;
  double took = 0;
  long orders = 0;
  in_team(bench_sleepers + 2, [&] {
    if (my_number() > 1) return sleep_and_go(rounds, my_number() - 2, go);
    if (my_number() == 0) return;
    xylem::sched::move_to(0);
    for (; orders < count; orders += bench_sleepers) {
      wait_until_all_sleep(rounds);
      prepare(rounds);
      const double begin = now_ns();
      ask(rounds);
      took += now_ns() - begin;
      rounds.over.fetch_add(1);
    }
    wait_until_all_sleep(rounds);
    rounds.ended.store(true);
    wake_all(rounds, 0);
  });
  return took * static_cast<double>(count) / static_cast<double>(orders);
}

}  // namespace

double bench_fiber_order_inactive(long count) {
  return migrate(
      count, [](Rounds&) {}, [](Rounds& rounds) { wake_all(rounds, 1); }, [] {});
}

// The sleepers stand in PU 0's queue behind the asker; one after the other goes away.
double bench_fiber_order_active(long count) {
  return migrate(
      count, [](Rounds& rounds) { wake_all(rounds, 0); }, [](Rounds&) { xylem::sched::yield(); },
      [] { xylem::sched::move_to(1); });
}

double bench_fiber_migration_latency(long count) {
  const AtHome at_home;
  in_fiber([count] {
    const int here = xylem::sched::current_fiber()->pu;
    for (long i = 0; i < count; ++i)
      xylem::sched::move_to((here + 1 + static_cast<int>(i & 1)) % 2);
  });
  return 0;
}

// --- the start ---

extern "C" void omp_set_max_active_levels(int levels);

void bench_fiber_start(int tier) {
  omp_set_max_active_levels(4);
  in_team(2, [] {});
  const Pool& pool = *Pool::instance();
  const int seen = static_cast<int>(pool.tier());
  if (pool.a_thread_each() || (tier != 0 && seen != tier))
    xylem::base::fatal("thread-local storage is in tier %d where tier %d was asked for", seen,
                       tier);
}
