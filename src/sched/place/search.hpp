// Owns: how a worker finds work: its PU's queue, the queues of the levels above from the bottom up
// (paper 002, section 2.2.3), then other PUs' queues in the order of the policy's steal rule,
// nearest first (section 2.4.4). Queues that may have something to steal are known by level
// (Pool::stealable), so a search that finds nothing reads as many lines as the tree is deep.
//
// What waits on another memory node is left for a moment to the workers there, who may be on their
// way: a worker takes it when it has seen something there for `patience_ns` and found nothing near.
//
// Of the idle workers that poll again and again, all see at once that a queue has something, and
// one gets it. So those whose PUs are farther away by number come some polls later: the lock and
// the list of the queue are lines that go round among those who come.
//
// Order::elsewhere_first is for those who yield again and again and so always find something in
// their own queue: what stands above and at neighbours goes first, once.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "plan/steal_rule.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Threads that the seeds stand for, those of known teams inside included (RunQueue::LoadOf).
int64_t load_of(const SeedRange& seeds);

class Search {
 public:
  Search(const topo::Machine& machine, const plan::StealRule& rule, int64_t patience_ns);

  // True if each worker comes to each queue, sooner or later, once nothing is nearer.
  bool reaches_all() const { return rule_.order != plan::VictimOrder::none && rule_.across_nodes; }

  // Never blocks. The parts of a seed range that the worker does not run itself go to its own
  // queue.
  sched::Work find(sched::Worker& worker, sched::Order order) const;

  // The same, but that `take` is asked first of each bubble that the worker would take of in a
  // queue that is not its own: two or more members that have not begun. Nothing: as usual.
  using TakeMet = Work (*)(Worker& worker, RunQueue& queue, const RunQueue::Standing& met);
  sched::Work find_asking(sched::Worker& worker, sched::Order order, TakeMet take) const;

  // True if some queue beyond the worker's own has entities. A hint.
  bool anything_to_steal(sched::Worker& worker) const;

  // What the PU's workers have stolen so far from queues whose lowest common level with the PU is
  // `step` levels above the PU's own; from 1, and the last stands for all that are farther.
  static constexpr int most_steps = 8;
  uint64_t steals(int pu, int step) const {
    const Tally& tally = tallies_[static_cast<size_t>(pu)];
    // relaxed: numbers that are only shown
    return tally.of_worker[step - 1].load(std::memory_order_relaxed) +
           tally.of_extras[step - 1].load(std::memory_order_relaxed);
  }

 private:
  // By PU, so that no count goes with a worker. relaxed: the monitor reads, and only shows.
  struct alignas(64) Tally {
    std::atomic<uint64_t> of_worker[most_steps]{};  // by the slot's, who take turns (Slot::state)
    std::atomic<uint64_t> of_extras[most_steps]{};  // by all of the PU's extras
  };
  // Asks: whom the worker asks of bubbles; NobodyIsAsked leaves nothing of it in the code.
  template <class Asks>
  Work steal_from(Worker& worker, const plan::Victim& victim, plan::Reach reach, Asks asks) const;
  int draw_for(sched::Worker& worker) const;
  template <class Asks>
  Work find_elsewhere(Worker& worker, const plan::Thief& thief, Asks asks) const;
  template <class Asks>
  Work find_near(Worker& worker, Order order, const plan::Thief& thief, Asks asks) const;
  template <class Asks>
  Work steal(Worker& worker, const plan::Thief& thief, plan::Reach reach, Asks asks) const;
  template <class Asks>
  Work find_by(Worker& worker, Order order, Asks asks) const;
  static bool leaves_to_nearer(const sched::Worker& worker, const topo::Level& victim);
  bool leaves_far_ones(sched::Worker& worker, const plan::Thief& thief) const;
  void count_steal(const sched::Worker& worker, const plan::Thief& thief, int common) const;

  const topo::Machine& machine_;
  const plan::StealRule rule_;
  const int64_t patience_ns_;
  std::vector<plan::Thief> thieves_;  // by PU
  std::unique_ptr<Tally[]> tallies_;  // by PU
};

}  // namespace xylem::sched
