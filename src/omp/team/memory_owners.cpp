// Owns: owners of memory. See memory_owners.hpp.
#include "omp/team/memory_owners.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

using mem::NodeList;
using mem::Owner;
using mem::OwnerKind;
using sched::Group;

struct OwningTeam {
  uint64_t number;
  const Team& team;
  // By member: the node where it was when it last said something of its memory; -1: it did not.
  // Each written by that member, read by others; relaxed: numbers.
  std::unique_ptr<std::atomic<int>[]> seen;
  OwningTeam* next;
};

namespace {

constexpr int nowhere = -1;

constinit base::SpinLock owners_lock{owners_rank};
constinit OwningTeam* first_team XYLEM_GUARDED_BY(owners_lock) = nullptr;
constinit uint64_t teams_made XYLEM_GUARDED_BY(owners_lock) = 0;

}  // namespace

void lock_owners() XYLEM_NO_THREAD_ANALYSIS { owners_lock.lock(); }
void unlock_owners(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { owners_lock.unlock(); }

OwningTeam& TeamAsOwner::record(Team& team) {
  if (OwningTeam* made = record_.load(std::memory_order_acquire)) return *made;
  const auto n = static_cast<size_t>(team.n);
  std::unique_ptr<OwningTeam> record(
      new OwningTeam{0, team, std::make_unique<std::atomic<int>[]>(n), nullptr});
  for (size_t i = 0; i < n; ++i) record->seen[i].store(nowhere, std::memory_order_relaxed);
  base::Locked locked(owners_lock);
  // relaxed: written under this lock
  if (OwningTeam* others = record_.load(std::memory_order_relaxed)) return *others;
  record->number = ++teams_made;
  record->next = first_team;
  first_team = record.get();
  record_.store(record.get(), std::memory_order_release);
  return *record.release();
}

void TeamAsOwner::end() {
  OwningTeam* mine = record_.load(std::memory_order_relaxed);
  {
    base::Locked locked(owners_lock);
    OwningTeam** at = &first_team;
    while (*at != mine) at = &(*at)->next;
    *at = mine->next;
  }
  delete mine;
}

namespace {

// --- where members are ---------------------------------------------------------------------------

template <typename Visit>
void each_running(Visit visit) {
  sched::each_running(
      [](const sched::Running& running, void* context) {
        (*static_cast<Visit*>(context))(running, mem::node_of_pu(running.pu));
      },
      &visit);
}

// What is read of a team while it cannot end.
struct Sight {
  NodeList known;  // by member: where it is bound, else where it said to be, or nowhere
  bool is_planned = false;
  const std::atomic<int64_t>* cells = nullptr;  // of its members' times, never freed; or null
};

Sight sight_of(const Team& team, const OwningTeam* record) {
  Sight sight;
  sight.known.assign(static_cast<size_t>(team.n), nowhere);
  for (size_t i = 0; i < sight.known.size(); ++i) {
    if (team.places)
      sight.known[i] = mem::node_of_pu(team.places[i].pu);
    else if (record)
      sight.known[i] = record->seen[i].load(std::memory_order_relaxed);
  }
  sight.is_planned = team.opened_region && !team.places;
  if (team.times_by_member) sight.cells = team.times;
  return sight;
}

// Members of an outermost team whose time is measured each, by the cells that workers show.
void find_running(const Sight& sight, NodeList& nodes) {
  if (!sight.cells) return;
  each_running([&](const sched::Running& running, int node) {
    const std::atomic<int64_t>* cell = running.time;
    if (cell >= sight.cells && cell < sight.cells + nodes.size())
      nodes[static_cast<size_t>(cell - sight.cells)] = node;
  });
}

// Where members of an outermost team of so many go, as far as that can be said before they do.
NodeList planned_nodes(int n) {
  NodeList nodes = sched::planned_pus(n);
  std::ranges::transform(nodes, nodes.begin(), mem::node_of_pu);
  nodes.resize(static_cast<size_t>(n), nowhere);
  return nodes;
}

// What is known less well is written over. Asks the policy, so no lock may be held.
NodeList nodes_of_team(const Sight& sight) {
  NodeList nodes =
      sight.is_planned ? planned_nodes(static_cast<int>(sight.known.size())) : sight.known;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (sight.known[i] != nowhere) nodes[i] = sight.known[i];
  find_running(sight, nodes);
  return nodes;
}

int most_frequent(const NodeList& nodes) {
  std::vector<int> counts(static_cast<size_t>(mem::node_count()));
  for (const int node : nodes)
    if (node >= 0) ++counts[static_cast<size_t>(node)];
  const auto most = std::max_element(counts.begin(), counts.end());
  return most != counts.end() && *most > 0 ? static_cast<int>(most - counts.begin()) : nowhere;
}

// --- members and teams ---------------------------------------------------------------------------

OwningTeam& record_caller(Member& caller) {
  OwningTeam& record = caller.team->owner.record(*caller.team);
  record.seen[static_cast<size_t>(caller.num)].store(mem::current_node(),
                                                     std::memory_order_relaxed);
  return record;
}

OwningTeam* record_of(uint64_t number) XYLEM_REQUIRES(owners_lock) {
  OwningTeam* record = first_team;
  while (record && record->number != number) record = record->next;
  return record;
}

// A team that is in the list has not ended, and cannot end while the lock is held.
bool find_team(uint64_t number, Sight& sight) {
  base::Locked locked(owners_lock);
  const OwningTeam* record = record_of(number);
  if (record) sight = sight_of(record->team, record);
  return record != nullptr;
}

int node_of_members(const Owner& owner) {
  Sight sight;
  if (!find_team(owner.identity, sight)) return nowhere;
  const NodeList nodes = nodes_of_team(sight);
  return owner.kind == OwnerKind::team ? most_frequent(nodes)
                                       : nodes[static_cast<size_t>(owner.number)];
}

bool is_asker(Member& asker, const Owner& owner) {
  return owner.kind == OwnerKind::member && owner.number == asker.num &&
         owner.identity == record_caller(asker).number;
}

// --- bubbles -------------------------------------------------------------------------------------

bool is_inside(const Group* group, const Group& bubble) {
  while (group && group != &bubble) group = group->parent;
  return group != nullptr;
}

Group* bubble_of_number(uint64_t number) {
  struct Search {
    uint64_t number;
    Group* found;
  } search{number, nullptr};
  sched::each_group(
      [](Group& group, void* raw) {
        auto& wanted = *static_cast<Search*>(raw);
        if (group.number.load(std::memory_order_relaxed) == wanted.number) wanted.found = &group;
      },
      &search);
  return search.found;
}

int node_where_attached(const Group& bubble) {
  const Group* unit = bubble.unit();
  const int level = unit ? unit->level.load() : sched::detached;
  if (level <= 0) return nowhere;  // all of the machine
  return mem::node_of_pu(mem::machine().levels()[static_cast<size_t>(level)].first_pu);
}

// Records are never freed: of a bubble that ends meanwhile the answer is old.
int node_of_bubble(Member& asker, const Owner& owner) {
  const Group* bubble = bubble_of_number(owner.identity);
  if (!bubble) return nowhere;
  NodeList nodes;
  each_running([&](const sched::Running& running, int node) {
    if (!running.is_caller && is_inside(running.bubble, *bubble)) nodes.push_back(node);
  });
  if (is_inside(sched::group_of(*asker.thread), *bubble)) nodes.push_back(mem::current_node());
  const int running = most_frequent(nodes);
  if (running != nowhere) return running;
  const int lies = node_where_attached(*bubble);
  return lies != nowhere ? lies : owner.number;
}

}  // namespace

Owner owner_of_member(Member& caller, int number) {
  return {OwnerKind::member, number, record_caller(caller).number};
}
Owner owner_of_team(Member& caller) { return {OwnerKind::team, 0, record_caller(caller).number}; }

// Its `number` is where it was when it became the owner, as far as that was known.
Owner owner_of_bubble(Member& caller, Group& bubble) {
  Owner owner{OwnerKind::bubble, nowhere, bubble.number.load(std::memory_order_relaxed)};
  owner.number = node_of_bubble(caller, owner);
  return owner;
}

int node_of_owner(Member& asker, const Owner& owner) {
  int node = nowhere;
  if (owner.kind == OwnerKind::node)
    node = owner.number;
  else if (owner.kind == OwnerKind::bubble)
    node = node_of_bubble(asker, owner);
  else if (owner.kind != OwnerKind::none)
    node = is_asker(asker, owner) ? mem::current_node() : node_of_members(owner);
  return node >= 0 ? node : -ENOENT;
}

bool is_owner_inside(const Owner& owner, const Group& bubble) {
  if (owner.kind == OwnerKind::bubble) return is_inside(bubble_of_number(owner.identity), bubble);
  if (owner.kind != OwnerKind::member && owner.kind != OwnerKind::team) return false;
  base::Locked locked(owners_lock);
  const OwningTeam* record = record_of(owner.identity);
  return record && is_inside(record->team.group, bubble);
}

NodeList nodes_of_members(Member& caller, int parts) {
  NodeList usable = mem::usable_nodes();
  if (usable.empty()) usable.push_back(0);
  if (parts == 0) return usable;
  const Team& team = *caller.team;
  const bool outside = team.level == 0;
  const NodeList members = outside ? planned_nodes(parts) : nodes_of_team(sight_of(team, nullptr));
  NodeList nodes(static_cast<size_t>(parts));
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = members[i % members.size()];
    // Nobody can say: blocks in the order of the nodes.
    if (nodes[i] == nowhere) nodes[i] = usable[i * usable.size() / nodes.size()];
  }
  if (!outside && static_cast<size_t>(caller.num) < nodes.size())
    nodes[static_cast<size_t>(caller.num)] = mem::current_node();
  return nodes;
}

}  // namespace xylem::omp
