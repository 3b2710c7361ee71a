// Owns: hints of members, and carrying out what was decided on them. See hints.hpp.
#include "omp/team/hints.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/runtime.hpp"
#include "os/thread.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

using sched::Decision;

struct MemberHints {
  std::vector<Hint> own;
  std::vector<Hint> next;
};

// Lives from the first decision on the team until its end. What members tell is gathered under the
// lock. The decision is written by one member, the last to arrive, before a barrier of the team,
// and read by each after it; the next one is made only when all have come again.
struct HintedTeam {
  base::SpinLock lock{{60, "HintedTeam::lock"}};
  std::vector<Hint> gathered XYLEM_GUARDED_BY(lock);
  std::vector<int> pus XYLEM_GUARDED_BY(lock);  // where members are who have arrived
  int arrived XYLEM_GUARDED_BY(lock) = 0;
  Decision decision;
  sched::FormerPlace master;  // where the master was before it was placed
};

void HintsEnd::operator()(MemberHints* hints) const { delete hints; }

namespace {

MemberHints& hints_of(Member& member) {
  if (!member.hints) member.hints.reset(new MemberHints);
  return *member.hints;
}

// Made by whoever comes first.
HintedTeam& hinted(Team& team) {
  // acquire and release: whoever loses the race uses the winner's
  HintedTeam* there = team.hinted.load(std::memory_order_acquire);
  if (there) return *there;
  auto* made = new HintedTeam;
  if (team.hinted.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *there;
}

// What the user allows.
policy::Allowed allowed() { return read_runtime_settings().hints; }

bool hints_count() { return allowed() != policy::Allowed::nothing; }

Decision decide_for(std::span<const Hint> hints, std::span<const int> now, bool may_go) {
  return sched::decide(hints, now, may_go, allowed());
}

void bring_pages(const Decision& decision, int member) {
  for (const Decision::Pages& pages : decision.pages)
    if (pages.hint.number == member)
      mem::move_range(const_cast<void*>(pages.hint.start), pages.hint.bytes, pages.node, nullptr);
}

void go(HintedTeam& team, Member& member, int pu, int domain) {
  sched::go_to(*member.thread, pu, member.num == 0 ? &team.master : nullptr);
  member.domain = domain;
}

// The PUs of the maker's part of the machine in turn, from its own on.
std::vector<int> pus_in_domain(const Team& team, const Member& maker) {
  const topo::Level& part = plan::at(machine().levels(), maker.domain);
  const int own = std::clamp(maker.thread->pu - part.first_pu, 0, part.pu_count - 1);
  std::vector<int> pus;
  pus.reserve(static_cast<size_t>(team.n));
  for (int i = 0; i < team.n; ++i) pus.push_back(part.first_pu + (own + i) % part.pu_count);
  return pus;
}

void bind_to(Team& team, std::span<const int> pus, std::span<const int> domains) {
  team.places = new PlaceOfMember[pus.size()];
  team.bound = true;
  for (size_t i = 0; i < pus.size(); ++i) team.places[i] = {.pu = pus[i], .domain = domains[i]};
}

// Where members with data go if it lies nowhere yet: over the memory nodes, so that each brings its
// data to a node of its own as far as nodes go.
std::vector<int> usual_pus(const Team& team, const Member& maker) {
  if (maker.domain >= 0) return pus_in_domain(team, maker);
  return sched::pus_before_data(team.n);
}

void place_team(Team& team, const Member& maker, std::vector<Hint> hints) {
  std::erase_if(hints, [&team](const Hint& hint) { return hint.number >= team.n; });
  HintedTeam& mine = hinted(team);
  team.begins_by_hints = true;
  if (team.places) {  // bound by somebody's wish
    std::vector<int> pus;
    pus.reserve(static_cast<size_t>(team.n));
    for (int i = 0; i < team.n; ++i) pus.push_back(team.places[i].pu);
    mine.decision = decide_for(hints, pus, false);
    return;
  }
  const std::vector<int> usual = usual_pus(team, maker);
  mine.decision = decide_for(hints, usual, sched::threads_follow());
  if (!sched::threads_follow()) return;
  if (mine.decision.pus.empty())
    mine.decision.domains = sched::domains_of(mine.decision.pus = usual);
  bind_to(team, mine.decision.pus, mine.decision.domains);
}

}  // namespace

void tell_own(Member& member, const Hint& hint) {
  hints_of(member).own.push_back(hint);
  hints_of(member).own.back().number = member.num;
}

void tell_next(Member& member, const Hint& hint) { hints_of(member).next.push_back(hint); }

void place_by_hints(Team& team, Member& maker) {
  std::vector<Hint> told;
  if (maker.hints) told = std::exchange(maker.hints->next, {});
  if (team.n == 1) return;
  if (!told.empty() && hints_count()) {
    place_team(team, maker, std::move(told));
  } else if (!team.places && maker.domain >= 0) {
    const std::vector<int> domains(static_cast<size_t>(team.n), maker.domain);
    bind_to(team, pus_in_domain(team, maker), domains);
    hinted(team);
    team.begins_by_hints = true;
  }
}

void begin_by_hints(Team& team, Member& member) {
  HintedTeam* mine = team.hinted.load(std::memory_order_relaxed);  // written before the launch
  if (team.places && team.places[member.num].domain >= 0) {
    const PlaceOfMember& place = team.places[member.num];
    go(*mine, member, place.pu, place.domain);
  }
  bring_pages(mine->decision, member.num);
}

void end_by_hints(Team& team, sched::Thread& master) {
  // relaxed: all members have departed
  HintedTeam* mine = team.hinted.load(std::memory_order_relaxed);
  sched::return_to(master, mine->master);
  delete mine;
  team.hinted.store(nullptr, std::memory_order_relaxed);
}

void apply_own(Member& member) {
  if (!member.hints) return;
  std::vector<Hint> hints = std::exchange(member.hints->own, {});
  if (hints.empty() || !hints_count()) return;
  for (Hint& hint : hints) hint.number = 0;  // of a team of one
  const int now = member.thread->pu;
  const bool in_region = member.team->level > 0 && member.team->n > 1;
  const Decision decision =
      decide_for(hints, {&now, 1}, in_region && member.place < 0 && sched::threads_follow());
  if (!decision.pus.empty()) go(hinted(*member.team), member, decision.pus[0], member.domain);
  bring_pages(decision, 0);
}

namespace {

// True for the last to arrive, who gets what all have told and where they are.
bool gather(HintedTeam& mine, Member& member, std::vector<Hint>& hints, std::vector<int>& pus) {
  base::Locked locked(mine.lock);
  if (member.hints)
    for (const Hint& hint : std::exchange(member.hints->own, {})) mine.gathered.push_back(hint);
  mine.pus.resize(static_cast<size_t>(member.team->n), -1);
  mine.pus[static_cast<size_t>(member.num)] = member.thread->pu;
  if (++mine.arrived < member.team->n) return false;
  mine.arrived = 0;
  hints = std::exchange(mine.gathered, {});
  pus = mine.pus;
  return true;
}

}  // namespace

void apply_of_team(Member& member) {
  Team& team = *member.team;
  if (team.n == 1) return apply_own(member);
  HintedTeam& mine = hinted(team);
  std::vector<Hint> hints;
  std::vector<int> pus;
  if (gather(mine, member, hints, pus)) {
    mine.decision = {};
    if (!hints.empty() && hints_count())
      mine.decision = decide_for(hints, pus, member.place < 0 && sched::threads_follow());
  }
  team_barrier(member);
  const Decision& decision = mine.decision;
  const auto me = static_cast<size_t>(member.num);
  if (!decision.pus.empty()) go(mine, member, decision.pus[me], decision.domains[me]);
  bring_pages(decision, member.num);
}

}  // namespace xylem::omp
