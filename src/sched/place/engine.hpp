// Owns: the policy in force, and what it says of teams, as placements.
//
// A top-level team is placed by the policy; the plan of a flat team of n is kept and used again. A
// nested team never meets the policy: see placing.hpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/team_tree.hpp"
#include "policy/policy.hpp"
#include "sched/group/gang_scheduler.hpp"
#include "sched/place/hooks.hpp"
#include "sched/place/search.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Where top-level teams start, wherever their maker runs: see Engine::placement_of().
inline constexpr int maker_pu = 0;

// What the user may set of times.
struct Times {
  int64_t slice_ns = 10'000'000;  // of a turn, under policies that give turns
  int64_t patience_ns = 50'000;   // see Search; below 0: none steals
};

// A top-level team as others see it.
struct OpenTeam {
  int members = 1;
  int64_t load = 1;  // of all of them, in the unit of the others'; at least 1
  bool operator==(const OpenTeam&) const = default;
};

inline constexpr base::LockRank engine_rank{21, "Engine::lock_"};

class Engine {
 public:
  // `tuning` goes into every view that the policy sees.
  Engine(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning = {},
         Times times = {});

  // The process's engine; null until the runtime starts. Made once, kept across fork().
  static Engine* instance();
  static void install(Engine* engine);

  // Around fork(): the child must not inherit the lock from a thread that it does not have.
  void before_fork() XYLEM_ACQUIRE(lock_) { lock_.lock(); }
  void after_fork() XYLEM_RELEASE(lock_) { lock_.unlock(); }

  const topo::Machine& machine() const { return machine_; }
  int pu_count() const { return machine_.pu_count(); }
  const policy::Policy& policy() const { return policy_; }
  const plan::Tuning& tuning() const { return tuning_; }
  const Search& search() const { return search_; }
  GangScheduler& gangs() { return gangs_; }
  const GangScheduler& gangs() const { return gangs_; }
  Hooks& hooks() { return hooks_; }
  // True if teams have groups (place/membership.hpp): the policy gives turns, or sees what is
  // counted of them.
  bool counts_teams() const { return counts_teams_; }

  // What the policy says for a flat team of n that opens a region; kept for the next one where the
  // policy repeats itself. Null: a program with very many sizes of team, whose teams are spread by
  // stealing. `made` is room for a placement that is not kept.
  const plan::Placement* for_team(int n, plan::Placement& made) XYLEM_EXCLUDES(lock_);
  // The same, made anew, for policies that repeat themselves.
  plan::Placement flat(int n) const { return flat_placement(n, static_cast<uint64_t>(n)); }

  // What the policy says of a top-level team and the teams inside: the level of each thread, by
  // loads where the tree has some. May allocate.
  plan::ByMember<int> levels_of(const plan::TeamTree& tree) const;
  // The load of each thread there.
  plan::ByMember<int64_t> loads_of(const plan::TeamTree& tree) const;

  // The level of each thread of the tree, which is teams[own], beside the top-level teams of other
  // program threads: each gets PUs by its load, side by side in the order in which the policy gives
  // the machine's PUs to one team of as many. May allocate.
  plan::ByMember<int> beside(const plan::TeamTree& tree, std::span<const OpenTeam> teams,
                             int own) const;

  // The PU of each thread of a tree of which the program told what data its threads use
  // (TreeTeam::bytes; if nobody did, or all is 0, nothing lies anywhere yet). last_pus: where each
  // member of the outermost team ran last, or empty.
  plan::ByMember<int> pus_by_memory(const plan::TeamTree& tree,
                                    std::span<const int> last_pus) const;

 private:
  void decide(plan::View view, uint64_t seed, plan::Plan& plan) const;
  plan::Placement flat_placement(int n, uint64_t seed) const;
  const plan::Placement* kept_for(int n, bool& full) XYLEM_EXCLUDES(lock_);

  const topo::Machine& machine_;
  const policy::Policy& policy_;
  const plan::Tuning tuning_;
  Search search_;
  GangScheduler gangs_;
  Hooks hooks_;
  const bool counts_teams_;
  base::SpinLock lock_{engine_rank};
  std::atomic<uint64_t> drawn_{0};  // plans that were made anew: seeds; relaxed, only a number
  // Entries never change.
  std::vector<std::unique_ptr<plan::Placement>> kept_ XYLEM_GUARDED_BY(lock_);
};

}  // namespace xylem::sched
