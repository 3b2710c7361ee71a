// Between the C interface and policies: translates a View into C, and C's moves into a Plan.
//
// A Policy's functions have no argument for data, so each adopted object has functions of its own,
// made for its place in the table. The table is written by adopt() before anybody can ask the
// policy, and never changes again. What it has of an object of version 2, the first part of ours,
// ends where that version did, with no hooks.
#include "policy/foreign.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "xylem/policy.h"

namespace xylem::policy {
namespace {

constinit const void* sources[most_foreign] = {};  // addresses of what was exported
constinit xylem_policy objects[most_foreign] = {};
constinit Policy adopted[most_foreign] = {};
constinit int adopted_count = 0;

using topo::LevelKind;
static_assert(XYLEM_LEVEL_MACHINE == static_cast<int>(LevelKind::machine));
static_assert(XYLEM_LEVEL_PACKAGE == static_cast<int>(LevelKind::package));
static_assert(XYLEM_LEVEL_NODE == static_cast<int>(LevelKind::node));
static_assert(XYLEM_LEVEL_CACHE == static_cast<int>(LevelKind::cache));
static_assert(XYLEM_LEVEL_CORE == static_cast<int>(LevelKind::core));
static_assert(XYLEM_LEVEL_PU == static_cast<int>(LevelKind::pu));
static_assert(XYLEM_LEVEL_GROUP == static_cast<int>(LevelKind::group));
static_assert(XYLEM_HELD_BACK == plan::held_back);
static_assert(XYLEM_BIND_PRIMARY == static_cast<int>(plan::PlaceBinding::primary));
static_assert(XYLEM_BIND_CLOSE == static_cast<int>(plan::PlaceBinding::close));
static_assert(XYLEM_BIND_SPREAD == static_cast<int>(plan::PlaceBinding::spread));

xylem_policy_level in_c(const topo::Level& level) {
  return {.kind = static_cast<int>(level.kind),
          .cache_depth = level.cache_depth,
          .parent = level.parent,
          .first_child = level.first_child,
          .child_count = level.child_count,
          .first_pu = level.first_pu,
          .pu_count = level.pu_count};
}

xylem_policy_entity in_c(const plan::Entity& entity) {
  return {.is_bubble = entity.kind == plan::EntityKind::bubble ? 1 : 0,
          .narrowed = entity.narrowed ? 1 : 0,
          .parent = entity.parent,
          .first_child = entity.first_child,
          .child_count = entity.child_count,
          .count = entity.count,
          .threads = entity.threads,
          .allowed = entity.allowed,
          .level = entity.level,
          .held_since = entity.held_since,
          .last_pu = entity.last_pu,
          .burst_level = entity.burst_level,
          .priority = entity.priority,
          .load = entity.load};
}

xylem_policy_use in_c(const plan::Use& use) {
  return {.running = use.running, .cpu_ns = use.cpu_ns};
}

xylem_policy_place in_c(const plan::Place& place) {
  return {.pus = place.pus.data(), .pu_count = static_cast<int>(place.pus.size())};
}

template <typename From>
auto all_in_c(std::span<const From> list) {
  std::vector<decltype(in_c(list[0]))> out;
  out.reserve(list.size());
  for (const From& one : list) out.push_back(in_c(one));
  return out;
}

// Empty: they are not counted.
std::vector<std::int64_t> misses_in_c(const plan::Statistics& statistics) {
  std::vector<std::int64_t> out;
  for (const plan::Use& use : statistics.uses)
    if (statistics.counts_misses) out.push_back(use.misses);
  return out;
}

// A view in C. Valid while the View is.
class ViewInC {
 public:
  explicit ViewInC(const plan::View& view)
      : levels_(all_in_c(view.levels)),
        entities_(all_in_c(view.entities)),
        places_(all_in_c(view.binding.places)),
        uses_(all_in_c(view.statistics.uses)),
        misses_(misses_in_c(view.statistics)),
        view_{.levels = levels_.data(),
              .level_count = static_cast<int>(levels_.size()),
              .scope = view.scope,
              .entities = entities_.data(),
              .entity_count = static_cast<int>(entities_.size()),
              .top_count = view.top_count,
              .nodes = view.memory.nodes.data(),
              .node_count = static_cast<int>(view.memory.nodes.size()),
              .bytes = view.memory.bytes.empty() ? nullptr : view.memory.bytes.data(),
              .places = places_.data(),
              .place_count = static_cast<int>(places_.size()),
              .bind = static_cast<int>(view.binding.how),
              .first_partition_place = view.binding.partition.first,
              .partition_count = view.binding.partition.count,
              .parent_place = view.binding.parent_place,
              .too_big_percent = view.tuning.too_big_percent,
              .uses = uses_.empty() ? nullptr : uses_.data(),
              .idle_ns = view.statistics.idle_ns.empty() ? nullptr : view.statistics.idle_ns.data(),
              .misses = misses_.empty() ? nullptr : misses_.data()} {}
  const xylem_view* get() const { return &view_; }

