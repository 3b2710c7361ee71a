// The greedy distribution; see the header.
#include "policy/deal.hpp"

#include <algorithm>
#include <iterator>

namespace xylem::policy {
namespace {

using plan::View;

int free_rooms(const std::vector<Room>& rooms, int (Room::*free)() const) {
  return static_cast<int>(
      std::count_if(rooms.begin(), rooms.end(), [&](const Room& r) { return (r.*free)() > 0; }));
}

// Cuts one run over the rooms: free cores first, then free PUs, then by load for each PU.
// Invariant: left_ + sum of given_ is the run's count.
class RunCut {
 public:
  RunCut(const View& view, const Item& run, std::vector<Room>& rooms)
      : rooms_(rooms),
        load_(view.entity(run.entity).load),
        left_(run.count),
        given_(rooms.size(), 0) {}

  // Even parts of neighbours, while there is room.
  void evenly() {
    for (int (Room::*free)() const : {&Room::free_cores, &Room::free_pus}) {
      int total = 0;
      for (const Room& room : rooms_) total += (room.*free)();
      if (total == 0) continue;
      EvenCut cut(std::min(left_, total), total, free_rooms(rooms_, free));
      for (std::size_t i = 0; i < rooms_.size() && left_ > 0; ++i)
        give(i, cut.next((rooms_[i].*free)()));
    }
  }

  // Member by member to the least loaded, while there is room.
  void one_by_one() {
    while (left_ > 0) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < rooms_.size(); ++i)
        if (better(rooms_[i], rooms_[best], 1, load_, -1)) best = i;
      if (rooms_[best].free_pus() == 0) return;
      give(best, 1);
    }
  }

  // What is left to the least loaded, in batches that shrink, so that a long run takes few steps
  // and still ends up level.
  void rest() {
    while (left_ > 0) {
      int batch = std::max(1, left_ / (4 * static_cast<int>(rooms_.size())));
      std::size_t best = 0;
      for (std::size_t i = 1; i < rooms_.size(); ++i)
        if (rooms_[i].load_with(load_ * batch) < rooms_[best].load_with(load_ * batch)) best = i;
      give(best, batch);
    }
  }

  // Consecutive members to each room, in the order of the rooms.
  void append_pieces(Item run, std::vector<Item>& items) const {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i] == 0) continue;
      run.count = given_[i];
      run.child = static_cast<int>(i);
      items.push_back(run);
      run.first += run.count;
    }
  }

 private:
  void give(std::size_t room, int members) {
    given_[room] += members;
    rooms_[room].give(members, load_ * members);
    left_ -= members;
  }

  std::vector<Room>& rooms_;
  std::int64_t load_;
  int left_;
  std::vector<int> given_;
};

void deal_run(const View& view, const Item& run, DealBy by, Deal& deal) {
  RunCut cut(view, run, deal.rooms);
  if (by == DealBy::load)
    cut.one_by_one();
  else
    cut.evenly();
  cut.rest();
  cut.append_pieces(run, deal.items);
}

// To `child`, a level, if that is not -1.
void deal_one(const View& view, Item item, int child, DealBy by, Deal& deal) {
  std::vector<Room>& rooms = deal.rooms;
  int threads = threads_of(view, item);
  std::int64_t load = load_of(view, item);
  int last_pu = by == DealBy::past ? last_pu_of(view, item) : -1;
  std::size_t best = 0;
  for (std::size_t i = 1; i < rooms.size(); ++i)
    if (better(rooms[i], rooms[best], threads, load, last_pu)) best = i;
  if (child >= 0) best = static_cast<std::size_t>(child - rooms[0].level);
  Room& room = rooms[best];
  item.child = static_cast<int>(best);
  item.crowding = room.crowding(threads);
  room.give(threads, load);
  deal.items.push_back(item);
}

// PUs below `level` that `waiting[l]` threads on the queue of each level l keep busy:
// busy(l) = min(PUs(l), waiting(l) + sum of busy(c) over the children c).
int busy_below(const View& view, const std::vector<int>& waiting, int level) {
  const topo::Level& top = view.level(level);
  int threads = waiting[static_cast<std::size_t>(level)];
  for (int i = 0; i < top.child_count; ++i)
    threads += busy_below(view, waiting, top.first_child + i);
  return std::min(threads, top.pu_count);
}

// Lets what is inside wait at the level that it may run below; the item may be part of a run.
// Returns the threads that may run elsewhere than below `child`, and so wait nowhere.
int add_waiting(const View& view, int index, int threads, int child, std::vector<int>& waiting) {
  const plan::Entity& entity = view.entity(index);
  if (!entity.narrowed) {
    if (!plan::lies_below(view.levels, entity.allowed, child)) return threads;
    waiting[static_cast<std::size_t>(entity.allowed)] += threads;
    return 0;
  }
  int loose = 0;
  for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i)
    loose += add_waiting(view, i, view.entity(i).threads, child, waiting);
  return loose;
}

