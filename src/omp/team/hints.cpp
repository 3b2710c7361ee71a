// Owns: hints of members, and carrying out what was decided on them. See hints.hpp.
#include "omp/team/hints.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "mem/map/memory.hpp"
#include "mem/move/range_moves.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/engines.hpp"
#include "omp/team/following.hpp"
#include "omp/team/found_data.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/told_regions.hpp"
#include "os/thread.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

// What the user allows.
policy::Allowed allowed() { return read_runtime_settings().hints; }

bool hints_count() { return allowed() != policy::Allowed::nothing; }

// What hints are to decide of a team.
struct Question {
  std::span<const Hint> hints;
  policy::Allowed allowed;
  bool may_go;
};

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

std::vector<int> pus_of_places(const Team& team) {
  std::vector<int> pus;
  pus.reserve(static_cast<size_t>(team.n));
  for (int i = 0; i < team.n; ++i) pus.push_back(team.places[i].pu);
  return pus;
}

// Where members go, and which pages go with them. Empty parts: they stay.
Decision decide_on(const Team& team, const Member& maker, const Question& question,
                   const plan::TeamTree& tree) {
  const std::vector<double> beside = sched::streams_beside(*maker.thread);
  if (team.places)  // bound by somebody's wish
    return sched::decide(question.hints, pus_of_places(team), tree, false, question.allowed,
                         beside);
  std::vector<Part> usual = usual_parts(team, maker, tree);
  Decision made =
      sched::decide(question.hints, pus_of(usual), tree, question.may_go, question.allowed, beside);
  if (question.may_go && made.parts.empty()) made.parts = std::move(usual);
  return made;
}

bool lie_somewhere(std::span<const Hint> hints) {
  std::vector<int64_t> bytes(static_cast<size_t>(mem::node_count()));
  for (const Hint& hint : hints) mem::add_bytes_by_node(hint.start, hint.bytes, bytes);
  return std::ranges::any_of(bytes, [](int64_t some) { return some > 0; });
}

// Owners go to their memory, as soon as it lies somewhere; it does not come to them. What lies
// nowhere yet is looked for at ever fewer runs.
std::vector<Hint> hints_of_owners_if_any(const Team& team, ToldRegion& told) {
  if (told.owned.empty() || team.places || !sched::threads_follow()) return {};
  if (allowed() == policy::Allowed::pages) return {};
  if (!told.is_placed && !std::has_single_bit(++told.polls)) return {};
  std::vector<Hint> hints = hints_of_owners(told);
  if (!told.is_placed && !lie_somewhere(hints)) return {};
  told.polls = 0;
  return hints;
}

PlacedFor as_it_is(const Team& team, const Member& maker, plan::TeamTree tree) {
  return {.tree = std::move(tree),
          .moved_pages = mem::statistics().moved_pages,
          .maker_pu = maker.part ? maker.thread->pu : -1,
          .maker_domain = maker.part ? maker.part->domain : -1,
          .bound = team.places != nullptr};
}

// By what was told of the region, or by what its members own. The decision of an earlier run holds
// where nothing that it was made for has changed: its pages have come. False: nothing was told.
bool place_told(Team& team, const Member& maker, const sched::Launch& launch, ToldRegion& told) {
  const plan::TeamTree tree = sched::known_tree(*maker.thread, launch, team.n);
  if (!hints_count()) return false;
  const std::vector<Hint> owners =
      told.hints.empty() ? hints_of_owners_if_any(team, told) : std::vector<Hint>{};
  if (told.hints.empty() && owners.empty()) return false;
  HintedTeam& mine = hinted(team);
  PlacedFor now = as_it_is(team, maker, tree);
  if (told.following && told.following->takes_moved_pages())
    told.placed_for.moved_pages = now.moved_pages;
  if (told.is_placed && told.placed_for == now) {
    if (told.following) told.following->begin(told, owners, *maker.thread, mine.decision());
    mine.decision().parts = told.parts;
    mine.decision().streams = told.streams;
  } else {
    const Question question = {.hints = told.hints.empty() ? owners : told.hints,
                               .allowed = told.hints.empty() ? policy::Allowed::threads : allowed(),
                               .may_go = sched::threads_follow()};
    mine.decision() = decide_on(team, maker, question, tree);
    told.parts = mine.decision().parts;
    told.streams = mine.decision().streams;
    told.placed_for = std::move(now);
    told.is_placed = true;
    const bool may_follow = !owners.empty() && maker.team->level == 0 && !told.parts.empty();
    told.following = may_follow ? std::make_unique<Following>() : nullptr;
  }
  sched::tell_streams(mine.streams, *maker.thread, mine.decision().streams);
  if (!team.places && !mine.decision().parts.empty()) bind_by(team, mine.decision());
  return true;
}

