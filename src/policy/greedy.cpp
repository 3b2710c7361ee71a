// The greedy recursion; see the header.
#include "policy/greedy.hpp"

#include <algorithm>
#include <utility>

namespace xylem::policy {
namespace {

using plan::Entity;
using plan::View;

// False if the entity may not run below `level` at all.
bool inside(const View& view, int index, int level) {
  int allowed = view.entity(index).allowed;
  return plan::lies_below(view.levels, level, allowed) ||
         plan::lies_below(view.levels, allowed, level);
}

std::int64_t heaviest_thread(const View& view) {
  std::int64_t most = 0;
  for (const Entity& one : view.entities)
    if (one.kind == plan::EntityKind::run) most = std::max(most, one.load);
  return most;
}

}  // namespace

Greedy::Greedy(const View& view, plan::Plan& plan, GreedyRule rule)
    : view_(view), plan_(plan), rule_(rule) {
  if (rule.too_big_percent > 0) heaviest_ = static_cast<double>(heaviest_thread(view));
}

// The child that a deal of this item alone would give it to, without the memory of a deal.
Room Greedy::best_child(const Item& item, int level) const {
  const topo::Level& parent = view_.level(level);
  int threads = threads_of(view_, item);
  int last_pu = rule_.by == DealBy::past ? last_pu_of(view_, item) : -1;
  Room best = room_of(view_.levels, parent.first_child);
  for (int i = 1; i < parent.child_count; ++i) {
    Room room = room_of(view_.levels, parent.first_child + i);
    if (better(room, best, threads, load_of(view_, item), last_pu)) best = room;
  }
  return best;
}

// True if so many threads keep as much busy below the child as they would below the whole level.
bool Greedy::fills(const Room& child, int level, int threads) const {
  if (threads <= child.cores) return true;
  int cores = plan::cores_below(view_.levels, level);
  return std::min(threads, cores) <= child.cores &&
         std::min(threads, view_.level(level).pu_count) <= child.pus;
}

// True if the item is a bubble of more load than the rule lets stay whole, where `total` is to be
// shared by the children of `level`. The largest child counts.
bool Greedy::too_big(const Item& item, std::int64_t total, int level) const {
  const topo::Level& parent = view_.level(level);
  if (rule_.too_big_percent <= 0 || is_run(view_, item) || parent.child_count == 0) return false;
  if (entity(item).child_count == 0) return false;
  int pus = 0;
  for (int i = 0; i < parent.child_count; ++i)
    pus = std::max(pus, view_.level(parent.first_child + i).pu_count);
  double share = static_cast<double>(total) * pus / parent.pu_count;
  return static_cast<double>(load_of(view_, item)) * 100 > share * rule_.too_big_percent;
}

// One item alone: goes down as far as it stays whole. From outside its allowed level it starts
// there instead of at `level`.
void Greedy::settle_one(Item item, int level) {
  for (;;) {
    if (!inside(view_, item.entity, level)) level = entity(item).allowed;
    Bound bound = bound_of(view_, item, level);
    int forced = bound.child >= 0 ? bound.child : bound.child_if_whole;
    if (!bound.must_burst || forced >= 0) {
      if (plan::is_pu(view_.levels, level)) return emit(item, level);
      if (forced < 0 && item.count > 1) return spread(item, level);
      Room child = forced >= 0 ? room_of(view_.levels, forced) : best_child(item, level);
      bool goes_down = bound.child >= 0 || is_run(view_, item);
      bool stays_whole = fills(child, level, threads_of(view_, item)) &&
                         (forced >= 0 || !too_big(item, load_of(view_, item), level));
      if (goes_down || stays_whole) {
        level = child.level;
        continue;
      }
    }
    std::vector<Item> several;
    item = open(item, level, several);
    if (item.entity < 0) return settle_all(std::move(several), level);
  }
}

// The bubble of the most load among those that are too big and may go to any child; -1 if none is.
int Greedy::largest_too_big(const std::vector<Item>& items, int level) const {
  if (rule_.too_big_percent <= 0) return -1;
  std::int64_t total = 0;
  for (const Item& item : items) total += load_of(view_, item);
  for (const Item& item : items)  // the most loaded bubbles come first
    if (too_big(item, total, level) && bound_of(view_, item, level).child < 0) return item.entity;
  return -1;
}

// The most loaded first.
void Greedy::sort_by_load(std::vector<Item>& items) const {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (entity(a).load != entity(b).load) return entity(a).load > entity(b).load;
    return a.entity != b.entity ? a.entity < b.entity : a.first < b.first;
  });
}

// longest() of the deal if one bubble of the items were open.
double Greedy::longest_if_open(std::vector<Item> items, int bubble, int level) const {
  std::erase_if(items, [bubble](const Item& item) { return item.entity == bubble; });
  const Entity& holder = view_.entity(bubble);
  for (int i = holder.first_child; i < holder.first_child + holder.child_count; ++i)
    if (inside(view_, i, level)) items.push_back(whole(view_, i));
  sort_by_load(items);
  return longest(deal(view_, items, level, rule_.by));
}

