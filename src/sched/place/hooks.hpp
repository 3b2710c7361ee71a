// Owns: asking the policy's hooks of the running process (policy::Policy::idle, wake and met), and
// carrying out what they say.
//
// A worker that falls asleep though something waits, or runs again after long, pokes the monitor,
// which asks idle and wake, with no lock held, so that a policy may think; and looks at its polls
// for PUs that no worker tells of. A worker asks met in its search (Search::find_asking). Where the
// policy has no hooks nobody does anything for them. Where it has teams have groups
// (Engine::counts_teams), whose sums are what hooks see. What waits is copied queue by queue, and
// may have begun when the answer comes: then that part of the answer is left out. wake, which comes
// once, is then asked again at the next poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/plan.hpp"
#include "plan/random.hpp"
#include "policy/policy.hpp"
#include "sched/group/decision.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

class Hooks {
 public:
  Hooks(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning);

  // False: the policy has no hooks, and nobody calls the rest.
  bool used() const { return policy_.has_hooks(); }

  // By the PU's worker: it is about to sleep, as it has found nothing; or runs something again.
  void record_sleep(Pool& pool, int pu);
  void record_run(Pool& pool, int pu);
  // What was recorded since. By the monitor, while a region is open.
  void poll_recorded(Pool& pool, int64_t now_ns);

  // At each poll while a region is open, after the sampler. By the monitor.
  void poll(Pool& pool, int64_t now_ns);

  // What the worker runs of the seeds that it met in the queue, as met says; nothing if that is to
  // be as without the hook, or they are gone. By the worker.
  Work take_met(Worker& worker, RunQueue& queue, const RunQueue::Standing& met);

 private:
  // Of a PU. By the monitor, but `recorded`, and that its worker reads.
  struct Watch {
    bool was_long(int64_t now_ns) const;

    std::atomic<bool> recorded{false};  // since the last poll_recorded()
    // relaxed: of one PU, each poll reads them anew
    std::atomic<int64_t> since{0};   // it has nothing to run; 0: it runs
    std::atomic<int64_t> ask_at{0};  // idle, again; 0: it was not asked since
    bool wakes_again = false;        // wake was asked, and a part of its answer left out
  };
  struct Scene;  // what the policy sees, and what stands behind each top

  void record(Pool& pool, int pu);
  void look(Pool& pool, int64_t now_ns);
  void watch(Pool& pool, int pu, int64_t now_ns);
  void watch_idle(Pool& pool, int pu, bool sleeps, int64_t now_ns);
  // False: a part of the answer was left out.
  bool ask(Pool& pool, Hook hook, int pu, int64_t now_ns);
  void show(Pool& pool, Scene& scene, int64_t now_ns) const;
  void finish(Scene& scene, int64_t now_ns) const;
  void add_memory(Scene& scene) const;
  bool carry_out(Pool& pool, const Scene& scene, const plan::Plan& plan);

  const topo::Machine& machine_;
  const policy::Policy& policy_;
  const plan::Tuning tuning_;
  const std::vector<int> nodes_;            // level of each memory node
  const std::unique_ptr<Watch[]> watches_;  // by PU
  std::atomic<bool> some_recorded_{false};
  std::atomic<uint64_t> met_{0};  // bubbles: seeds of random numbers; relaxed: a number
  // All of these by the monitor alone.
  int64_t looked_at_ = 0;
  plan::Random random_{1};
  trace::Source trace_;
};

}  // namespace xylem::sched
