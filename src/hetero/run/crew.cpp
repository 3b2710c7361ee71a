// Owns: the queue of ready tasks and who comes for them. See crew.hpp.
//
// Members are the threads of the crew's region, for processors, and a kernel thread for each
// device, while the region is open. Each has a seat; devices' come first.
//
// Named counters: waiting = tasks in the queue; resting = members that sleep or are about to, which
// is the number of seats that say so, under the lock, while the region is open.
//
// Invariant: while waiting > 0 somebody who may run what waits is awake, or is being told.
//
// Proof. A dealer raises `waiting`, then reads `phase` and `resting`. A member that found nothing
// raises `resting`, then takes once more, and sleeps only if it found nothing again. All these are
// sequentially consistent, so of a dealer and a member at least one sees the other: the dealer
// tells a member that rests, or the member finds the task. The last member to rest ends the region,
// under the lock, and only if nothing waits (devices alone cannot: until members of the region have
// come nobody knows how many there are): then a dealer finds the phase `closed` and opens it;
// or `closing`, and the crew's kernel thread looks once more under the lock after the region.
#include "hetero/run/crew.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "base/relax.hpp"
#include "base/report.hpp"
#include "hetero/run/device_run.hpp"
#include "hetero/run/device_threads.hpp"
#include "hetero/run/execute.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/measured.hpp"
#include "hetero/run/team_threads.hpp"
#include "hetero/tasks/commute.hpp"
#include "hetero/tasks/data_order.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero {

