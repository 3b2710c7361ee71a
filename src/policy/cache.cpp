// Policy `cache`: the papers' Affinity (paper 002, section 2.4.4; called Cache in paper 004).
//
// From the top level down, entities are dealt out greedily by load to the levels below. A bubble
// stays whole as long as all that is there fills the processors below; only where it would leave
// some idle does it burst, as low as possible. What ran somewhere goes back there if there is room.
//
// Invariant: where nothing is pinned, min(threads, PUs) PUs below the scope get something to run,
// and cores come before their second hardware threads. A lone bubble or run takes no working
// memory.
#include <algorithm>
#include <utility>
#include <vector>

#include "policy/deal.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

using plan::Entity;
using plan::View;

class Cache {
 public:
  Cache(const View& view, plan::Plan& plan) : view_(view), plan_(plan) {}

  void place();

 private:
  const Entity& entity(const Item& item) const { return view_.entity(item.entity); }
  bool inside(const Item& item, int level) const;
  Room best_child(const Item& item, int level) const;
  bool fills(const Room& child, int level, int threads) const;

  void settle(Item item, int level);
  void settle_all(std::vector<Item> items, int level);
  void spread(Item run, int level);
  Item open(const Item& bubble, int level, std::vector<Item>& out);
  void open_among(std::vector<Item>& items, std::size_t index, int level);
  void open_torn(std::vector<Item>& items, int level);
  void emit(const Item& item, int level);
  void emit_all(std::vector<Item>& items, int level);

  const View& view_;
  plan::Plan& plan_;
};

// False if the item may not run below `level` at all.
bool Cache::inside(const Item& item, int level) const {
  int allowed = entity(item).allowed;
  return plan::lies_below(view_.levels, level, allowed) ||
         plan::lies_below(view_.levels, allowed, level);
}

// The child that a deal of this item alone would give it to, without the memory of a deal.
Room Cache::best_child(const Item& item, int level) const {
  const topo::Level& parent = view_.level(level);
  int threads = threads_of(view_, item);
  Room best = room_of(view_.levels, parent.first_child);
  for (int i = 1; i < parent.child_count; ++i) {
    Room room = room_of(view_.levels, parent.first_child + i);
    if (better(room, best, threads, load_of(view_, item), last_pu_of(view_, item))) best = room;
  }
  return best;
}

// True if so many threads keep as much busy below the child as they would below the whole level.
bool Cache::fills(const Room& child, int level, int threads) const {
  if (threads <= child.cores) return true;
  int cores = plan::cores_below(view_.levels, level);
  return std::min(threads, cores) <= child.cores &&
         std::min(threads, view_.level(level).pu_count) <= child.pus;
}

// One item alone: goes down as far as it stays whole. From outside its allowed level it starts
// there instead of at `level`.
void Cache::settle(Item item, int level) {
  for (;;) {
    if (!inside(item, level)) level = entity(item).allowed;
    Bound bound = bound_of(view_, item, level);
    int forced = bound.child >= 0 ? bound.child : bound.child_if_whole;
    if (!bound.must_burst || forced >= 0) {
      if (plan::is_pu(view_.levels, level)) return emit(item, level);
      if (forced < 0 && item.count > 1) return spread(item, level);
      Room child = forced >= 0 ? room_of(view_.levels, forced) : best_child(item, level);
      bool goes_down = bound.child >= 0 || is_run(view_, item);
      if (goes_down || fills(child, level, threads_of(view_, item))) {
        level = child.level;
        continue;
      }
    }
    std::vector<Item> several;
    item = open(item, level, several);
    if (item.entity < 0) return settle_all(std::move(several), level);
  }
}

// Several items: deals them out to the children of `level`, bursts what leaves PUs idle, one
// bubble at a time, and goes on below each child.
void Cache::settle_all(std::vector<Item> items, int level) {
  open_torn(items, level);
  if (plan::is_pu(view_.levels, level)) return emit_all(items, level);
  Deal dealt;
  for (;;) {
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      if (entity(a).load != entity(b).load) return entity(a).load > entity(b).load;
      return a.entity != b.entity ? a.entity < b.entity : a.first < b.first;
    });
    dealt = deal(view_, items, level);
    int bubble = to_burst(view_, dealt);
    if (bubble < 0) break;
    std::size_t index = 0;
    while (items[index].entity != bubble) ++index;
    open_among(items, index, level);
    open_torn(items, level);
  }
  items.clear();
  for (int child = 0; child < static_cast<int>(dealt.rooms.size()); ++child) {
    std::vector<Item> share;
    for (const Item& item : dealt.items)
      if (item.child == child) share.push_back(item);
    int below = dealt.rooms[static_cast<std::size_t>(child)].level;
    if (share.size() == 1) settle(share[0], below);
    if (share.size() > 1) settle_all(std::move(share), below);
  }
}

