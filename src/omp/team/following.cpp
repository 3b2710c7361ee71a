// Owns: members that go with their memory. See following.hpp.
#include "omp/team/following.hpp"

#include <algorithm>
#include <limits>

#include "mem/cost/costs.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/runtime.hpp"
#include "policy/relief.hpp"

namespace xylem::omp {

namespace {

// What was measured is noise as long as it is less of each PU: the sampler looks every millisecond
// or two.
constexpr int64_t enough_of_a_pu_ns = 50'000'000;
// Still a look may be wrong: on a busy machine the sampler comes late, and what one member used
// counts as another's. So this many in a row must say that a move did not pay.
constexpr int looks_in_vain = 3;

bool may_bring() {
  const policy::Allowed allowed = read_runtime_settings().hints;
  return allowed == policy::Allowed::cheapest || allowed == policy::Allowed::mixed;
}

// Where the member and the teams inside run.
int level_of(const Part& part) {
  return part.inner.empty() ? machine().pu_level(part.pu) : part.domain;
}

// The same so many PUs farther on. Where no level has just as many there, teams that nobody knew of
// have more room.
Part shifted(const Part& part, int pus) {
  const topo::Level& domain = plan::at(machine().levels(), part.domain);
  const int first_pu = domain.first_pu + pus;
  Part to{.pu = part.pu + pus,
          .domain = machine().common_level(first_pu, first_pu + domain.pu_count - 1)};
  for (const Part& inner : part.inner) to.inner.push_back(shifted(inner, pus));
  return to;
}

Part moved_to(const Part& part, int level) {
  const auto levels = machine().levels();
  const int first_pu = plan::at(levels, level).first_pu;
  if (part.inner.empty()) return {.pu = first_pu, .domain = level};
  return shifted(part, first_pu - plan::at(levels, level_of(part)).first_pu);
}

std::vector<policy::Burden> burdens_of(const ToldRegion& region, std::span<const Hint> owned,
                                       std::span<const int64_t> ns) {
  const bool brings = may_bring();
  const plan::Costs& costs = mem::known_costs();
  std::vector<policy::Burden> burdens;
  for (size_t i = 0; i < region.parts.size(); ++i)
    burdens.push_back({level_of(region.parts[i]), static_cast<double>(ns[i]), brings ? 0.0 : -1.0});
  for (const Hint& hint : owned)
    if (brings)
      burdens[static_cast<size_t>(hint.number)].bring_ns +=
          costs.move_ns(static_cast<double>(hint.bytes) / static_cast<double>(costs.page_bytes));
  return burdens;
}

}  // namespace

void Following::go(Making& making, int member, Part to) {
  ToldRegion& region = making.region;
  Part& part = region.parts[static_cast<size_t>(member)];
  const int from_node = mem::node_of_pu(part.pu), node = mem::node_of_pu(to.pu);
  part = std::move(to);
  if (node == from_node) return;
  for (const Hint& hint : making.owned) {
    if (hint.number != member) continue;
    making.pages.push_back({hint, node});
    brings_ = true;
  }
  if (region.streams.empty() || from_node < 0 || node < 0) return;
  --region.streams[static_cast<size_t>(from_node)];
  ++region.streams[static_cast<size_t>(node)];
}

// Who goes, as long as what was lost pays for it; nobody, if the busiest PU gains too little.
void Following::watch(Making& making, std::vector<policy::Burden> burdens) {
  const auto levels = machine().levels();
  const std::vector<int> nodes = machine().node_levels();
  constexpr double any = std::numeric_limits<double>::max();
  const double before_ns = policy::longest_ns(levels, burdens);
  lost_ns_ += policy::best_relief(levels, nodes, burdens, any).gain_ns;
  double left_ns = lost_ns_;
  std::vector<policy::Relief> reliefs;
  while (reliefs.size() < burdens.size()) {
    const policy::Relief relief = policy::best_relief(levels, nodes, burdens, left_ns);
    if (relief.burden < 0) break;
    left_ns -= relief.cost_ns;
    burdens[static_cast<size_t>(relief.burden)].level = relief.level;
    reliefs.push_back(relief);
  }
  const double gain_ns = before_ns - policy::longest_ns(levels, burdens);
  if (gain_ns < policy::least_gain * before_ns) return;
  for (const policy::Relief& relief : reliefs) {
    const Part& part = making.region.parts[static_cast<size_t>(relief.burden)];
    gone_.push_back({relief.burden, part});
    go(making, relief.burden, moved_to(part, relief.level));
  }
  before_ns_ = before_ns / runs_;
  expected_ns_ = gain_ns / runs_;
  state_ = State::settling;
}

void Following::judge(Making& making, std::span<const policy::Burden> burdens) {
  const double now_ns = policy::longest_ns(machine().levels(), burdens) / runs_;
  const bool has_paid = now_ns <= before_ns_ - expected_ns_ / 4;
  if (!has_paid && ++in_vain_ < looks_in_vain) return;
  for (; !has_paid && !gone_.empty(); gone_.pop_back())
    go(making, gone_.back().member, std::move(gone_.back().before));
  gone_.clear();
  lost_ns_ = 0;
  in_vain_ = 0;
  state_ = has_paid ? State::watching : State::content;
}

// The run after a move has the move in it, and does not count.
void Following::begin(ToldRegion& region, std::span<const Hint> owned, const sched::Thread& maker,
                      Decision& decision) {
  if (state_ == State::content) return;
  ++runs_;
  const int64_t enough_ns =
      state_ == State::settling ? 0 : enough_of_a_pu_ns * machine().pu_count();
  const std::vector<int64_t> ns = sched::take_measured(maker, region.function, region.n, enough_ns);
  if (ns.empty()) return;
  Making making{region, owned, decision.pages};
  if (state_ == State::settling)
    state_ = State::trying;
  else if (state_ == State::trying)
    judge(making, burdens_of(region, owned, ns));
  else
    watch(making, burdens_of(region, owned, ns));
  runs_ = 0;
}

}  // namespace xylem::omp