namespace {

enum class Phase : uint8_t { closed, open, closing };
constexpr int64_t linger_ns = 200'000'000;  // until the crew's kernel thread ends

struct alignas(64) Seat {
  // 1: its member sleeps, or is about to; 0: it was told to look, or the region ends. By the member
  // and, under the lock, by who tells it.
  std::atomic<uint32_t> resting{0};
  // The thread that is the executor; null: none yet. Relaxed: only compared, by the thread itself.
  std::atomic<const sched::Thread*> thread{nullptr};
};

struct Crew {
  const PolicyKind* kind = nullptr;
  Upper upper;
  base::SpinLock queue_lock{{45, "Crew::queue_lock"}};
  // Null before the first task.
  std::unique_ptr<Policy> policy XYLEM_GUARDED_BY(queue_lock);
  plan::Random random XYLEM_GUARDED_BY(queue_lock){20};
  // Sequentially consistent: the proof above.
  alignas(64) std::atomic<int> waiting{0};
  alignas(64) std::atomic<Phase> phase{Phase::closed};  // written under seats_lock
  std::atomic<int> resting{0};                          // likewise
  // With devices'; 0: no member of the region has come yet. Relaxed: by each member of the region
  // before it first takes seats_lock to rest, and under that lock when the region has ended.
  std::atomic<int> seats_open{0};
  base::SpinLock seats_lock{{46, "Crew::seats_lock"}};
  bool has_thread XYLEM_GUARDED_BY(seats_lock) = false;
  std::atomic<uint32_t> opened{0};  // 1: the kernel thread is to open the region
  std::array<Seat, members_beside_devices * most_executors> seats;
};
constinit Crew* crew = nullptr;  // written once, before the first task; made anew in a child

// The executors that a member is.
struct Duty {
  int first;
  int stride;
  int end;
};

Duty duty_of(int seat, int seats) {
  const int processors = processor_count();
  if (seat < device_count()) return {processors + seat, 1, processors + seat + 1};
  const int number = seat - device_count();
  return {number % processors, std::min(seats - device_count(), processors), processors};
}

View view_for(int maker) XYLEM_REQUIRES(crew->queue_lock) {
  View view;
  view.executors = executors();
  view.maker = maker;
  view.random = &crew->random;
  if (crew->kind->uses_models) view.now_ns = static_cast<double>(os::now_ns());
  view.neighbours = neighbours;
  return view;
}

// --- taking --------------------------------------------------------------------------------------

Task* take(int executor) {
  if (crew->waiting.load() == 0) return nullptr;
  base::Locked locked(crew->queue_lock);
  Entry* entry = crew->policy->pop(executor, view_for(executor));
  if (entry) crew->waiting.fetch_sub(1);
  return static_cast<Task*>(entry);
}

bool run_one(int seat, const Duty& duty) {
  for (int executor = duty.first; executor < duty.end; executor += duty.stride) {
    if (executors()[static_cast<size_t>(executor)].kind != 0) {
      if (serve_device({executor, seat}, crew->kind->uses_models, take)) return true;
    } else if (Task* task = take(executor)) {
      execute(*task, {executor, seat}, crew->kind->uses_models);
      // Data that another of the processor's members waits for may have come.
      if (device_count() > 0) sched::yield();
      return true;
    }
  }
  return false;
}

// --- resting -------------------------------------------------------------------------------------

void wake(Seat& seat) {
  seat.resting.store(0);
  sched::wake_all(&seat.resting);
}

void begin_rest(int seat) {
  base::Locked locked(crew->seats_lock);
  crew->seats[static_cast<size_t>(seat)].resting.store(1);
  crew->resting.fetch_add(1);
}

void end_rest(int seat) {
  base::Locked locked(crew->seats_lock);
  Seat& mine = crew->seats[static_cast<size_t>(seat)];
  if (mine.resting.load() == 0) return;  // somebody told it
  mine.resting.store(0);
  crew->resting.fetch_sub(1);
}

// True if the region ends now, by the caller, or has.
bool region_ends() {
  int seats = 0;
  {
    base::Locked locked(crew->seats_lock);
    if (crew->phase.load() == Phase::closing) return true;
    seats = crew->seats_open.load(std::memory_order_relaxed);  // relaxed: see there
    if (seats == 0 || crew->resting.load() < seats || crew->waiting.load() > 0) return false;
    crew->phase.store(Phase::closing);
  }
  for (int seat = 0; seat < seats; ++seat) wake(crew->seats[static_cast<size_t>(seat)]);
  return true;
}

// Until there may be something to do; false: the region ends.
bool rest(int seat, const Duty& duty) {
  begin_rest(seat);
  if (run_one(seat, duty)) {
    end_rest(seat);
    return true;
  }
  Seat& mine = crew->seats[static_cast<size_t>(seat)];
  if (region_ends()) return false;
  while (mine.resting.load() == 1) sched::wait_on(&mine.resting, 1);
  return crew->phase.load() != Phase::closing;
}

void look_in_place(const sched::Thread& self) {
  sched::InPlace in_place(self);
  for (int turn = 0; crew->waiting.load() == 0 && in_place.goes_on(turn); ++turn) base::relax();
}

void be_member(int seat, int seats, void (*look)(const sched::Thread&)) {
  const sched::Thread& self = sched::this_thread();
  const Duty duty = duty_of(seat, seats);
  Seat& mine = crew->seats[static_cast<size_t>(seat)];
  mine.thread.store(&self, std::memory_order_relaxed);
  for (;;) {
    while (run_one(seat, duty)) {
    }
    look(self);
    if (run_one(seat, duty)) continue;
    if (!rest(seat, duty)) break;
  }
  mine.thread.store(nullptr, std::memory_order_relaxed);
}

// Member 0 is the crew's kernel thread, which only waits, unless the team has no other.
void be_team_member(int member, int members) {
  const int seats = std::min(std::max(members - 1, 1) + device_count(), crew_size());
  const int seat = device_count() + (members == 1 ? 0 : member - 1);
  sched::go_to_own_processor();
  if (member == 0 && members > 1) return;
  if (seat >= seats) return;
  crew->seats_open.store(seats, std::memory_order_relaxed);  // relaxed: see there
  be_member(seat, seats, look_in_place);
}

// A kernel thread of its own leaves the processor to workers when it finds nothing.
void be_device(int device) {
  sched::sleep_in_waits();
  be_member(device - 1, 0, [](const sched::Thread&) {});
}

// --- the crew's kernel thread --------------------------------------------------------------------

// True: the region is to be opened (again). No member is left. One that took a task while the
// region was about to end rests once more before it leaves, when nobody wakes members any longer.
bool close_region() {
  base::Locked locked(crew->seats_lock);
  crew->resting.store(0);
  const int seats = crew->seats_open.exchange(0, std::memory_order_relaxed);  // relaxed: see there
  for (int seat = 0; seat < seats; ++seat) crew->seats[static_cast<size_t>(seat)].resting.store(0);
  const bool again = crew->waiting.load() > 0;
  crew->phase.store(again ? Phase::open : Phase::closed);
  return again;
}

// False: nothing came for a while, and the kernel thread is to end.
bool wait_for_work() {
  const int64_t until = os::now_ns() + linger_ns;
  while (crew->opened.load() == 0) {
    const int64_t left = until - os::now_ns();
    if (left > 0) {
      os::futex_wait(&crew->opened, 0, left);
      continue;
    }
    end_device_threads();  // before another kernel thread of the crew can start some
    base::Locked locked(crew->seats_lock);
    if (crew->opened.load() != 0) break;
    crew->has_thread = false;
    return false;
  }
  crew->opened.store(0);
  return true;
}

void run_region() {
  begin_device_threads(be_device);
  crew->upper.run_team(crew_size() - device_count() + 1, be_team_member);
  wait_for_device_threads();
}

void be_crew(void*) {
  while (wait_for_work()) {
    do run_region();
    while (close_region());
  }
}

void start_thread() {
  if (os::start_needed_thread(be_crew, nullptr, os::all_signals) != 0)
    base::fatal("no kernel thread can be had for codelets");
}

bool rests(int seat) { return crew->seats[static_cast<size_t>(seat)].resting.load() == 1; }
template <typename Fits>
bool serves(int seat, int seats, Fits fits) {
  const Duty duty = duty_of(seat, seats);
  for (int executor = duty.first; executor < duty.end; executor += duty.stride)
    if (fits(executor)) return true;
  return false;
}

// Of the members that rest and are an executor that fits, a seat; -1: there is none. Processors'
// come first: they are many, and may do what a device may not.
template <typename Fits>
int resting_seat(Fits fits) XYLEM_REQUIRES(crew->seats_lock) {
  const int seats = crew->seats_open.load(std::memory_order_relaxed);  // relaxed: see there
  for (int seat = device_count(); seat < seats; ++seat)
    if (rests(seat) && serves(seat, seats, fits)) return seat;
  for (int seat = 0; seat < device_count(); ++seat)
    if (rests(seat) && serves(seat, seats, fits)) return seat;
  return -1;
}

// Under the lock: the seat of a member that rests and is to be told, as it may run the task; null:
// there is none.
Seat* seat_to_wake(int executor, uint32_t kinds) XYLEM_REQUIRES(crew->seats_lock) {
  int seat = resting_seat([executor](int each) { return each == executor; });
  if (seat < 0)
    seat = resting_seat([kinds](int each) {
      return (kinds >> executors()[static_cast<size_t>(each)].kind & 1) != 0;
    });
  if (seat < 0) return nullptr;
  crew->resting.fetch_sub(1);
  crew->seats[static_cast<size_t>(seat)].resting.store(0);
  return &crew->seats[static_cast<size_t>(seat)];
}

void tell(int executor, uint32_t kinds) {
  if (crew->phase.load() == Phase::open && crew->resting.load() == 0) return;
  Seat* seat = nullptr;
  bool starts = false;
  {
    base::Locked locked(crew->seats_lock);
    const Phase phase = crew->phase.load();
    if (phase == Phase::open) {
      seat = seat_to_wake(executor, kinds);
    } else if (phase == Phase::closed) {
      crew->phase.store(Phase::open);
      crew->opened.store(1);
      starts = !crew->has_thread;
      crew->has_thread = true;
    }
    if (phase != Phase::closed && !seat) return;
  }
  if (seat) return sched::wake_all(&seat->resting);
  if (starts) return start_thread();
  os::futex_wake(&crew->opened, 1);
}

}  // namespace

