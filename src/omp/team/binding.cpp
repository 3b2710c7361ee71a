// Owns: places of a team's members. See binding.hpp.
#include "omp/team/binding.hpp"

#include <algorithm>
#include <vector>

#include "omp/env/places.hpp"
#include "omp/team/query.hpp"
#include "omp/team/runtime.hpp"
#include "os/thread.hpp"
#include "plan/place_assignment.hpp"

namespace xylem::omp {

namespace {

plan::PlaceBinding binding_of(ProcBind kind) {
  if (kind == ProcBind::primary) return plan::PlaceBinding::primary;
  return kind == ProcBind::spread ? plan::PlaceBinding::spread : plan::PlaceBinding::close;
}

// The PU whose worker runs what is meant for `pu`. PU 0's slot is the initial thread's, which is
// bound to the first place. Where PU 0 is elsewhere, the worker of that place's first PU is bound
// to PU 0's place instead: else the initial thread would run what is meant for PU 0, and PU 0 would
// be idle.
int serving_pu(int pu) {
  if (machine().synthetic()) return pu;
  const std::span<const int> first = globals().places->place(0);
  if (std::ranges::find(first, 0) != first.end()) return pu;
  if (pu == 0) return first.front();
  return pu == first.front() ? 0 : pu;
}

std::vector<int> cpus_of(int place) {
  std::vector<int> cpus;
  for (const int pu : globals().places->place(place)) cpus.push_back(machine().pu_os_index(pu));
  return cpus;
}

void bind_own_thread(Member& maker, int place) {
  if (machine().synthetic()) return;
  const std::vector<int> cpus = cpus_of(place);
  if (sched::is_external(*maker.thread) && maker.place != place)
    os::bind_to_cpus(cpus.data(), static_cast<int>(cpus.size()));
}

}  // namespace

void bind_team(Team& team, Member& maker, ProcBind clause) {
  const PlaceList* places = globals().places;
  const Icvs& icvs = *maker.task->icvs;
  if (!places || places->size() == 0 || icvs.bind_var == ProcBind::none) return;
  const ProcBind kind = clause == ProcBind::none ? icvs.bind_var : clause;
  plan::PlacePartition partition{icvs.place_first, icvs.place_count};
  if (partition.count <= 0) partition = {0, places->size()};
  std::vector<plan::PlaceAssignment> assigned(static_cast<size_t>(team.n));
  const bool round =
      clause == ProcBind::none && kind == ProcBind::close && globals().places_go_round;
  plan::assign_places(round ? plan::PlaceBinding::round : binding_of(kind), maker.place, partition,
                      assigned);
  team.places = new PlaceOfMember[static_cast<size_t>(team.n)];
  std::vector<int> used(static_cast<size_t>(places->size()));
  for (int i = 0; i < team.n; ++i) {
    const plan::PlaceAssignment& mine = assigned[static_cast<size_t>(i)];
    const std::span<const int> pus = places->place(mine.place);
    const int turn = used[static_cast<size_t>(mine.place)]++;
    team.places[i] = {mine.place, mine.partition.first, mine.partition.count,
                      serving_pu(pus[static_cast<size_t>(turn) % pus.size()])};
  }
  team.bound = true;
  bind_own_thread(maker, team.places[0].place);
  team.master.place = team.places[0].place;
  team.master.implicit.icvs.own().place_first = team.places[0].first;
  team.master.implicit.icvs.own().place_count = team.places[0].count;
  if (maker.outer == nullptr) maker.place = team.places[0].place;
}

void end_binding(const Team& team, Member& maker) {
  if (!globals().affinity_reset || !team.places || maker.outer || machine().synthetic()) return;
  std::vector<int> cpus;
  os_indices_of_machine(cpus);
  os::bind_to_cpus(cpus.data(), static_cast<int>(cpus.size()));
  maker.place = -1;
}

LeagueBinding::LeagueBinding(Member& initial, int teams) : initial_(initial) {
  const Icvs& icvs = *initial.task->icvs;
  if (!binds_to_places() || icvs.bind_var == ProcBind::none) return;
  if (initial.place < 0) bind_initial_thread(initial);
  before_ = {initial.place, {icvs.place_first, icvs.place_count}};
  of_teams_.resize(static_cast<size_t>(teams));
  plan::PlacePartition partition = before_.partition;
  if (partition.count <= 0) partition = {0, globals().places->size()};
  plan::assign_places(binding_of(globals().teams_bind), initial.place, partition, of_teams_);
}

LeagueBinding::~LeagueBinding() {
  if (!of_teams_.empty()) move_to(before_);
}

void LeagueBinding::enter(int team) {
  if (!of_teams_.empty()) move_to(of_teams_[static_cast<size_t>(team)]);
}

void LeagueBinding::move_to(const plan::PlaceAssignment& where) {
  bind_own_thread(initial_, where.place);
  initial_.place = where.place;
  Icvs& icvs = initial_.task->icvs.own();
  icvs.place_first = where.partition.first;
  icvs.place_count = where.partition.count;
}

void bind_initial_thread(Member& initial) {
  const PlaceList* places = globals().places;
  if (!places || places->size() == 0 || initial.task->icvs->bind_var == ProcBind::none) return;
  bind_own_thread(initial, 0);
  initial.place = 0;
}

bool binds_to_places() {
  const PlaceList* places = globals().places;
  return places && places->size() > 0 && initial_icvs().bind_var != ProcBind::none;
}

// Of several places the smallest: who runs there is in the others, too.
std::vector<int> place_of_pu(int pu) {
  const PlaceList& places = *globals().places;
  int found = -1;
  for (int place = 0; place < places.size(); ++place) {
    const std::span<const int> pus = places.place(place);
    if (std::ranges::find(pus, serving_pu(pu)) == pus.end()) continue;
    if (found < 0 || pus.size() < places.place(found).size()) found = place;
  }
  return found < 0 ? std::vector<int>{} : cpus_of(found);
}

}  // namespace xylem::omp