void keep_on(Team& team, std::vector<Part> parts) {
  HintedTeam& mine = hinted(team);
  mine.decision().parts = std::move(parts);
  bind_by(team, mine.decision());
  team.begins_by_hints = true;
}

}  // namespace

void tell_own(Member& member, const Hint& hint) {
  MemberHints& hints = hints_of(member);
  if (std::exchange(hints.own_is_acted_on, false)) hints.own.clear();
  if (hint.bytes == 0) return;
  hints.own.push_back(hint);
  hints.own.back().number = member.num;
}

void tell_next(Member& member, const Hint& hint) { hints_of(member).next.push_back(hint); }

void place_by_hints(Team& team, Member& maker, const sched::Launch& launch) {
  const bool by_engines = maker.hints && maker.hints->is_watched && begin_watched(team, launch);
  ToldRegion* told = begin_told(team, maker);
  if (team.n == 1) return;
  if (told) {
    HintedTeam& mine = hinted(team);
    base::Locked locked(mine.lock);
    mine.told = told;
    team.begins_by_hints = true;
  }
  if (told && place_told(team, maker, launch, *told)) return;
  if (team.places) return;
  if (by_engines) return keep_on(team, sched::parts_on(pus_by_engines(team)));
  if (maker.part) return keep_on(team, parts_inside(team, maker));
  if (!maker.hints || !maker.hints->found) return;
  if (const std::vector<Part>& parts = parts_by_found_data(team, maker, launch); !parts.empty())
    keep_on(team, parts);
}

void begin_by_hints(Team& team, Member& member) {
  HintedTeam* mine = team.hinted.load(std::memory_order_relaxed);  // written before the launch
  find_told(*mine, member);
  if (team.places && team.places[member.num].part) {
    const PlaceOfMember& place = team.places[member.num];
    go(*mine, member, place.pu);
    member.part = place.part;
  }
  if (mine->is_watched) [[unlikely]]
    begin_watched_member(member);
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
  member.hints->own_is_acted_on = true;
  std::vector<Hint> hints = member.hints->own;
  if (hints.empty() || !hints_count()) return;
  for (Hint& hint : hints) hint.number = 0;  // of a team of one
  const int now = member.thread->pu;
  const bool in_region = member.team->level > 0 && member.team->n > 1;
  const Decision decision = sched::decide(hints, {&now, 1}, plan::TeamTree{{.n = 1}},
                                          in_region && member.place < 0 && sched::threads_follow(),
                                          allowed(), sched::streams_beside(*member.thread));
  if (!decision.parts.empty()) go(hinted(*member.team), member, decision.parts[0].pu);
  bring_pages(decision, 0);
}

namespace {

// True for the last to arrive, who gets what all have told and where they are.
bool gather(HintedTeam& mine, Member& member, std::vector<Hint>& hints, std::vector<int>& pus) {
  base::Locked locked(mine.lock);
  if (member.hints) {
    member.hints->own_is_acted_on = true;
    for (const Hint& hint : member.hints->own) mine.gathered.push_back(hint);
  }
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
    if (!hints.empty() && hints_count()) {
      next = sched::decide(hints, pus, sched::tree_of(team, *member.thread),
                           member.place < 0 && sched::threads_follow(), allowed(),
                           sched::streams_beside(*member.thread));
      sched::tell_streams(mine.streams, *member.thread, next.streams);
    }
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
