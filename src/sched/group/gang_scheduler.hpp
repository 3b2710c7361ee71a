// Owns: the gang scheduler: under a policy that gives time slices (gang, gang-per-node, burst;
// paper 002, section 2.3.2 and figure 2.3) which unit is attached where. It holds the units that
// are alive and their slices, and attaches or suspends them as the policy's plans say.
//
// The policy sees each unit as a bubble with one run of threads, whatever it holds. One that has
// nothing to run gives its turn to the next at once, and waits for no other turn until it has.
// Invariant: a unit in `tops_` is attached to the level that its entry says, or suspended.
//
// A policy may think for seconds, so it is asked without the lock. What it is asked of has a
// version; where that is another one when the answer comes, the policy is asked again. Each time
// it is, somebody else's change has been carried out, so all come to an end.
#pragma once

#include <vector>

#include "plan/view.hpp"
#include "policy/policy.hpp"
#include "sched/queue/group.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

inline constexpr base::LockRank gangs_rank{20, "GangScheduler::lock_"};

class GangScheduler {
 public:
  GangScheduler(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning,
                int64_t slice_ns);

  // False: the policy gives no time slices, and nobody calls the rest.
  bool used() const { return policy_.tick != nullptr; }

  // A team of the unit begins, or ends, whose maker belongs to another unit. The first one is
  // placed; with the last one it goes.
  void arrive(sched::Pool& pool, sched::Group& unit) XYLEM_EXCLUDES(lock_);
  void leave(sched::Pool& pool, sched::Group& unit) XYLEM_EXCLUDES(lock_);

  // The unit takes turns no more: all that it has may run at any time. Until it leaves.
  void set_free(sched::Pool& pool, sched::Group& unit) XYLEM_EXCLUDES(lock_);

  // Ends slices that are over. Called by the monitor, after the sampler.
  void poll(sched::Pool& pool, int64_t now_ns) XYLEM_EXCLUDES(lock_);

  // Around fork(): the child has none of the threads that wait for turns.
  void before_fork() XYLEM_ACQUIRE(lock_) { lock_.lock(); }
  void after_fork(bool in_child) XYLEM_RELEASE(lock_);

 private:
  struct Top {
    sched::Group* unit = nullptr;
    plan::Entity bubble;      // its level, or since when it is suspended, as the last plan left it
    int run_level = -1;       // the level of what it holds; -1: in the bubble
    int64_t slice_began = 0;  // when it was attached there, or the policy was asked last
    int64_t wanted = 0;       // processor time that it could have used since its slice before ended
    int64_t used_before = 0;  // the unit's unit_cpu_ns when that ended
    // By how much its slices were too long: in nanoseconds, of which the usual slice has slice_ns_.
    int64_t overdrawn = 0;
    int quiet_polls = 0;  // in a row that found nothing of it to run
  };
  struct Scene;  // a view of some of the tops

  int index_of(const sched::Group& unit) const XYLEM_REQUIRES(lock_);
  plan::Entity as_seen(const Top& top) const;
  bool quiet(const Top& top) const;
  void draw(Scene& scene) const XYLEM_REQUIRES(lock_);
  void show(Scene& scene) const XYLEM_REQUIRES(lock_);
  void tell(const sched::Group& unit, int level) XYLEM_REQUIRES(lock_);
  void attach(sched::Pool& pool, Top& top) XYLEM_REQUIRES(lock_);
  void carry_out(sched::Pool& pool, Scene& scene, const plan::Plan& plan) XYLEM_REQUIRES(lock_);
  // Has `ask(scene, random, plan)` fill a plan, without the lock. False: others came or went, or
  // were attached, meanwhile, and the plan is worth nothing.
  template <typename Ask>
  bool decide(Scene& scene, plan::Plan& plan, Ask ask) XYLEM_REQUIRES(lock_);
  void place(sched::Pool& pool, const sched::Group* newcomer) XYLEM_REQUIRES(lock_);
  bool draw_for(Scene& scene, const sched::Group* newcomer) const XYLEM_REQUIRES(lock_);
  void tick(sched::Pool& pool, int top) XYLEM_REQUIRES(lock_);
  void remove(sched::Pool& pool, int top, int level) XYLEM_REQUIRES(lock_);
  bool record_who_is_quiet() XYLEM_REQUIRES(lock_);
  bool suspend_quiet_ones(sched::Pool& pool) XYLEM_REQUIRES(lock_);
  void record_what_is_wanted(int64_t now_ns) XYLEM_REQUIRES(lock_);
  void end_slice(const sched::Pool& pool, Top& top) XYLEM_REQUIRES(lock_);
  int pus_of(const Top& top) const;
  int64_t charge(const sched::Pool& pool, const Top& top) const XYLEM_REQUIRES(lock_);
  int64_t usual_overdraft() const XYLEM_REQUIRES(lock_);
  int64_t slice_of(const Top& top) const;
  double usual_slices(const Top& top) const;
  int64_t most_overdraft() const;
  int64_t allowance(const Top& top) const XYLEM_REQUIRES(lock_);
  static bool had_it_before(const Top& one, const Top& other);
  int next_due() const XYLEM_REQUIRES(lock_);

  const topo::Machine& machine_;
  const policy::Policy& policy_;
  const plan::Tuning tuning_;
  const std::vector<int> nodes_;  // level of each memory node
  const int64_t slice_ns_;
  base::SpinLock lock_{gangs_rank};
  std::vector<Top> tops_ XYLEM_GUARDED_BY(lock_);  // in the order in which they came
  uint64_t version_ XYLEM_GUARDED_BY(lock_) = 0;   // of tops_ and of where they are attached
  plan::Random random_ XYLEM_GUARDED_BY(lock_){1};
  int64_t now_ns_ XYLEM_GUARDED_BY(lock_) = 0;
  int64_t polled_at_ns_ XYLEM_GUARDED_BY(lock_) = 0;
  trace::Source trace_ XYLEM_GUARDED_BY(lock_);
};

}  // namespace xylem::sched
