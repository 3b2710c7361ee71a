// Owns: the page engine. See pages.hpp.
#include "count/engine/pages.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace xylem::count {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

// A page that is accessed and whose home is known.
struct Page {
  uint64_t page = 0;
  int home = 0;
  std::span<const Cell> cells;  // its own
  double accesses = 0;
  bool is_contested = false;
};

// The pages of the cells, by page; those that have no home are left out.
std::vector<Page> pages_of(std::span<const Cell> cells, std::span<const PageHome> homes) {
  std::vector<Page> pages;
  std::size_t home = 0;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    double accesses = 0;
    for (end = begin; end < cells.size() && cells[end].row == cells[begin].row; ++end)
      accesses += static_cast<double>(cells[end].accesses());
    const uint64_t page = cells[begin].row;
    while (home < homes.size() && homes[home].page < page) ++home;
    if (home < homes.size() && homes[home].page == page)
      pages.push_back({page, homes[home].node, cells.subspan(begin, end - begin), accesses, false});
  }
  return pages;
}

// What a page would cost on a node, in nanoseconds an iteration.
struct Latency {
  double worst = 0;  // of the node whose accesses take longest in all
  double total = 0;  // of all nodes
};

// By how much an access to the nearest other node takes longer than one to the own node: 1 is twice
// as long. Of the pair of nodes for which it is least; not below 0.
double least_penalty(const plan::Costs& costs) {
  double least = std::numeric_limits<double>::infinity();
  for (int node = 0; node < costs.nodes; ++node)
    for (int home = 0; home < costs.nodes; ++home)
      if (home != node)
        least = std::min(least, costs.read_latency_ns[costs.at(node, home)] /
                                    costs.read_latency_ns[costs.at(node, node)]);
  return costs.nodes > 1 ? std::max(least - 1, 0.0) : 0;
}

class Planner {
 public:
  explicit Planner(const PageQuestion& question)
      : question_(question),
        nodes_(question.costs.nodes),
        pages_(pages_of(question.cells, question.homes)),
        latencies_(index_of(nodes_)),
        most_good_(1 + question.rules.contested * least_penalty(question.costs)) {
    plan_.served.resize(index_of(nodes_));
    double accesses = 0;
    for (const Page& page : pages_) accesses += page.accesses;
    most_served_ = question.rules.overload * accesses / nodes_;
  }

  PagePlan run() {
    std::vector<const Page*> contested;
    for (Page& page : pages_) {
      fill_latencies(page);
      page.is_contested = is_contested();
      if (page.is_contested && !is_frozen(page))
        contested.push_back(&page);
      else
        settle(page, best_home(page));
    }
    // Pages with most accesses first, while there is room for them everywhere.
    std::stable_sort(contested.begin(), contested.end(),
                     [](const Page* a, const Page* b) { return a->accesses > b->accesses; });
    for (const Page* page : contested) {
      fill_latencies(*page);
      settle(*page, balanced_home(*page));
    }
    keep_to_room();
    weigh_all();
    std::sort(plan_.moves.begin(), plan_.moves.end(),
              [](const PageMove& a, const PageMove& b) { return a.page < b.page; });
    return std::move(plan_);
  }

 private:
  void fill_latencies(const Page& page) {
    const plan::Costs& costs = question_.costs;
    for (int home = 0; home < nodes_; ++home) {
      Latency& latency = latencies_[index_of(home)] = {};
      for (const Cell& cell : page.cells) {
        const std::size_t pair = costs.at(cell.node, home);
        const double ns = static_cast<double>(cell.reads) * costs.read_latency_ns[pair] +
                          static_cast<double>(cell.writes) * costs.write_latency_ns[pair];
        latency.worst = std::max(latency.worst, ns);
        latency.total += ns;
      }
    }
  }
  const Latency& at(int home) const { return latencies_[index_of(home)]; }

  // The least worst latency; of equals the least total; of those the page's home, then the first.
  int best_home(const Page& page) const {
    int best = page.home;
    for (int home = 0; home < nodes_; ++home)
      if (at(home).worst < at(best).worst ||
          (at(home).worst == at(best).worst && at(home).total < at(best).total))
        best = home;
    return best;
  }
  double least_worst() const {
    double least = at(0).worst;
    for (const Latency& latency : latencies_) least = std::min(least, latency.worst);
    return least;
  }
  bool is_good(int home) const { return at(home).worst <= most_good_ * least_worst(); }
  bool is_contested() const {
    int good = 0;
    for (int home = 0; home < nodes_; ++home) good += is_good(home) ? 1 : 0;
    return good > 1;
  }
  bool is_frozen(const Page& page) const {
    return question_.history != nullptr && question_.history->is_frozen(page.page);
  }

  double served_with(const Page& page, int home) const {
    return plan_.served[index_of(home)] + page.accesses;
  }
  // Where it is, if that is good and not overloaded; else the best, if that is not overloaded; else
  // the good one that serves least.
  int balanced_home(const Page& page) const {
    if (is_good(page.home) && served_with(page, page.home) <= most_served_) return page.home;
    const int best = best_home(page);
    if (served_with(page, best) <= most_served_) return best;
    int least = best;
    for (int home = 0; home < nodes_; ++home)
      if (is_good(home) && plan_.served[index_of(home)] < plan_.served[index_of(least)])
        least = home;
    return least;
  }

  // A page's move to `home`. For the sake of balance also the time counts that its old home then no
  // longer spends on it: the node that serves most bounds the iteration.
  PageMove move_of(const Page& page, int home) const {
    PageMove move{page.page, page.home, home, MoveReason::latency,
                  at(page.home).worst - at(home).worst};
    if (page.is_contested && served_with(page, page.home) > most_served_) {
      const std::size_t local = question_.costs.at(page.home, page.home);
      move.reason = MoveReason::balance;
      move.gain_ns += page.accesses * question_.costs.read_latency_ns[local];
    }
    return move;
  }