 private:
  std::vector<xylem_policy_level> levels_;
  std::vector<xylem_policy_entity> entities_;
  std::vector<xylem_policy_place> places_;
  std::vector<xylem_policy_use> uses_;
  std::vector<std::int64_t> misses_;
  xylem_view view_;
};

// What the object calls: a C structure, and behind it what it stands for.
struct PlanInC : xylem_plan {
  explicit PlanInC(plan::Plan& to) : xylem_plan{add_move}, plan(to) {}
  static void add_move(xylem_plan* self, int entity, int first, int count, int level, int burst) {
    plan::Plan& plan = static_cast<PlanInC*>(self)->plan;
    if (burst != 0)
      plan.burst(entity, level);
    else
      plan.move_members(entity, first, count, level);
  }
  plan::Plan& plan;
};

struct RandomInC : xylem_random {
  explicit RandomInC(plan::Random& from) : xylem_random{draw}, random(from) {}
  static std::uint64_t draw(xylem_random* self) {
    return static_cast<RandomInC*>(self)->random.next();
  }
  plan::Random& random;
};

template <int index>
void place(const plan::View& view, plan::Random& random, plan::Plan& plan) {
  const ViewInC seen(view);
  RandomInC numbers(random);
  PlanInC answer(plan);
  objects[index].place(seen.get(), &numbers, &answer);
}

// A function that is asked of a bubble, or of a PU.
template <int index, auto xylem_policy::*function>
void ask(const plan::View& view, int subject, plan::Random& random, plan::Plan& plan) {
  const ViewInC seen(view);
  RandomInC numbers(random);
  PlanInC answer(plan);
  (objects[index].*function)(seen.get(), subject, &numbers, &answer);
}

template <int index>
plan::Share met(const plan::View& view, int bubble, int pu, plan::Random& random) {
  const ViewInC seen(view);
  RandomInC numbers(random);
  const xylem_share share = objects[index].met(seen.get(), bubble, pu, &numbers);
  return {.members = share.members, .rest_level = share.rest_level};
}

struct Functions {
  decltype(Policy::place) place;
  decltype(Policy::tick) tick, idle, wake;
  decltype(Policy::met) met;
};

template <int... indices>
constexpr auto functions_of(std::integer_sequence<int, indices...>) {
  return std::array<Functions, sizeof...(indices)>{
      {{place<indices>, ask<indices, &xylem_policy::tick>, ask<indices, &xylem_policy::idle>,
        ask<indices, &xylem_policy::wake>, met<indices>}...}};
}
constexpr auto functions = functions_of(std::make_integer_sequence<int, most_foreign>());

// Zero is our own policies' rule in C, as in plan::StealRule.
constexpr plan::VictimOrder orders[] = {plan::VictimOrder::nearest_first, plan::VictimOrder::random,
                                        plan::VictimOrder::none};
static_assert(orders[XYLEM_STEAL_NONE] == plan::VictimOrder::none);
constexpr plan::Take takes[] = {plan::Take::top_of_tree, plan::Take::most_loaded,
                                plan::Take::thread_alone};
static_assert(takes[XYLEM_TAKE_THREAD_ALONE] == plan::Take::thread_alone);
constexpr plan::Open opens[] = {plan::Open::halves, plan::Open::never, plan::Open::always,
                                plan::Open::lone};
static_assert(opens[XYLEM_OPEN_LONE] == plan::Open::lone);

plan::StealRule translated(const xylem_policy_steal& steal) {
  return {.order = orders[steal.order],
          .across_nodes = steal.own_node_only == 0,
          .take = takes[steal.take],
          .open = opens[steal.open],
          .leave_ancestors = steal.lift_ancestors == 0};
}

bool is_within(int value, int last) { return value >= 0 && value <= last; }

bool is_known(const xylem_policy_steal& steal) {
  return is_within(steal.order, XYLEM_STEAL_NONE) &&
         is_within(steal.take, XYLEM_TAKE_THREAD_ALONE) && is_within(steal.open, XYLEM_OPEN_LONE);
}

const char* trouble_with_name(const char* name) {
  if (name == nullptr || *name == '\0') return "has no name: set .name";
  for (const char* c = name; *c != '\0'; ++c)
    if (std::strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c) ==
        nullptr)
      return "has a name of other signs than letters, digits, '-', '_' and '.': change .name";
  return find(name) != nullptr ? "has the name of a policy of the library: change .name" : nullptr;
}

// Null, or what is wrong with an object of the right version and size.
const char* trouble_with(const xylem_policy& object) {
  if (const char* trouble = trouble_with_name(object.name)) return trouble;
  if (object.help == nullptr || *object.help == '\0' || std::strchr(object.help, '\n') != nullptr)
    return "does not say in one line where threads go: set .help";
  if (object.place == nullptr) return "has no place function: set .place";
  if (!is_known(object.steal))
    return "has a steal rule of values that xylem/policy.h does not know: correct .steal";
  return adopted_count == most_foreign ? "comes after as many others as a process can have"
                                       : nullptr;
}

Policy translated(const xylem_policy& object, const Functions& ask) {
  const auto by_data = object.follows_hints == 0 ? nullptr : ask.place;
  return {.name = object.name,
          .help = object.help,
          .place = ask.place,
          .tick = object.tick == nullptr ? nullptr : ask.tick,
          .steal = translated(object.steal),
          .fills_machine = object.fills_machine != 0,
          .repeats = object.repeats != 0,
          .sees_all = object.sees_all != 0,
          .place_by_data = by_data,
          .place_before_data = by_data,
          .idle = object.idle == nullptr ? nullptr : ask.idle,
          .wake = object.wake == nullptr ? nullptr : ask.wake,
          .met = object.met == nullptr ? nullptr : ask.met};
}

// The versions that are understood, and how large xylem_policy was in each.
struct Version {
  int number;
  std::size_t size;
};
constexpr std::size_t size_of_version_2 = offsetof(xylem_policy, idle);
constexpr std::array<Version, 3> versions{{{2, size_of_version_2},
                                           {3, sizeof(xylem_policy)},  // a shorter view
                                           {XYLEM_POLICY_VERSION, sizeof(xylem_policy)}}};

// Version and size come first in every version; what follows is looked at only if they are known.
// Takes over what the object says; false: `reason` says why not.
bool take_over(const xylem_policy& object, xylem_policy& own, std::array<char, 200>& reason) {
  const auto* known = std::ranges::find(versions, object.version, &Version::number);
  if (known == versions.end()) {
    std::snprintf(reason.data(), reason.size(),
                  "is built for version %d of xylem/policy.h, and this Xylem has version %d: "
                  "build it again with this Xylem's",
                  object.version, XYLEM_POLICY_VERSION);
    return false;
  }
  if (object.size != known->size) {
    std::snprintf(reason.data(), reason.size(),
                  "says that xylem_policy has %zu bytes, and here it has %zu: set .size to "
                  "sizeof(xylem_policy)",
                  object.size, known->size);
    return false;
  }
  own = {};
  std::memcpy(&own, &object, known->size);
  const char* trouble = trouble_with(own);
  if (trouble != nullptr) std::snprintf(reason.data(), reason.size(), "%s", trouble);
  return trouble == nullptr;
}

}  // namespace

Adoption adopt(const void* exported) {
  for (int i = 0; i < adopted_count; ++i)
    if (sources[i] == exported) return {&adopted[i]};
  Adoption answer;
  xylem_policy own{};
  if (!take_over(*static_cast<const xylem_policy*>(exported), own, answer.reason)) return answer;
  sources[adopted_count] = exported;
  objects[adopted_count] = own;
  adopted[adopted_count] = translated(own, functions[static_cast<std::size_t>(adopted_count)]);
  answer.policy = &adopted[adopted_count++];
  return answer;
}

bool is_foreign(const Policy& policy) {
  for (const Policy& one : adopted)
    if (&one == &policy) return true;
  return false;
}

}  // namespace xylem::policy