// Deals what has no choice unless it bursts, and returns the rest. Of what is forced into a room
// only so many threads count as can run at once: ten pinned to one PU leave its neighbours free.
std::vector<Item> deal_bound(const View& view, const std::vector<Item>& items, int level,
                             Deal& deal) {
  std::vector<Item> free;
  std::vector<int> waiting, loose(deal.rooms.size(), 0);
  for (Item item : items) {
    const Bound bound = bound_of(view, item, level);
    item.forced = bound.child >= 0;
    const int child = item.forced ? bound.child : bound.child_if_whole;
    if (child < 0) {
      free.push_back(item);
      continue;
    }
    deal_one(view, item, child, DealBy::past, deal);
    waiting.resize(view.levels.size(), 0);
    loose[static_cast<std::size_t>(child - deal.rooms[0].level)] +=
        add_waiting(view, item.entity, threads_of(view, item), child, waiting);
  }
  if (waiting.empty()) return free;
  for (std::size_t i = 0; i < loose.size(); ++i) {
    Room& room = deal.rooms[i];
    room.forced = busy_below(view, waiting, room.level);
    room.threads = room.forced + loose[i];
  }
  // What was dealt first did not see what came after.
  for (Item& item : deal.items)
    item.crowding = deal.rooms[static_cast<std::size_t>(item.child)].crowding(0);
  return free;
}

struct Missing {
  int cores = 0;
  int pus = 0;
};

// Busy below a child: min(threads, room). Able, were all bubbles open: the forced ones where they
// are, the others wherever there is room. Missing is the difference.
Missing missing_in(const std::vector<Room>& rooms) {
  int loose = 0;
  Missing busy, free, able;
  for (const Room& room : rooms) {
    loose += room.threads - room.forced;
    busy.cores += std::min(room.threads, room.cores);
    busy.pus += std::min(room.threads, room.pus);
    able.cores += std::min(room.forced, room.cores);
    able.pus += std::min(room.forced, room.pus);
    free.cores += std::max(0, room.cores - room.forced);
    free.pus += std::max(0, room.pus - room.forced);
  }
  return {able.cores + std::min(loose, free.cores) - busy.cores,
          able.pus + std::min(loose, free.pus) - busy.pus};
}

// Not where something inside is pinned: only one of the rooms suits it.
bool are_alike(const View& view, const Item& a, const Item& b) {
  if (view.entity(a.entity).narrowed || view.entity(b.entity).narrowed) return false;
  return !a.forced && !b.forced && is_run(view, a) == is_run(view, b) &&
         threads_of(view, a) == threads_of(view, b) && load_of(view, a) == load_of(view, b) &&
         last_pu_of(view, a) < 0 && last_pu_of(view, b) < 0;
}

}  // namespace

void keep_neighbours(const View& view, Deal& deal) {
  const auto end = deal.items.end();
  for (auto first = deal.items.begin(); first != end;) {
    const auto last = std::find_if_not(
        first + 1, end, [&](const Item& item) { return are_alike(view, *first, item); });
    std::vector<int> children;
    std::transform(first, last, std::back_inserter(children),
                   [](const Item& item) { return item.child; });
    std::sort(children.begin(), children.end());
    for (const int child : children) (first++)->child = child;
  }
}

Bound bound_of(const View& view, const Item& item, int level) {
  const plan::Entity& entity = view.entity(item.entity);
  if (int child = plan::child_towards(view.levels, level, entity.allowed); child >= 0)
    return {child, -1, false};
  if (!entity.narrowed) return {};
  plan::Narrowing inner = plan::narrowing(view, item.entity);
  bool free = plan::lies_below(view.levels, level, inner.level) && !inner.deeper;
  return {-1, plan::child_towards(view.levels, level, inner.level), !free};
}

bool is_torn(const View& view, const Item& item, int level) {
  const Bound bound = bound_of(view, item, level);
  const int child = bound.child_if_whole;
  if (!bound.must_burst || child < 0) return bound.must_burst;
  std::vector<int> waiting(view.levels.size(), 0);
  const int threads = threads_of(view, item);
  const int loose = add_waiting(view, item.entity, threads, child, waiting);
  return busy_below(view, waiting, child) + loose < std::min(threads, view.level(child).pu_count);
}

Deal deal(const View& view, const std::vector<Item>& items, int level, DealBy by) {
  const topo::Level& parent = view.level(level);
  Deal deal;
  for (int i = 0; i < parent.child_count; ++i)
    deal.rooms.push_back(room_of(view.levels, parent.first_child + i));
  for (const Item& item : deal_bound(view, items, level, deal)) {
    if (item.count > 1)
      deal_run(view, item, by, deal);
    else
      deal_one(view, item, -1, by, deal);
  }
  return deal;
}

int to_burst(const View& view, const Deal& deal) {
  Missing missing = missing_in(deal.rooms);
  if (missing.cores <= 0 && missing.pus <= 0) return -1;
  int needed = std::max(missing.cores, missing.pus);
  int crowded = missing.cores > 0 ? 1 : 2;
  int best = -1;
  int best_threads = 0;
  for (const Item& item : deal.items) {
    if (is_run(view, item) || item.forced || item.crowding < crowded) continue;
    int threads = threads_of(view, item);
    bool best_enough = best_threads > needed;
    // Of equals the later one, so that what was dealt first stays whole.
    bool wins = threads > needed ? !best_enough || threads <= best_threads
                                 : !best_enough && threads >= best_threads;
    if (best >= 0 && !wins) continue;
    best = item.entity;
    best_threads = threads;
  }
  return best;
}

double longest(const Deal& deal) {
  const auto less = [](const Room& a, const Room& b) { return a.load_with(0) < b.load_with(0); };
  return std::max_element(deal.rooms.begin(), deal.rooms.end(), less)->load_with(0);
}

double even(const Deal& deal) {
  double load = 0;
  int pus = 0;
  for (const Room& room : deal.rooms) {
    load += static_cast<double>(room.load);
    pus += room.pus;
  }
  return load / pus;
}

}  // namespace xylem::policy
