// The greedy recursion of `cache`, `spread` and `memory`: entities are dealt out to the levels
// below, what is too big bursts, and the same happens below each child (paper 002,
// sections 2.4.3, 2.4.4).
//
// Owns: Greedy. Invariant: where nothing is pinned, min(threads, PUs) PUs below the level get
// something to run, and cores come before their second hardware threads.
#pragma once

#include <vector>

#include "plan/plan.hpp"
#include "policy/deal.hpp"

namespace xylem::policy {

struct GreedyRule {
  DealBy by = DealBy::past;
  // A bubble of more than this share of a child's even load bursts, in percent, and one that leaves
  // a child clearly more than that bursts where this helps; 0: load bursts none.
  int too_big_percent = 0;
};

class Greedy {
 public:
  Greedy(const plan::View& view, plan::Plan& plan, GreedyRule rule = {});

  // Every top of the view below its scope.
  void place();
  // What `items` holds below `level`; what may not run there goes to where it may. One bubble or
  // run alone takes no working memory.
  void settle(const std::vector<Item>& items, int level);

 private:
  const plan::Entity& entity(const Item& item) const { return view_.entity(item.entity); }
  Room best_child(const Item& item, int level) const;
  bool fills(const Room& child, int level, int threads) const;
  bool too_big(const Item& item, std::int64_t total, int level) const;
  int largest_too_big(const std::vector<Item>& items, int level) const;
  void sort_by_load(std::vector<Item>& items) const;
  int to_even(const std::vector<Item>& items, const Deal& dealt, int level) const;
  double longest_if_open(std::vector<Item> items, int bubble, int level) const;

  void settle_one(Item item, int level);
  void settle_all(std::vector<Item> items, int level);
  void spread(Item run, int level);
  Item open(const Item& bubble, int level, std::vector<Item>& out);
  void open_among(std::vector<Item>& items, int bubble, int level);
  void open_torn(std::vector<Item>& items, int level);
  Deal deal_and_burst(std::vector<Item>& items, int level);
  void emit(const Item& item, int level);
  void emit_all(std::vector<Item>& items, int level);

  const plan::View& view_;
  plan::Plan& plan_;
  GreedyRule rule_;
  double heaviest_ = 0;  // the load of one thread; known where load bursts bubbles
};

}  // namespace xylem::policy