  // Gives the page its home: the one asked for, or that it has.
  void settle(const Page& page, int home) {
    if (home != page.home && is_frozen(page)) {
      ++plan_.frozen;
      home = page.home;
    }
    if (home != page.home) {
      const PageMove move = move_of(page, home);
      if (move.gain_ns * question_.iterations_left > question_.costs.move_page_ns) {
        plan_.moves.push_back(move);
        accesses_of_moves_.push_back(page.accesses);
      } else {
        ++plan_.not_worth_it;
        home = page.home;
      }
    }
    plan_.served[index_of(home)] += page.accesses;
  }

  // Takes a move back.
  void undo(std::size_t move) {
    const PageMove& undone = plan_.moves[move];
    plan_.served[index_of(undone.to)] -= accesses_of_moves_[move];
    plan_.served[index_of(undone.from)] += accesses_of_moves_[move];
  }

  // Moves with the largest gains get the room. A page that leaves makes room for another one.
  void keep_to_room() {
    if (question_.free_pages.empty()) return;
    std::vector<int64_t> room(question_.free_pages.begin(), question_.free_pages.end());
    std::vector<std::size_t> waiting(plan_.moves.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
    std::stable_sort(waiting.begin(), waiting.end(), [this](std::size_t a, std::size_t b) {
      return plan_.moves[a].gain_ns > plan_.moves[b].gain_ns;
    });
    std::vector<PageMove> kept;
    for (std::size_t before = waiting.size() + 1; before > waiting.size();) {
      before = waiting.size();
      std::erase_if(waiting, [&](std::size_t i) {
        const PageMove& move = plan_.moves[i];
        if (room[index_of(move.to)] <= 0) return false;
        --room[index_of(move.to)];
        ++room[index_of(move.from)];
        kept.push_back(move);
        return true;
      });
    }
    for (const std::size_t left : waiting) undo(left);
    plan_.no_room = waiting.size();
    plan_.moves = std::move(kept);
  }

  // All moves together have to pay for the call that makes them.
  void weigh_all() {
    double gain_ns = 0;
    for (const PageMove& move : plan_.moves) gain_ns += move.gain_ns;
    const double cost_ns = question_.costs.move_ns(static_cast<double>(plan_.moves.size()));
    plan_.net_gain_ns = gain_ns * question_.iterations_left - cost_ns;
    if (plan_.moves.empty() || plan_.net_gain_ns > 0) return;
    plan_.not_worth_it += plan_.moves.size();
    plan_.moves.clear();
    plan_.net_gain_ns = 0;
    std::fill(plan_.served.begin(), plan_.served.end(), 0);
    for (const Page& page : pages_) plan_.served[index_of(page.home)] += page.accesses;
  }

  const PageQuestion& question_;
  int nodes_;
  std::vector<Page> pages_;
  std::vector<Latency> latencies_;  // by home, of the page that is looked at
  const double most_good_;          // times the least worst latency, for a home that is good
  double most_served_ = 0;
  std::vector<double> accesses_of_moves_;  // beside plan_.moves until keep_to_room()
  PagePlan plan_;
};

}  // namespace

PagePlan plan_pages(const PageQuestion& question) { return Planner(question).run(); }

std::vector<Served> served(std::span<const Cell> cells, std::span<const PageHome> homes,
                           int nodes) {
  std::vector<Served> made(index_of(nodes));
  for (const Page& page : pages_of(cells, homes))
    for (const Cell& cell : page.cells) {
      Served& home = made[index_of(page.home)];
      (cell.node == page.home ? home.local : home.remote) += static_cast<double>(cell.accesses());
    }
  return made;
}

// --- history
// --------------------------------------------------------------------------------------

const PageHistory::Entry* PageHistory::find(uint64_t page) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), page,
                       [](const Entry& entry, uint64_t key) { return entry.page < key; });
  return at != entries_.end() && at->page == page ? &*at : nullptr;
}

void PageHistory::record(std::span<const PageMove> moves) {
  std::vector<Entry> fresh;
  for (const PageMove& move : moves) {
    const Entry* known = find(move.page);
    const int before = known != nullptr ? known->bounces : 0;
    const bool bounces = known != nullptr && known->left == move.to;
    fresh.push_back({.page = move.page, .left = move.from, .bounces = before + bounces});
  }
  put(std::move(fresh));
}

void PageHistory::miss(std::span<const PageMove> moves) {
  std::vector<Entry> fresh;
  for (const PageMove& move : moves) {
    const Entry* known = find(move.page);
    fresh.push_back(known != nullptr ? *known : Entry{.page = move.page});
    ++fresh.back().misses;
  }
  put(std::move(fresh));
}

void PageHistory::put(std::vector<Entry> fresh) {
  const auto by_page = [](const Entry& a, const Entry& b) { return a.page < b.page; };
  std::sort(fresh.begin(), fresh.end(), by_page);
  std::vector<Entry> merged;
  merged.reserve(entries_.size() + fresh.size());
  // Of equal pages set_union takes that of the first range.
  std::set_union(fresh.begin(), fresh.end(), entries_.begin(), entries_.end(),
                 std::back_inserter(merged), by_page);
  entries_ = std::move(merged);
}

bool PageHistory::is_frozen(uint64_t page) const {
  const Entry* known = find(page);
  return known != nullptr &&
         (known->bounces >= bounces_to_freeze || known->misses >= misses_to_freeze);
}

void PageHistory::forget(uint64_t first, uint64_t count) {
  std::erase_if(entries_, [=](const Entry& entry) {
    return entry.page >= first && entry.page - first < count;
  });
}

}  // namespace xylem::count
