// Owns: the comparison. See weigh.hpp.
#include "policy/weigh.hpp"

#include <cstddef>

namespace xylem::policy {

namespace {

// A way of leaving or moving threads, with the pages that it moves.
struct Way {
  std::vector<bool> move_pages;
  double cost_ns = 0;
  bool moves_threads = false;
  bool any_pages = false;
};

enum class Pages : uint8_t { stay, move, cheaper };

bool is_elsewhere(const Use& use, int node) {
  for (std::size_t other = 0; other < use.bytes.size(); ++other)
    if (static_cast<int>(other) != node && use.bytes[other] > 0) return true;
  return false;
}

// Of the pages that are not on `node` yet.
double move_cost(const Use& use, int node, const Costs& costs) {
  double bytes = 0;
  for (std::size_t other = 0; other < use.bytes.size(); ++other)
    if (static_cast<int>(other) != node) bytes += static_cast<double>(use.bytes[other]);
  return costs.move_ns(bytes / static_cast<double>(costs.page_bytes));
}

double all_local_ns(const Use& use, int node, const Costs& costs) {
  double bytes = 0;
  for (const int64_t some : use.bytes) bytes += static_cast<double>(some);
  return use.reads * costs.read_ns(node, node, bytes) +
         use.writes * costs.write_ns(node, node, bytes);
}

Way way(const Question& question, std::span<const int> nodes, Pages pages, const Costs& costs) {
  Way made;
  made.move_pages.resize(question.uses.size());
  for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
    if (nodes[thread] == question.now[thread]) continue;
    made.moves_threads = true;
    made.cost_ns += thread_move_ns;
  }
  for (std::size_t i = 0; i < question.uses.size(); ++i) {
    const Use& use = question.uses[i];
    const int node = nodes[static_cast<std::size_t>(use.thread)];
    const double stay_ns = access_ns(use, node, costs);
    bool moves = false;
    if (pages != Pages::stay && node >= 0 && is_elsewhere(use, node)) {
      const double moved_ns = move_cost(use, node, costs) + all_local_ns(use, node, costs);
      moves = pages == Pages::move || moved_ns < stay_ns;
      if (moves) made.cost_ns += moved_ns;
    }
    if (!moves) made.cost_ns += stay_ns;
    made.move_pages[i] = moves;
    made.any_pages |= moves;
  }
  return made;
}

Remedy remedy_of(const Way& way) {
  if (way.moves_threads) return way.any_pages ? Remedy::mixed : Remedy::threads;
  return way.any_pages ? Remedy::pages : Remedy::none;
}

}  // namespace

double access_ns(const Use& use, int node, const Costs& costs) {
  double sum = 0;
  for (std::size_t other = 0; other < use.bytes.size(); ++other) {
    const auto bytes = static_cast<double>(use.bytes[other]);
    if (bytes <= 0) continue;
    const int from = node >= 0 ? node : static_cast<int>(other);
    sum += use.reads * costs.read_ns(from, static_cast<int>(other), bytes) +
           use.writes * costs.write_ns(from, static_cast<int>(other), bytes);
  }
  return sum;
}

Weighing weigh(const Question& question, const Costs& costs) {
  const Way stay = way(question, question.now, Pages::stay, costs);
  Way best = stay;
  const auto consider = [&best](Way other, bool wanted) {
    if (wanted || other.cost_ns < best.cost_ns) best = static_cast<Way&&>(other);
  };
  const bool free = question.allowed == Allowed::cheapest;
  if (free || question.allowed == Allowed::pages)
    consider(way(question, question.now, free ? Pages::cheaper : Pages::move, costs), !free);
  if (!question.there.empty()) {
    if (question.allowed == Allowed::threads)
      consider(way(question, question.there, Pages::stay, costs), true);
    if (free || question.allowed == Allowed::mixed)
      consider(way(question, question.there, free ? Pages::cheaper : Pages::move, costs), !free);
  }
  return {remedy_of(best), best.move_pages, best.cost_ns, stay.cost_ns};
}

}  // namespace xylem::policy
