// Dealing entities out to the levels below one level, greedily by load (paper 002, section 2.4.3).
//
// Owns: Item, Bound and Deal. Pure functions; what is given to whom depends on numbers only.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/view.hpp"
#include "policy/room.hpp"

namespace xylem::policy {

// A bubble, or some members of a run.
struct Item {
  int entity = -1;
  int first = 0;
  int count = 1;
  int child = -1;       // index of the room that it is given to; -1: none yet
  int crowding = 0;     // Room::crowding there when it was given
  bool forced = false;  // it may run nowhere else
};

// The item that is the whole of an entity.
inline Item whole(const plan::View& view, int entity) {
  return {entity, 0, view.entity(entity).count};
}

inline bool is_run(const plan::View& view, const Item& item) {
  return view.entity(item.entity).kind == plan::EntityKind::run;
}
inline int threads_of(const plan::View& view, const Item& item) {
  return is_run(view, item) ? item.count : view.entity(item.entity).threads;
}
inline std::int64_t load_of(const plan::View& view, const Item& item) {
  return view.entity(item.entity).load * item.count;
}
// Only the first member of a run has a past.
inline int last_pu_of(const plan::View& view, const Item& item) {
  return item.first == 0 ? view.entity(item.entity).last_pu : -1;
}

// What allowed levels say about an item on the way down from `level`.
struct Bound {
  int child = -1;  // the level below that it must go to, or -1
  int child_if_whole =
      -1;  // bubble: the one it must go to unless it bursts, for what it holds; or -1
  bool must_burst = false;  // unless it goes to child_if_whole: what it holds may not stay together
};
Bound bound_of(const plan::View& view, const Item& item, int level);

// True if the bubble must burst at `level`: what it holds may not stay together, or there is one
// child below which it may, and there its threads would leave PUs idle that each by itself would
// not.
bool is_torn(const plan::View& view, const Item& item, int level);

// What decides between children with room.
enum class DealBy : std::uint8_t {
  past,  // where it ran last; runs are cut into even parts of neighbours
  load   // the least load for each PU alone
};

struct Deal {
  std::vector<Room> rooms;  // the children of the level, in order
  std::vector<Item> items;  // in the order in which they were given; runs may be cut
};

// Gives every item, in the order given but those first whose Bound names a child, to a child of
// `level`, which is no PU. No item is torn.
Deal deal(const plan::View& view, const std::vector<Item>& items, int level,
          DealBy by = DealBy::past);

// Items that differ in nothing, and ran nowhere yet, change rooms with each other: those next to
// each other go to the same or to neighbouring rooms. No room has more or less afterwards.
void keep_neighbours(const plan::View& view, Deal& deal);

// If the deal leaves PUs or cores idle that would be busy were all bubbles burst: the bubble to
// burst, which is the smallest of those that found no room and hold enough for what is missing,
// else the largest. -1 if nothing is idle or no bubble helps.
int to_burst(const plan::View& view, const Deal& deal);

// The load for each PU: of the room that has most, and of all.
double longest(const Deal& deal);
double even(const Deal& deal);

}  // namespace xylem::policy
