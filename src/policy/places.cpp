// Policy `places`: OMP_PLACES and OMP_PROC_BIND exactly as the specification says.
//
// plan/place_assignment.hpp says which place each member of a team gets; here that becomes moves.
// Every top bubble is a team whose members are what it holds directly, in order; a top run is a
// team of its own. Invariant: a member never lands on a queue that PUs outside its place look at.
#include <algorithm>
#include <vector>

#include "policy/lay.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

using plan::Entity;
using plan::EntityKind;
using plan::View;

class Places {
 public:
  Places(const View& view, plan::Plan& plan) : view_(view), plan_(plan) {}

  void place_team(int top);

 private:
  int place_count() const;
  int level_of_place(int place, int turn) const;
  int place_of_pu(int pu) const;
  void assign(int members, int maker_pu);
  int next_level(int member);
  void put_run(int run, int first_member);

  const View& view_;
  plan::Plan& plan_;
  std::vector<plan::PlaceAssignment> assigned_;  // of each member of the team
  std::vector<int> used_;                        // of each place: members it has got
};

// Without places of the user's, every PU below the scope is one.
int Places::place_count() const {
  if (view_.binding.places.empty()) return view_.level(view_.scope).pu_count;
  return static_cast<int>(view_.binding.places.size());
}

// The level that holds exactly the place's PUs; if there is none, a PU of the place, each in turn.
int Places::level_of_place(int place, int turn) const {
  if (view_.binding.places.empty())
    return plan::level_of_pu(view_.levels, view_.level(view_.scope).first_pu + place);
  std::span<const int> pus = view_.binding.places[static_cast<std::size_t>(place)].pus;
  if (pus.empty()) return view_.scope;
  int first = *std::min_element(pus.begin(), pus.end());
  int last = *std::max_element(pus.begin(), pus.end());
  int level = plan::common_level(view_.levels, plan::level_of_pu(view_.levels, first),
                                 plan::level_of_pu(view_.levels, last));
  const topo::Level& common = view_.level(level);
  bool exact = common.first_pu == first && common.pu_count == static_cast<int>(pus.size());
  if (exact) return level;
  return plan::level_of_pu(view_.levels, pus[static_cast<std::size_t>(turn) % pus.size()]);
}

// The first place that holds the PU, or -1.
int Places::place_of_pu(int pu) const {
  if (pu < 0) return -1;
  if (view_.binding.places.empty()) return pu - view_.level(view_.scope).first_pu;
  for (std::size_t i = 0; i < view_.binding.places.size(); ++i) {
    std::span<const int> pus = view_.binding.places[i].pus;
    if (std::find(pus.begin(), pus.end(), pu) != pus.end()) return static_cast<int>(i);
  }
  return -1;
}

void Places::assign(int members, int maker_pu) {
  plan::PlacePartition partition = view_.binding.partition;
  if (partition.count == 0) partition = {0, place_count()};
  int parent = view_.binding.parent_place;
  if (parent < 0) parent = place_of_pu(maker_pu);
  assigned_.assign(static_cast<std::size_t>(members), {});
  used_.assign(static_cast<std::size_t>(place_count()), 0);
  plan::assign_places(view_.binding.how, parent, partition, assigned_);
}

int Places::next_level(int member) {
  int place = assigned_[static_cast<std::size_t>(member)].place;
  return level_of_place(place, used_[static_cast<std::size_t>(place)]++);
}

// Neighbours that go to one level go in one move.
void Places::put_run(int run, int first_member) {
  int count = view_.entity(run).count;
  int begin = 0;
  int level = next_level(first_member);
  for (int i = 1; i <= count; ++i) {
    int next = i < count ? next_level(first_member + i) : -1;
    if (next == level) continue;
    lay(view_, plan_, {run, begin, i - begin}, level);
    begin = i;
    level = next;
  }
}

void Places::place_team(int top) {
  const Entity& team = view_.entity(top);
  if (team.kind == EntityKind::run) {
    assign(team.count, team.last_pu);
    return put_run(top, 0);
  }
  int members = 0;
  for (int i = team.first_child; i < team.first_child + team.child_count; ++i)
    members += view_.entity(i).count;
  assign(members, team.last_pu);
  plan_.burst(top, view_.scope);
  int member = 0;
  for (int i = team.first_child; i < team.first_child + team.child_count; ++i) {
    if (view_.entity(i).kind == EntityKind::run)
      put_run(i, member);
    else
      lay(view_, plan_, {i, 0, 1}, next_level(member));
    member += view_.entity(i).count;
  }
}

void place(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Places places(view, plan);
  for (int top = 0; top < view.top_count; ++top) places.place_team(top);
}

}  // namespace

constinit const Policy places = {.name = "places",
                                 .help = "bind threads as OMP_PLACES and OMP_PROC_BIND say",
                                 .place = place,
                                 .tick = nullptr,
                                 .steal = {.order = plan::VictimOrder::none},
                                 .fills_machine = false,
                                 .repeats = true};

}  // namespace xylem::policy
