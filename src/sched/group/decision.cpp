// Owns: the slots in which decisions under way stand, and the watcher, a thread that polls them
// where the monitor cannot. See decision.hpp.
//
// A slot is free, or belongs to the thread that decides. Its `turn` is odd while a decision is
// under way and goes up by one when it begins and when it ends, so that the watcher never takes two
// short decisions for a long one.
#include "sched/group/decision.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/check.hpp"
#include "base/lock_order.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"
#include "plan/check.hpp"
#include "policy/foreign.hpp"

namespace xylem::sched {

// Written by the thread that decides, read by the one that watches.
struct DecisionSlot {
  // Null: free. Taken by a compare-and-swap (acquire), given back by a store (release): the next
  // who decides here sees `turn` as it was left.
  std::atomic<const policy::Policy*> policy{nullptr};
  // What of the policy is asked, and by which process. Relaxed: published by `turn`.
  std::atomic<const char*> what{nullptr};
  std::atomic<int> process{0};
  // What the one who decides does to it pairs with turn_under_way(), which also is why it is
  // sequentially consistent where a decision begins: see the watcher.
  std::atomic<uint32_t> turn{0};
};

namespace {

constinit std::array<DecisionSlot, 16> slots;

// What those who look know of a slot. Atomic as there may be several; relaxed because each time
// between two polls is counted by one of them, and an old value costs a poll.
struct Watched {
  std::atomic<uint32_t> turn{0};
  std::atomic<int64_t> lasted_ns{0};
};
constinit std::array<Watched, slots.size()> watched;
constinit std::atomic<int64_t> polled_at{0};  // time of the last poll
constexpr int64_t most_between_polls_ns = 250'000'000;

void refuse(void* policy) {
  base::fatal("policy \"%s\": makes more moves than there is to move: does it end?",
              static_cast<const policy::Policy*>(policy)->name.data());
}

void prepare(const policy::Policy& policy, const plan::View& view, plan::Plan& plan) {
  plan.clear();
  plan.limit(plan::most_moves(view), refuse, const_cast<policy::Policy*>(&policy));
}

void check_answer(const policy::Policy& policy, const char* what, const plan::Plan& plan,
                  const plan::View& view, plan::Coverage coverage) {
  if (!base::kChecked && !policy::is_foreign(policy)) return;
  const plan::Fault fault = plan::check(plan, view, coverage);
  if (fault)
    base::fatal("policy \"%s\": %s (entity %d, move %d of %s)", policy.name.data(), fault.what,
                fault.entity, fault.move, what);
}

// Who is suspended takes turns, and no hook gives any.
void check_holds_nothing(const policy::Policy& policy, const char* what, const plan::Plan& plan) {
  for (const plan::Move& move : plan.moves())
    if (move.level == plan::held_back)
      base::fatal("policy \"%s\": holds back what takes no turns (entity %d, %s)",
                  policy.name.data(), move.entity, what);
}

void complain(const policy::Policy& policy, const char* what, int64_t limit_ns) {
  const auto seconds = static_cast<double>(limit_ns) / 1e9;
  if constexpr (base::kChecked)
    base::fatal("policy \"%s\": has not answered for %g s (%s): does it end?", policy.name.data(),
                seconds, what);
  else
    base::warn_once("policy \"%s\": has not answered for %g s (%s): does it end?",
                    policy.name.data(), seconds, what);
}

// The watcher. Decisions that it is to see: it sleeps when none begins for a while. Invariant: it
// never sleeps while one is under way. Proof: whoever decides makes a turn odd, counts up `begun`,
// then reads `watcher_sleeps`; the watcher sets `watcher_sleeps`, then reads `begun`; all four
// sequentially consistent, so one of the two sees the other. A decision that was counted before the
// watcher's last poll has its odd turn seen by that poll.
constinit std::atomic<uint32_t> begun{0};
constinit std::atomic<uint32_t> watcher_sleeps{0};
// The process that has a watcher: a child of fork() does not inherit it. Sequentially consistent,
// as it is rare.
constinit std::atomic<int> watcher_of{0};
constinit std::atomic<bool> watcher_ends{false};  // likewise
constexpr int64_t watcher_turn_ns = 100'000'000;
constexpr int turns_until_asleep = 10;

// The turn of the decision that is under way there in this process; 0: there is none.
uint32_t turn_under_way(const DecisionSlot& slot) {
  const uint32_t turn = slot.turn.load();  // an acquire: pairs with Deciding()
  if (turn % 2 == 0) return 0;
  return slot.process.load(std::memory_order_relaxed) == os::process_id() ? turn : 0;
}

bool somebody_decides() { return std::ranges::any_of(slots, turn_under_way); }

void sleep_until_next(uint32_t seen) {
  watcher_sleeps.store(1);
  while (begun.load() == seen && watcher_sleeps.load() == 1 && !watcher_ends.load())
    os::futex_wait(&watcher_sleeps, 1);
  watcher_sleeps.store(0);
}

void watch_until_end(void* /*unused*/) {
  const std::atomic<uint32_t> never{0};
  for (int idle = 0; !watcher_ends.load(); ++idle) {
    const uint32_t seen = begun.load();
    os::futex_wait(&never, 0, watcher_turn_ns);
    watch_decisions(os::now_ns());
    if (begun.load() != seen || somebody_decides()) idle = 0;
    if (idle < turns_until_asleep) continue;
    sleep_until_next(seen);
    idle = 0;
  }
  watcher_of.store(0);
}

void wake_watcher() {
  if (watcher_sleeps.load() == 1 && watcher_sleeps.exchange(0) == 1)
    os::futex_wake(&watcher_sleeps, 1);
}

void call_watcher() {
  begun.fetch_add(1);
  const int process = os::process_id();
  if (int of = watcher_of.load(); of != process) {
    if (!watcher_of.compare_exchange_strong(of, process)) return;  // another thread starts it
    watcher_sleeps.store(0);
    watcher_ends.store(false);
    if (os::start_thread(watch_until_end, nullptr, os::all_signals) == 0) return;
    base::warn_once("cannot start a thread: nobody sees if a policy does not answer");
    watcher_of.store(0);  // the next decision asks again
  } else {
    wake_watcher();
  }
}

}  // namespace

void end_watcher() {
  watcher_ends.store(true);
  wake_watcher();
}

Deciding::Deciding(const policy::Policy& policy, const char* what) : slot_(nullptr) {
  XYLEM_ASSERT(base::holds_no_lock(),
               "a policy, which may think for seconds, is asked with a lock held");
  for (DecisionSlot& slot : slots) {
    const policy::Policy* free = nullptr;
    // acquire: pairs with the release in ~Deciding()
    if (!slot.policy.compare_exchange_strong(free, &policy, std::memory_order_acquire)) continue;
    slot.what.store(what, std::memory_order_relaxed);
    slot.process.store(os::process_id(), std::memory_order_relaxed);
    slot.turn.fetch_add(1);
    slot_ = &slot;
    break;
  }
  const bool is_checked = base::kChecked || policy::is_foreign(policy);
  if (slot_ && (policy.tick || policy.has_hooks()) && is_checked) call_watcher();
}

Deciding::~Deciding() {
  if (!slot_) return;
  slot_->turn.fetch_add(1, std::memory_order_release);      // pairs with turn_under_way()
  slot_->policy.store(nullptr, std::memory_order_release);  // pairs with Deciding()
}

void decide_place(const policy::Policy& policy, const plan::View& view, plan::Random& random,
                  plan::Plan& plan) {
  decide_place_by(policy.place, policy, view, random, plan);
}

void decide_place_by(Place place, const policy::Policy& policy, const plan::View& view,
                     plan::Random& random, plan::Plan& plan) {
  prepare(policy, view, plan);
  {
    const Deciding deciding(policy, "place");
    place(view, random, plan);
  }
  check_answer(policy, "place", plan, view, plan::Coverage::whole);
}

void decide_tick(const policy::Policy& policy, const plan::View& view, int bubble,
                 plan::Random& random, plan::Plan& plan) {
  prepare(policy, view, plan);
  {
    const Deciding deciding(policy, "tick");
    policy.tick(view, bubble, random, plan);
  }
  check_answer(policy, "tick", plan, view, plan::Coverage::part);
}

void decide_hook(const policy::Policy& policy, Hook hook, const plan::View& view, int pu,
                 plan::Random& random, plan::Plan& plan) {
  const char* what = hook == Hook::idle ? "idle" : "wake";
  const auto ask = hook == Hook::idle ? policy.idle : policy.wake;
  prepare(policy, view, plan);
  {
    const Deciding deciding(policy, what);
    ask(view, pu, random, plan);
  }
  check_holds_nothing(policy, what, plan);
  check_answer(policy, what, plan, view, plan::Coverage::part);
}

plan::Share decide_met(const policy::Policy& policy, const plan::View& view, int pu,
                       plan::Random& random) {
  plan::Share share;
  {
    const Deciding deciding(policy, "met");
    share = policy.met(view, 0, pu, random);
  }
  const int there = view.entity(0).threads;
  const auto levels = static_cast<int>(view.levels.size());
  if (share.members < 0 || share.members > there)
    base::fatal("policy \"%s\": takes %d of the %d members of a bubble (met)", policy.name.data(),
                share.members, there);
  if (share.members > 0 && (share.rest_level < -1 || share.rest_level >= levels))
    base::fatal("policy \"%s\": leaves members on no level of the machine (%d, met)",
                policy.name.data(), share.rest_level);
  return share;
}

void watch_decisions(int64_t now_ns, int64_t limit_ns) {
  const int64_t before = polled_at.exchange(now_ns, std::memory_order_relaxed);
  const int64_t passed = std::clamp<int64_t>(now_ns - before, 0, most_between_polls_ns);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const DecisionSlot& slot = slots[i];
    const uint32_t turn = turn_under_way(slot);
    if (turn == 0) continue;
    if (watched[i].turn.exchange(turn, std::memory_order_relaxed) != turn) {
      watched[i].lasted_ns.store(0, std::memory_order_relaxed);
      continue;
    }
    const int64_t lasted =
        watched[i].lasted_ns.fetch_add(passed, std::memory_order_relaxed) + passed;
    if (lasted < limit_ns) continue;
    const policy::Policy* policy = slot.policy.load(std::memory_order_relaxed);
    if (policy) complain(*policy, slot.what.load(std::memory_order_relaxed), limit_ns);
  }
}

}  // namespace xylem::sched
