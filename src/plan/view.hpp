// What a policy sees: a machine, and the part of the entity tree that is being placed.
//
// Owns: View, what stands in it (Place, Binding, MemoryHints, Statistics, Tuning), and Forest,
// which writes the entities of a view in memory of the caller's. Invariant: a view is read only and
// held still by its caller while a policy looks at it; tops come first, the entities of a bubble
// are contiguous and have higher indices than the bubble.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plan/entity.hpp"
#include "plan/levels.hpp"
#include "plan/place_assignment.hpp"

namespace xylem::plan {

// An OpenMP place: logical PUs in the order in which the place lists them.
struct Place {
  std::span<const int> pus;
};

// What policy `places` needs to know. Without places it takes one place for each PU.
struct Binding {
  std::span<const Place> places;
  PlaceBinding how = PlaceBinding::close;
  PlacePartition partition;  // of the encountering thread; count 0 means all places
  int parent_place = -1;     // where that thread runs; -1: the place of the team's last_pu
};

// What policy `memory` needs to know: how many bytes each entity has on each memory node.
struct MemoryHints {
  std::span<const int> nodes;  // level of each node by its number; -1: it has no PUs
  // bytes[entity * nodes.size() + node]. Of a run: of all its members. Of a bubble: what is not
  // said of the entities inside. Empty: nobody said.
  std::span<const std::int64_t> bytes;
  // distances[from * nodes.size() + to]: as topo::Machine::distance(). Empty: not known.
  std::span<const std::uint64_t> distances = {};
};

// What is known of an entity whose threads run already (paper 002, section 2.3.1).
struct Use {
  int running = 0;          // threads that ran when the runtime looked last
  std::int64_t cpu_ns = 0;  // processor time of all its threads until then
  std::int64_t misses = 0;  // likewise cache misses
};

// What hooks see besides. Empty where nothing runs yet, or nobody knows.
struct Statistics {
  std::span<const Use> uses;  // by entity; of a run all 0: what is known is its bubble's
  std::span<const std::int64_t> idle_ns;  // by PU: since when it has nothing to run; 0: it runs
  bool counts_misses = false;             // else those of `uses` say nothing
};

// Numbers that the user may set for a policy.
struct Tuning {
  // `spread` bursts a bubble of more than this share, in percent, of the load that one level below
  // would get if all were even. Less balances better, more keeps teams together.
  int too_big_percent = 100;
  // `gang` gives turns on each level of this kind; a cache of this depth, 0: the largest. The
  // machine: on the scope as a whole.
  topo::LevelKind gang_kind = topo::LevelKind::machine;
  int gang_cache_depth = 0;
};

struct View {
  Levels levels;                     // levels[0] is the machine
  std::span<const Entity> entities;  // breadth-first: tops, then what they hold
  int top_count = 0;                 // entities[0 .. top_count-1] are to be placed, whole
  int scope = 0;                     // below this level, wherever they lie now
  Binding binding = {};
  MemoryHints memory = {};
  Tuning tuning = {};
  Statistics statistics = {};

  const Entity& entity(int index) const { return entities[static_cast<std::size_t>(index)]; }
  const topo::Level& level(int index) const { return at(levels, index); }
};

// Level below which all that the bubble narrows (`allowed` narrower than the bubble's own) may run
// in common, and whether one of them is narrower still. level is -1 if nothing is narrowed.
// Walks the bubble, and only a bubble that says it is `narrowed`.
struct Narrowing {
  int level = -1;
  bool deeper = false;
};
Narrowing narrowing(const View& view, int bubble);

// Writes entities breadth-first in `memory`. Invariant: count() <= memory.size().
class Forest {
 public:
  explicit Forest(std::span<Entity> memory) : memory_(memory) {}

  // Adds an entity that belongs to bubble `parent` (-1: a top) and returns its index, or -1 when
  // the memory is full or the order is not breadth-first: all tops, then the children of each
  // bubble in turn. Of `entity` the fields about the tree (parent, children, threads) are
  // overwritten.
  int add(int parent, Entity entity);

  // Call once after the last add(): derives threads, allowed levels (a bubble's own holds for what
  // it contains), `narrowed`, and the loads that are 0: a fiber's is its share of the load of the
  // nearest bubble round it that has one, else 1; a bubble's is the sum. Linear.
  void finish(Levels levels);

  // The forest as a view of everything in it. Valid while the memory is.
  View view(Levels levels, int scope = 0) const;
  int count() const { return count_; }

 private:
  std::span<Entity> memory_;
  int count_ = 0;
  int tops_ = 0;
};

// The view of a flat team: one bubble that holds `members` seeds, whose maker runs on `maker_pu`
// (-1 if unknown). O(1), whatever the size. Valid while `memory` is.
View flat_team(Levels levels, std::array<Entity, 2>& memory, int members, int maker_pu);

}  // namespace xylem::plan
