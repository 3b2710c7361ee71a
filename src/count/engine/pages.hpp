// Owns: where pages go by who accesses them (paper 001, section 3.1): after an iteration each page
// goes to the node where the worst total latency of any node's accesses to it is least. Pure
// functions, and the history that tells pages that bounce.
//
// Invariant: planned again with the same accesses and the homes that a plan gave, nothing moves,
// unless the plan left out moves for want of room or because all together did not pay.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/table/by_thread.hpp"
#include "count/table/counts.hpp"
#include "plan/costs.hpp"

namespace xylem::count {

enum class MoveReason : uint8_t {
  latency,  // its worst total latency gets less
  balance   // its home serves too many accesses, and elsewhere the page is nearly as good
};

struct PageMove {
  uint64_t page = 0;
  int from = 0;
  int to = 0;
  MoveReason reason = MoveReason::latency;
  double gain_ns = 0;  // an iteration; > 0

  bool operator==(const PageMove&) const = default;
};

// Which pages moved before. A page bounces when it moves back to the node that it left last. One
// that bounced `bounces_to_freeze` times is frozen: it stays, whoever accesses it. So is one that
// `misses_to_freeze` times in a row did not come to where it was sent.
class PageHistory {
 public:
  static constexpr int bounces_to_freeze = 2;
  static constexpr int misses_to_freeze = 3;

  // Moves that were made; each page at most once.
  void record(std::span<const PageMove> moves);
  // Moves that were asked for, and whose pages did not come: something else in the system had them
  // for the moment, or they cannot move at all. Each page at most once.
  void miss(std::span<const PageMove> moves);
  bool is_frozen(uint64_t page) const;
  // Of pages [first, first + count), as they are unmapped or used anew.
  void forget(uint64_t first, uint64_t count);

 private:
  struct Entry {
    uint64_t page = 0;
    int left = -1;  // the node that it left last; -1: none yet
    int bounces = 0;
    int misses = 0;  // since it came last
  };
  const Entry* find(uint64_t page) const;
  void put(std::vector<Entry> fresh);  // in place of what is known of their pages

  std::vector<Entry> entries_;  // by page
};

struct PageRules {
  // A page is contested if a home that is not the best makes the worst latency longer by at most
  // this share of what the nearest other node makes one access longer. So pages of one node alone
  // never are, however near the nodes are to each other. Contested pages are dealt out so that
  // nodes are balanced.
  double contested = 0.25;
  // No contested page goes to a node that would serve more than so many times the mean of all
  // nodes' accesses, as long as there is another home for it.
  double overload = 1.2;
};

struct PageQuestion {
  std::span<const Cell> cells;               // of pages, sorted; accesses of one iteration
  std::span<const PageHome> homes;           // sorted; pages that are not in it stay
  const plan::Costs& costs;                  // for as many nodes as there are
  double iterations_left = 0;                // how often the gain of a move comes
  const PageHistory* history = nullptr;      // null: no page is frozen
  std::span<const int64_t> free_pages = {};  // by node; empty: there is room for all
  PageRules rules = {};
};

struct PagePlan {
  std::vector<PageMove> moves;  // by page
  // What the moves bring in the iterations that are left, less what they cost.
  double net_gain_ns = 0;
  // Accesses that each node's memory serves in an iteration, once the moves are made.
  std::vector<double> served;
  // Pages that stay although they have a better home:
  uint64_t frozen = 0;
  uint64_t not_worth_it = 0;
  uint64_t no_room = 0;
};

// 1 <= costs.nodes; cells and homes name nodes below it.
PagePlan plan_pages(const PageQuestion& question);

// The accesses that a node's memory serves: by threads on the node, and by others (paper 001, the
// two parts of the bars of Figures 2, 5 and 9).
struct Served {
  double local = 0;
  double remote = 0;
};
// By node. Accesses to pages that have no home in `homes` are left out.
std::vector<Served> served(std::span<const Cell> cells, std::span<const PageHome> homes, int nodes);

}  // namespace xylem::count