// Members of one run over all that is below `level`, where it may run: consecutive members on
// consecutive PUs, beginning at the one where the first ran last and going round.
void Cache::spread(Item run, int level) {
  if (plan::is_pu(view_.levels, level)) return emit(run, level);
  if (run.count == 1) return settle(run, level);
  const topo::Level& parent = view_.level(level);
  int cores = run.count < parent.pu_count ? plan::cores_below(view_.levels, level) : 0;
  bool by_cores = run.count <= cores;
  int start = 0;
  for (int i = 0; i < parent.child_count; ++i) {
    const topo::Level& child = view_.level(parent.first_child + i);
    int pu = last_pu_of(view_, run) - child.first_pu;
    if (pu >= 0 && pu < child.pu_count) start = i;
  }
  EvenCut cut(run.count, by_cores ? cores : parent.pu_count, parent.child_count);
  int end = run.first + run.count;
  for (int i = 0; i < parent.child_count && run.first < end; ++i) {
    int child = parent.first_child + (start + i) % parent.child_count;
    int pus = view_.level(child).pu_count;
    run.count = cut.next(by_cores ? plan::cores_below(view_.levels, child) : pus);
    if (run.count > 0) spread(run, child);
    run.first += run.count;
  }
}

// Bursts the bubble at `level`. Returns what it held if that is one item, else appends it to `out`.
Item Cache::open(const Item& bubble, int level, std::vector<Item>& out) {
  plan_.burst(bubble.entity, level);
  const Entity& holder = entity(bubble);
  if (holder.child_count == 1) return whole(view_, holder.first_child);
  for (int i = holder.first_child; i < holder.first_child + holder.child_count; ++i) {
    Item item = whole(view_, i);
    if (inside(item, level))
      out.push_back(item);
    else
      settle(item, level);
  }
  return {};
}

// Bursts the bubble items[index] and puts what it held into `items` in its stead.
void Cache::open_among(std::vector<Item>& items, std::size_t index, int level) {
  Item bubble = items[index];
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  Item only = open(bubble, level, items);
  if (only.entity < 0) return;
  if (inside(only, level))
    items.push_back(only);
  else
    settle(only, level);
}

// Opens, until there are none, bubbles that hold entities of narrower allowed levels and have no
// child that they must go to: among several, room is counted for each such entity by itself.
void Cache::open_torn(std::vector<Item>& items, int level) {
  for (std::size_t i = 0; i < items.size();) {
    if (bound_of(view_, items[i], level).must_burst)
      open_among(items, i, level);
    else
      ++i;
  }
}

void Cache::emit(const Item& item, int level) {
  if (is_run(view_, item))
    plan_.move_members(item.entity, item.first, item.count, level);
  else
    plan_.move(item.entity, level);
}

void Cache::emit_all(std::vector<Item>& items, int level) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (entity(a).priority != entity(b).priority) return entity(a).priority > entity(b).priority;
    return a.entity != b.entity ? a.entity < b.entity : a.first < b.first;
  });
  for (const Item& item : items) emit(item, level);
}

void Cache::place() {
  std::vector<Item> tops;
  for (int i = 0; i < view_.top_count; ++i) {
    Item top = whole(view_, i);
    if (view_.top_count == 1 || !inside(top, view_.scope))
      settle(top, view_.scope);
    else
      tops.push_back(top);
  }
  if (!tops.empty()) settle_all(std::move(tops), view_.scope);
}

void place(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Cache(view, plan).place();
}

}  // namespace

constinit const Policy cache = {
    .name = "cache",
    .help = "keep teams together and near where they ran last; burst bubbles late (the default)",
    .place = place,
    .tick = nullptr,
    .steal = {plan::VictimOrder::nearest_first, plan::StealTake::top_of_tree,
              plan::StealBurst::lone, true},
    .fills_machine = true,
    .repeats = true};

}  // namespace xylem::policy
