// An entity: what a policy places. A bubble, or a run of fibers that are all alike.
//
// Owns: Entity. Invariant (kept by check(View)): `threads`, `load` and `narrowed` of a bubble
// follow from what it holds; the entities of one bubble are contiguous and come after it.
#pragma once

#include <cstdint>

namespace xylem::plan {

enum class EntityKind : std::uint8_t {
  run,    // `count` fibers or seeds, numbered 0 .. count-1; a lone fiber is a run of 1
  bubble  // holds runs and bubbles
};

// In place of a level: suspended, on no queue that a worker looks at, until a tick of the policy
// places it (the papers' nosched_rq, paper 002, figure 2.3). Tops only.
inline constexpr int held_back = -2;

// A flat team of any size is two entities: a bubble and one run. Levels are indices in
// View::levels.
struct Entity {
  EntityKind kind = EntityKind::run;
  bool narrowed =
      false;             // bubble: something inside has a narrower `allowed` than the bubble itself
  int parent = -1;       // the bubble it belongs to, burst or not; -1 for a top of the view
  int first_child = -1;  // bubble: holds entities first_child .. first_child + child_count - 1
  int child_count = 0;
  int count = 1;         // run: number of fibers; bubble: 1
  int threads = 1;       // fibers inside, at any depth; run: count
  int allowed = 0;       // may run below this level only; the level of a PU pins it there
  int level = -1;        // where it is attached: the level of a run queue (an open bubble: where it
                         // opened), -1 in its bubble or not placed yet, or held_back
  int held_since = 0;    // rank among those held back: the lower has waited longer
  int last_pu = -1;      // logical PU where it (a bubble: its maker, or most of it) ran last; or -1
  int burst_level = -1;  // the bubble wants to open at a level of this one's kind; -1: nobody said
  int gang_level = -1;   // a top has its turns on levels of this one's kind; -1: see Tuning
  int priority = 0;      // of entities on one queue the higher goes first
  std::int64_t load = 0;  // of each fiber of a run, or of the whole bubble
};

// Load of all that the entity holds.
constexpr std::int64_t total_load(const Entity& entity) { return entity.load * entity.count; }

}  // namespace xylem::plan