// Where a child got clearly more load for each PU than is even, and than the heaviest thread, which
// nobody can divide: the least loaded bubble without which the deal is more even, of that child if
// one is there. -1 if none is, or not among the first that are tried.
int Greedy::to_even(const std::vector<Item>& items, const Deal& dealt, int level) const {
  constexpr double clearly_more = 1.05;
  if (rule_.too_big_percent <= 0) return -1;
  const double most = longest(dealt);
  const double even_load = even(dealt) * rule_.too_big_percent / 100;
  if (most <= clearly_more * std::max(heaviest_, even_load)) return -1;
  int tries = 16;
  for (const bool of_fullest : {true, false})
    for (auto item = dealt.items.rbegin(); item != dealt.items.rend() && tries > 0; ++item) {
      const Room& room = dealt.rooms[static_cast<std::size_t>(item->child)];
      if (is_run(view_, *item) || item->forced || entity(*item).child_count == 0) continue;
      if ((room.load_with(0) == most) != of_fullest) continue;
      if (longest_if_open(items, item->entity, level) < most) return item->entity;
      --tries;
    }
  return -1;
}

// Deals the items out to the children of `level`, and bursts what is too big, leaves PUs idle, or
// leaves the deal uneven, one bubble at a time.
Deal Greedy::deal_and_burst(std::vector<Item>& items, int level) {
  for (;;) {
    sort_by_load(items);
    int bubble = largest_too_big(items, level);
    Deal dealt;
    if (bubble < 0) {
      dealt = deal(view_, items, level, rule_.by);
      bubble = to_burst(view_, dealt);
    }
    if (bubble < 0) bubble = to_even(items, dealt, level);
    if (bubble < 0) {
      if (rule_.by == DealBy::past) keep_neighbours(view_, dealt);
      return dealt;
    }
    open_among(items, bubble, level);
    open_torn(items, level);
  }
}

// Several items: deals them out to the children of `level` and goes on below each child.
void Greedy::settle_all(std::vector<Item> items, int level) {
  open_torn(items, level);
  if (plan::is_pu(view_.levels, level)) return emit_all(items, level);
  Deal dealt = deal_and_burst(items, level);
  items.clear();
  for (int child = 0; child < static_cast<int>(dealt.rooms.size()); ++child) {
    std::vector<Item> share;
    for (const Item& item : dealt.items)
      if (item.child == child) share.push_back(item);
    int below = dealt.rooms[static_cast<std::size_t>(child)].level;
    if (share.size() == 1) settle_one(share[0], below);
    if (share.size() > 1) settle_all(std::move(share), below);
  }
}

// Members of one run over all that is below `level`, where it may run: consecutive members on
// consecutive PUs, beginning at the one where the first ran last and going round.
void Greedy::spread(Item run, int level) {
  if (plan::is_pu(view_.levels, level)) return emit(run, level);
  if (run.count == 1) return settle_one(run, level);
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
Item Greedy::open(const Item& bubble, int level, std::vector<Item>& out) {
  plan_.burst(bubble.entity, level);
  const Entity& holder = entity(bubble);
  if (holder.child_count == 1) return whole(view_, holder.first_child);
  for (int i = holder.first_child; i < holder.first_child + holder.child_count; ++i) {
    Item item = whole(view_, i);
    if (inside(view_, item.entity, level))
      out.push_back(item);
    else
      settle_one(item, level);
  }
  return {};
}

// Bursts the bubble, one of the items, and puts what it held into `items` in its stead.
void Greedy::open_among(std::vector<Item>& items, int bubble, int level) {
  auto at = std::find_if(items.begin(), items.end(),
                         [&](const Item& item) { return item.entity == bubble; });
  Item item = *at;
  items.erase(at);
  Item only = open(item, level, items);
  if (only.entity < 0) return;
  if (inside(view_, only.entity, level))
    items.push_back(only);
  else
    settle_one(only, level);
}

// Opens bubbles that are torn, until there are none.
void Greedy::open_torn(std::vector<Item>& items, int level) {
  for (std::size_t i = 0; i < items.size();) {
    if (is_torn(view_, items[i], level))
      open_among(items, items[i].entity, level);
    else
      ++i;
  }
}

void Greedy::emit(const Item& item, int level) {
  if (is_run(view_, item))
    plan_.move_members(item.entity, item.first, item.count, level);
  else
    plan_.move(item.entity, level);
}

void Greedy::emit_all(std::vector<Item>& items, int level) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (entity(a).priority != entity(b).priority) return entity(a).priority > entity(b).priority;
    return a.entity != b.entity ? a.entity < b.entity : a.first < b.first;
  });
  for (const Item& item : items) emit(item, level);
}

void Greedy::settle(const std::vector<Item>& items, int level) {
  std::vector<Item> here;
  for (const Item& item : items) {
    if (items.size() == 1 || !inside(view_, item.entity, level))
      settle_one(item, level);
    else
      here.push_back(item);
  }
  if (!here.empty()) settle_all(std::move(here), level);
}

void Greedy::place() {
  if (view_.top_count == 1) return settle_one(whole(view_, 0), view_.scope);
  std::vector<Item> tops;
  tops.reserve(static_cast<std::size_t>(view_.top_count));
  for (int i = 0; i < view_.top_count; ++i) tops.push_back(whole(view_, i));
  settle(tops, view_.scope);
}

}  // namespace xylem::policy
