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

using plan::Access;
using plan::StreamLoad;

// Of all bytes from the memory of node `to`, under that load.
double stream_ns(const Use& use, int from, int to, double bytes, const Costs& costs,
                 const StreamLoad& load) {
  if (bytes <= 0) return 0;
  const std::size_t at = costs.at(from, to);
  const auto ns = [&](Access access, double latency) {
    return latency + bytes * plan::stream_ns_per_byte(costs, access, from, to, load);
  };
  return use.reads * ns(Access::read, costs.read_latency_ns[at]) +
         use.writes * ns(Access::write, costs.write_latency_ns[at]);
}

double all_local_ns(const Use& use, int node, const Costs& costs, const StreamLoad& load) {
  double bytes = 0;
  for (const int64_t some : use.bytes) bytes += static_cast<double>(some);
  return stream_ns(use, node, node, bytes, costs, load);
}

// What each thread streams, by node; `moves` says whose pages are at the thread's node.
class Traffic {
 public:
  Traffic(std::size_t threads, std::size_t nodes) : nodes_(nodes), bytes_(threads * nodes) {}
  void add(const Use& use, int node, bool moves) {
    const double times = use.reads + use.writes;
    for (std::size_t from = 0; from < use.bytes.size(); ++from) {
      const std::size_t to = moves ? static_cast<std::size_t>(node) : from;
      row(use.thread)[to] += times * static_cast<double>(use.bytes[from]);
    }
  }
  std::span<double> row(int thread) {
    return std::span(bytes_).subspan(static_cast<std::size_t>(thread) * nodes_, nodes_);
  }

 private:
  std::size_t nodes_;
  std::vector<double> bytes_;
};

// Who streams from where if threads run on `nodes` and the pages of those uses have moved.
template <typename Moves>
StreamLoad load_of(const Question& question, std::span<const int> nodes, const Costs& costs,
                   Moves moves) {
  const auto count = static_cast<std::size_t>(costs.nodes);
  StreamLoad load(count);
  if (costs.streams.empty()) return load;  // nobody asks it
  for (std::size_t node = 0; node < question.others.size(); ++node)
    load.add_local(static_cast<int>(node), question.others[node]);
  Traffic traffic(nodes.size(), count);
  for (std::size_t i = 0; i < question.uses.size(); ++i) {
    const Use& use = question.uses[i];
    const int node = nodes[static_cast<std::size_t>(use.thread)];
    traffic.add(use, node, node >= 0 && moves(i));
  }
  for (std::size_t thread = 0; thread < nodes.size(); ++thread)
    load.add(nodes[thread], traffic.row(static_cast<int>(thread)));
  return load;
}

// Which pages move: those of uses whose data is elsewhere, where that is wanted or gains more than
// it costs. What is gained is told by the loads of two machines: no pages have moved, or all have.
void choose_pages(const Question& question, std::span<const int> nodes, Pages pages,
                  const Costs& costs, Way& made) {
  const StreamLoad stay = load_of(question, nodes, costs, [](std::size_t) { return false; });
  const StreamLoad moved = load_of(question, nodes, costs, [](std::size_t) { return true; });
  for (std::size_t i = 0; i < question.uses.size(); ++i) {
    const Use& use = question.uses[i];
    const int node = nodes[static_cast<std::size_t>(use.thread)];
    if (pages == Pages::stay || node < 0 || !is_elsewhere(use, node)) continue;
    const double moved_ns = move_cost(use, node, costs) + all_local_ns(use, node, costs, moved);
    made.move_pages[i] = pages == Pages::move || moved_ns < access_ns(use, node, costs, stay);
    made.any_pages |= made.move_pages[i];
  }
}

Way way(const Question& question, std::span<const int> nodes, Pages pages, const Costs& costs) {
  Way made;
  made.move_pages.resize(question.uses.size());
  for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
    if (nodes[thread] == question.now[thread]) continue;
    made.moves_threads = true;
    made.cost_ns += thread_move_ns;
  }
  choose_pages(question, nodes, pages, costs, made);
  const StreamLoad load =
      load_of(question, nodes, costs, [&](std::size_t use) { return made.move_pages[use]; });
  for (std::size_t i = 0; i < question.uses.size(); ++i) {
    const Use& use = question.uses[i];
    const int node = nodes[static_cast<std::size_t>(use.thread)];
    made.cost_ns += made.move_pages[i]
                        ? move_cost(use, node, costs) + all_local_ns(use, node, costs, load)
                        : access_ns(use, node, costs, load);
  }
  return made;
}

Remedy remedy_of(const Way& way) {
  if (way.moves_threads) return way.any_pages ? Remedy::mixed : Remedy::threads;
  return way.any_pages ? Remedy::pages : Remedy::none;
}

}  // namespace

double access_ns(const Use& use, int node, const Costs& costs, const plan::StreamLoad& load) {
  double sum = 0;
  for (std::size_t other = 0; other < use.bytes.size(); ++other) {
    const int from = node >= 0 ? node : static_cast<int>(other);
    const auto bytes = static_cast<double>(use.bytes[other]);
    sum += stream_ns(use, from, static_cast<int>(other), bytes, costs, load);
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
