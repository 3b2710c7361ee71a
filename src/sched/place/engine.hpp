// Owns: the policy in force, and carrying its plans out on live bubbles.
//
// A top-level team is placed by the policy; the plan of a flat team of n is kept and used again. A
// nested team never meets the policy: one share of all its seeds goes to the local queue, and idle
// workers steal from it (DESIGN section 4).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "policy/policy.hpp"
#include "sched/group/turns.hpp"
#include "sched/place/search.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Where top-level teams start, wherever their maker runs: see Engine::distribution_of().
inline constexpr int maker_pu = 0;

// Where the members of a flat outermost team go: ranges of members, each to the queue of a level.
struct Distribution {
  struct Range {
    int lo, hi;  // members
    int level;
  };
  int n = 0;            // members; 0: nothing is distributed yet
  int burst_level = 0;  // where the bubble opens
  std::vector<Range> ranges;
};

// What the user may set of times.
struct Times {
  int64_t slice_ns = 10'000'000;  // of a turn, under policies that give turns
  int64_t patience_ns = 50'000;   // see Search
};

class Engine {
 public:
  // `tuning` goes into every view that the policy sees.
  Engine(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning = {},
         Times times = {});

  // The process's engine; null until the runtime starts. Made once, kept across fork().
  static Engine* instance();
  static void install(Engine* engine);

  // Around fork(): the child must not inherit the lock from a thread that it does not have.
  void before_fork() XYLEM_ACQUIRE(turns_.lock(), lock_) {
    turns_.before_fork();
    lock_.lock();
  }
  void after_fork(bool in_child) XYLEM_RELEASE(lock_, turns_.lock()) {
    lock_.unlock();
    turns_.after_fork(in_child);
  }

  int pu_count() const { return machine_.pu_count(); }
  const policy::Policy& policy() const { return policy_; }
  const plan::Tuning& tuning() const { return tuning_; }
  const Search& search() const { return search_; }
  Turns& turns() { return turns_; }
  const Turns& turns() const { return turns_; }

  // Puts seeds 1 .. n-1 of a top-level team on the queues that the policy says. The caller is the
  // team's member 0 and runs on `worker`.
  void distribute(sched::Bubble& bubble, int n, sched::Worker& worker);
  // The same by a distribution that distribution_by_load() made.
  void distribute(sched::Bubble& bubble, const Distribution& distribution, sched::Worker& worker);

  // What the policy says for a top-level team whose members have these loads; 0: not known, counts
  // as 1. May allocate; keep it as long as loads and team stay the same.
  Distribution distribution_by_load(std::span<const int64_t> loads) const;

  // What the policy says for a top-level team each of whose members opens a team of `inner`: it
  // goes where that team has room. May allocate.
  Distribution nested(int n, int inner) const;

  // Where the members of a team go whose data lies somewhere: a PU each, by policy `memory`.
  // bytes[member * nodes + node]: how much of what the member uses lies on each of the machine's
  // nodes. If it is empty or all 0 nothing lies anywhere yet: then by policy `spread`, so that the
  // data comes to as many nodes as it can. last_pus: where each ran last, or empty.
  std::vector<int> pus_by_memory(int n, std::span<const int64_t> bytes,
                                 std::span<const int> last_pus) const;
  // The largest level that holds pus[member] and none of the other PUs in `pus`: the member's part
  // of the machine. That of its PU if others have the same.
  int part_of_machine(std::span<const int> pus, int member) const;

  // Puts seed i on the PU pus[i], bound there, for i in 1 .. n-1 (DESIGN section 4, `places`).
  void distribute_bound(sched::Bubble& bubble, std::span<const int> pus, sched::Worker& worker);

  // Puts the seeds of a team of kernel threads where each finds its own: those that the machine has
  // a PU for on that, or where their threads serve a worker; the others on all PUs, for anybody.
  void distribute_on_threads(sched::Bubble& bubble, int n, sched::Worker& worker);

  // Puts all seeds 1 .. n-1 where only `worker` takes them, until the monitor looks. The caller
  // runs on it.
  static void keep_at_home(sched::Bubble& bubble, int n, sched::Worker& worker);

  // The same for a bubble that is kept: where its keeper lies, the seeds are found. `arrives`: the
  // keeper may have to be placed. The share is returned.
  sched::Share& hand_to_keeper(sched::Bubble& bubble, int n, sched::Worker& worker, bool arrives);

  // Puts all seeds 1 .. n-1 on the local queue as one share, which is returned; where the bubble's
  // holder says at which kind of level it opens, on the queue of the level of that kind above.
  sched::Share& push_locally(sched::Bubble& bubble, int n, sched::Worker& worker) const;

  // The most that one PU has to do, if the members have these loads and go where the distribution
  // puts them; what lies above PUs is shared evenly by those below.
  int64_t longest(const Distribution& distribution, std::span<const int64_t> loads) const;
  // Where a flat team of n goes; of policies that repeat themselves.
  Distribution flat(int n) const { return flat_distribution(n, static_cast<uint64_t>(n)); }

 private:
  void decide(plan::View view, uint64_t seed, plan::Plan& plan) const;
  Distribution distribution_of(plan::View view, int n, uint64_t seed) const;
  Distribution flat_distribution(int n, uint64_t seed) const;
  // The kept plan for a team of n; null when there is no room to keep another.
  const Distribution* plan_for(int n) XYLEM_EXCLUDES(lock_);

  const topo::Machine& machine_;
  const policy::Policy& policy_;
  const plan::Tuning tuning_;
  Search search_;
  Turns turns_;
  base::SpinLock lock_;
  std::atomic<uint64_t> drawn_{0};  // plans that were made anew: seeds; relaxed, only a number
  // Entries never change.
  std::vector<std::unique_ptr<Distribution>> memos_ XYLEM_GUARDED_BY(lock_);
};

}  // namespace xylem::sched
