// A run of a tree of teams on a synthetic machine, by the runtime's own queues and search, without
// kernel threads and in virtual time: which PU begins which thread, and how many share a cache with
// their teammates in the end.
//
// All begins on PU 0, as under policy `steal`. In each tick the PUs that run nothing look for work,
// in an order drawn by lot. Who begins a thread that opens a team puts the other members on its own
// queue and goes on as member 0; who begins another one runs it for its length. Threads that wait
// for the teams they opened do nothing more.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "plan/random.hpp"
#include "sched/place/known_team.hpp"
#include "sched/place/search.hpp"
#include "sched/queue/fiber.hpp"

namespace stealing {

namespace plan = xylem::plan;
namespace sched = xylem::sched;
namespace topo = xylem::topo;

// Paper 002, figure 2.12: a cell that splits opens a team of four; most of its members split again.
struct Team : sched::Bubble {
  std::vector<std::unique_ptr<Team>> inner;  // by member; null: it opens none
  std::vector<int> length;                   // by member, in ticks
  std::vector<int> pu;                       // where each began
  std::vector<sched::SeedRange> ranges;
  Team* round;  // null: the outermost

  Team(plan::Random& random, Team* its_round, int depth) : round(its_round) {
    constexpr int n = 4, longest = 40;
    members = n;
    kind = &of_tree;
    ranges = std::vector<sched::SeedRange>(n);
    seed_ranges = ranges.data();
    inner.resize(n);
    pu.assign(n, -1);
    for (int i = 0; i < n; ++i) {
      length.push_back(1 + random.below(longest));
      const bool splits = depth > 1 && random.below(100) < (round ? 75 : 90);
      if (splits)
        inner[static_cast<std::size_t>(i)] = std::make_unique<Team>(random, this, depth - 1);
    }
  }
  static sched::Bubble* round_of(const sched::Bubble& bubble) {
    return static_cast<const Team&>(bubble).round;
  }
  static constexpr sched::BubbleKind of_tree = {nullptr, nullptr, round_of};

  bool innermost() const {
    for (const auto& team : inner)
      if (team) return false;
    return true;
  }
  // What an earlier run of the region would have left.
  void know(sched::KnownTeam* team) {
    known = team;
    for (std::size_t i = 0; team && i < inner.size(); ++i)
      if (inner[i]) inner[i]->know(team->opened_by(static_cast<int>(i), inner[i]->members));
  }
};

struct Result {
  double teammates = 0;  // pairs of threads of one innermost team that began below one cache
  double pairs = 0;
  double work = 0;   // ticks of all threads
  double ticks = 0;  // until the last thread ended
  double steals = 0;
  int pus = 0;
  double share() const { return teammates / pairs; }
  double busy() const { return work / (ticks * pus); }
  void operator+=(const Result& more) {
    teammates += more.teammates, pairs += more.pairs, work += more.work, ticks += more.ticks;
    steals += more.steals, pus = more.pus;
  }
};

class Run {
 public:
  Run(const topo::Machine& machine, const plan::StealRule& rule, Team& root, uint64_t seed)
      : machine_(machine),
        random_(seed),
        search_(machine, rule, 0),
        workers_(static_cast<std::size_t>(machine.pu_count())),
        free_at_(workers_.size()) {
    for (std::size_t pu = 0; pu < workers_.size(); ++pu) {
      pool_.slot(static_cast<int>(pu)).state.store(sched::SlotState::awake);  // nobody is woken
      workers_[pu].pool = &pool_;
      workers_[pu].serve(static_cast<int>(pu));
    }
    open(root, 0);
  }

  // Runs all to the end.
  Result result(const Team& root) {
    std::vector<std::size_t> order(workers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (begun_ > ended_before_now()) {
      for (std::size_t i = order.size(); i-- > 1;)
        std::swap(order[i],
                  order[static_cast<std::size_t>(random_.below(static_cast<int>(i) + 1))]);
      for (const std::size_t pu : order)
        if (free_at_[pu] <= now_) look(pu);
      ++now_;
    }
    Result result;
    result.pus = machine_.pu_count();
    result.work = work_;
    result.ticks = last_end_;
    for (int pu = 0; pu < machine_.pu_count(); ++pu)
      for (int step = 1; step <= sched::Search::most_steps; ++step)
        result.steals += static_cast<double>(search_.steals(pu, step));
    count(root, result);
    return result;
  }

 private:
  // Something may still begin as long as something runs or waits.
  int ended_before_now() const {
    const bool runs = last_end_ > now_;
    return runs || waiting_ > 0 ? begun_ - 1 : begun_;
  }

  void look(std::size_t pu) {
    const sched::Work work = search_.find(workers_[pu], sched::Order::fresh_first);
    if (!work) return;
    --waiting_;
    begin(static_cast<Team&>(*work.bubble), static_cast<std::size_t>(work.index), pu);
  }

  void open(Team& team, std::size_t pu) {
    pool_.pu_queue(static_cast<int>(pu)).push_fresh(team.new_seed_range(1, team.members));
    waiting_ += team.members - 1;
    begin(team, 0, pu);
  }

  void begin(Team& team, std::size_t member, std::size_t pu) {
    ++begun_;
    team.pu[member] = static_cast<int>(pu);
    if (team.inner[member]) return open(*team.inner[member], pu);
    work_ += team.length[member];
    free_at_[pu] = now_ + team.length[member];
    last_end_ = std::max(last_end_, free_at_[pu]);
  }

  int cache_of(int pu) const {
    int level = machine_.pu_level(pu);
    const auto levels = machine_.levels();
    while (levels[static_cast<std::size_t>(level)].kind != topo::LevelKind::cache)
      level = levels[static_cast<std::size_t>(level)].parent;
    return level;
  }

  void count(const Team& team, Result& result) const {
    for (std::size_t a = 0; team.innermost() && a < team.pu.size(); ++a)
      for (std::size_t b = a + 1; b < team.pu.size(); ++b) {
        ++result.pairs;
        result.teammates += cache_of(team.pu[a]) == cache_of(team.pu[b]) ? 1 : 0;
      }
    for (const auto& inner : team.inner)
      if (inner) count(*inner, result);
  }

  const topo::Machine& machine_;
  plan::Random random_;
  sched::Pool pool_{machine_, {}};
  sched::Search search_;
  std::vector<sched::Worker> workers_;
  std::vector<int> free_at_;  // by PU, in ticks
  int now_ = 0, last_end_ = 0, begun_ = 0, waiting_ = 0, work_ = 0;
};

// The sum over some trees that are large for the machine.
inline Result run(const topo::Machine& machine, const plan::StealRule& rule, int depth, int trees) {
  Result sum;
  for (int tree = 0; tree < trees; ++tree) {
    plan::Random random(static_cast<uint64_t>(tree) + 1);
    Team root(random, nullptr, depth);
    sched::KnownTree known(root.members);
    root.know(&known.top());
    sum += Run(machine, rule, root, static_cast<uint64_t>(tree) + 100).result(root);
  }
  return sum;
}

}  // namespace stealing