void start_crew(const PolicyKind& policy, const Upper& upper) {
  auto* made = new Crew;
  made->kind = &policy;
  made->upper = upper;
  crew = made;
  start_addresses();
  set_combining(combine_copies);
  set_dealer(deal);
}

void deal(Task& task) {
  if (task.commutes && !take_commuting(task)) return;
  deal_again(task);
}

void deal_again(Task& task) {
  if (task.kinds != 1) task.kinds &= usable_kinds();
  if (task.kinds == 0) task.kinds = 1;  // a processor ends it
  const uint32_t kinds = task.kinds;
  const int maker = current_executor();
  Expected expected;
  if (crew->kind->uses_models) expected = expected_of(task);
  int executor = any_executor;
  {
    base::Locked locked(crew->queue_lock);
    if (!crew->policy) crew->policy = crew->kind->make(executor_count());
    View view = view_for(maker);
    view.run_ns = expected.run_ns;
    view.fetch_ns = expected.fetch_ns;
    executor = crew->policy->push(task, view);
    crew->waiting.fetch_add(1);
  }
  tell(executor, kinds);
}

void tell_ended(int executor, double expected_ns) {
  if (!crew->kind->uses_models) return;
  base::Locked locked(crew->queue_lock);
  crew->policy->ended(executor, expected_ns, view_for(executor));
}

int waiting_tasks() { return crew->waiting.load(std::memory_order_relaxed); }  // relaxed: a hint

int call_on_processor(const xylem_codelet& codelet, int threads, const xylem_view* views,
                      void* argument) {
  return crew->upper.call(codelet, threads, views, argument);
}

int current_executor() {
  if (!crew) return any_executor;
  const sched::Thread* self = sched::current_thread();
  if (!self) return any_executor;
  // relaxed: a member has set it before it runs tasks; a device has its seat in any case
  const int seats = crew->seats_open.load(std::memory_order_relaxed);
  for (int seat = 0; seat < std::max(seats, device_count()); ++seat)
    if (crew->seats[static_cast<size_t>(seat)].thread.load(std::memory_order_relaxed) == self)
      return duty_of(seat, seats).first;
  return any_executor;
}

// In place, as nothing may be allocated or freed (base/fork_table.hpp); its locks may be held.
void forget_crew_in_child() {
  forget_device_threads_in_child();
  forget_tasks_in_child();
  forget_models_in_child();
  forget_threads_in_child();
  forget_addresses_in_child();
  if (!crew) return;
  forget_devices_in_child();
  const PolicyKind* kind = crew->kind;
  const Upper upper = crew->upper;
  new (crew) Crew;
  crew->kind = kind;
  crew->upper = upper;
}

}  // namespace xylem::hetero
