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
using sched::Part;

struct MemberHints {
  std::vector<Hint> own;
  std::vector<Hint> next;
};

// Lives from the first decision on the team until its end. What members tell is gathered under the
// lock. A decision is written by one member, the last to arrive, before a barrier of the team, and
// read by each after it; the next one is made only when all have come again. Members look into the
// parts of the decision before until they have passed that barrier: there are two, in turn.
struct HintedTeam {
  base::SpinLock lock{{60, "HintedTeam::lock"}};
  std::vector<Hint> gathered XYLEM_GUARDED_BY(lock);
  std::vector<int> pus XYLEM_GUARDED_BY(lock);  // where members are who have arrived
  int arrived XYLEM_GUARDED_BY(lock) = 0;
  Decision decisions[2];
  int current = 0;
  bool moves = false;         // the current one says where members go that were elsewhere
  sched::FormerPlace master;  // where the master was before it was placed

  Decision& decision() { return decisions[current]; }
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

Decision decide_for(std::span<const Hint> hints, std::span<const int> now, plan::TeamTree tree,
                    bool may_go) {
  return sched::decide(hints, now, std::move(tree), may_go, allowed());
}

void bring_pages(const Decision& decision, int member) {
  for (const Decision::Pages& pages : decision.pages)
    if (pages.hint.number == member)
      mem::move_range(const_cast<void*>(pages.hint.start), pages.hint.bytes, pages.node, nullptr);
}

void go(HintedTeam& team, Member& member, int pu) {
  sched::go_to(*member.thread, pu, member.num == 0 ? &team.master : nullptr);
}

std::vector<int> pus_of(std::span<const Part> parts) {
  std::vector<int> pus;
  pus.reserve(parts.size());
  for (const Part& part : parts) pus.push_back(part.pu);
  return pus;
}

// The PUs of the maker's part of the machine in turn, from its own on.
std::vector<int> pus_in_domain(const Team& team, const Member& maker) {
  const topo::Level& domain = plan::at(machine().levels(), maker.part->domain);
  const int own = std::clamp(maker.thread->pu - domain.first_pu, 0, domain.pu_count - 1);
  std::vector<int> pus;
  pus.reserve(static_cast<size_t>(team.n));
  for (int i = 0; i < team.n; ++i) pus.push_back(domain.first_pu + (own + i) % domain.pu_count);
  return pus;
}

// Where the maker's part of the machine has the team: as it was planned with the maker, if it has
// the size that was thought of then.
std::vector<Part> parts_inside(const Team& team, const Member& maker) {
  if (maker.part->inner.size() == static_cast<size_t>(team.n)) return maker.part->inner;
  std::vector<Part> parts;
  for (const int pu : pus_in_domain(team, maker))
    parts.push_back({.pu = pu, .domain = maker.part->domain});
  return parts;
}

// The decision stays until the team's end.
void bind_by(Team& team, const Decision& decision) {
  team.places = new PlaceOfMember[decision.parts.size()];
  team.bound = true;
  for (size_t i = 0; i < decision.parts.size(); ++i)
    team.places[i] = {.pu = decision.parts[i].pu, .part = &decision.parts[i]};
}

// Where members with data go if it lies nowhere yet: over the memory nodes, so that each brings its
// data to a node of its own as far as nodes go.
std::vector<Part> usual_parts(const Team& team, const Member& maker, const plan::TeamTree& tree) {
  if (maker.part) return sched::parts_on(pus_in_domain(team, maker));
  return sched::parts_before_data(tree);
}

void place_team(Team& team, const Member& maker, const sched::Launch& launch,
                std::vector<Hint> hints) {
  std::erase_if(hints, [&team](const Hint& hint) { return hint.number >= team.n; });
  HintedTeam& mine = hinted(team);
  team.begins_by_hints = true;
  plan::TeamTree tree = sched::known_tree(*maker.thread, launch, team.n);
  if (team.places) {  // bound by somebody's wish
    std::vector<int> pus;
    pus.reserve(static_cast<size_t>(team.n));
    for (int i = 0; i < team.n; ++i) pus.push_back(team.places[i].pu);
    mine.decision() = decide_for(hints, pus, std::move(tree), false);
    return;
  }
  std::vector<Part> usual = usual_parts(team, maker, tree);
  mine.decision() = decide_for(hints, pus_of(usual), std::move(tree), sched::threads_follow());
  if (!sched::threads_follow()) return;
  if (mine.decision().parts.empty()) mine.decision().parts = std::move(usual);
  bind_by(team, mine.decision());
}

}  // namespace

void tell_own(Member& member, const Hint& hint) {
  hints_of(member).own.push_back(hint);
  hints_of(member).own.back().number = member.num;
}

void tell_next(Member& member, const Hint& hint) { hints_of(member).next.push_back(hint); }

void place_by_hints(Team& team, Member& maker, const sched::Launch& launch) {
  std::vector<Hint> told;
  if (maker.hints) told = std::exchange(maker.hints->next, {});
  if (team.n == 1) return;
  if (!told.empty() && hints_count()) {
    place_team(team, maker, launch, std::move(told));
  } else if (!team.places && maker.part) {
    HintedTeam& mine = hinted(team);
    mine.decision().parts = parts_inside(team, maker);
    bind_by(team, mine.decision());
    team.begins_by_hints = true;
  }
}

void begin_by_hints(Team& team, Member& member) {
  HintedTeam* mine = team.hinted.load(std::memory_order_relaxed);  // written before the launch
  if (team.places && team.places[member.num].part) {
    const PlaceOfMember& place = team.places[member.num];
    go(*mine, member, place.pu);
    member.part = place.part;
  }
  bring_pages(mine->decision(), member.num);
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
  const Decision decision = decide_for(hints, {&now, 1}, plan::TeamTree{{.n = 1}},
                                       in_region && member.place < 0 && sched::threads_follow());
  if (!decision.parts.empty()) go(hinted(*member.team), member, decision.parts[0].pu);
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
    Decision& next = mine.decisions[1 - mine.current];
    next = {};
    if (!hints.empty() && hints_count())
      next = decide_for(hints, pus, sched::tree_of(team, *member.thread),
                        member.place < 0 && sched::threads_follow());
    mine.moves = !next.parts.empty();
    if (!mine.moves) next.parts = mine.decision().parts;
    mine.current = 1 - mine.current;
  }
  team_barrier(member);
  const Decision& decision = mine.decision();
  const auto me = static_cast<size_t>(member.num);
  if (mine.moves) go(mine, member, decision.parts[me].pu);
  if (!decision.parts.empty()) member.part = &decision.parts[me];
  bring_pages(decision, member.num);
}

}  // namespace xylem::omp
