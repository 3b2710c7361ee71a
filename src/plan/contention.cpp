// Owns: times of streams under load. See contention.hpp.
#include "plan/contention.hpp"

#include <algorithm>

#include "plan/costs.hpp"

namespace xylem::plan {

void StreamLoad::add(int from, std::span<const double> bytes) {
  double sum = 0;
  for (const double some : bytes) sum += some;
  if (sum <= 0) return;
  for (std::size_t to = 0; to < bytes.size(); ++to) {
    const double share = bytes[to] / sum;
    on_controller[to] += share;
    if (from >= 0 && to != static_cast<std::size_t>(from))
      outwards[static_cast<std::size_t>(from)] += share;
  }
  if (from >= 0) running[static_cast<std::size_t>(from)] += 1;
}

void StreamLoad::add_local(int node, double threads) {
  on_controller[static_cast<std::size_t>(node)] += threads;
  running[static_cast<std::size_t>(node)] += threads;
}

namespace {

double between(double x, double low, double at_low, double high, double at_high) {
  return high <= low ? at_high : at_low + (at_high - at_low) * (x - low) / (high - low);
}

// Nanoseconds a byte of each of `streams` threads.
double at_crowd(const ByCrowd& times, int threads, double streams) {
  const double all = threads, half = std::max(1, threads / 2);
  if (streams <= 1) return times[0];
  if (streams <= half) return between(streams, 1, times[0], half, times[1]);
  if (streams <= all) return between(streams, half, times[1], all, times[2]);
  return times[2] * streams / all;
}

// The share of the threads of all nodes but `node` that stream.
double busy_beside(const Costs& costs, int node, const StreamLoad& load) {
  double running = 0, all = 0;
  for (std::size_t other = 0; other < costs.streams.size(); ++other) {
    if (other == static_cast<std::size_t>(node)) continue;
    const double threads = costs.streams[other].threads;
    running += std::min(load.running[other], threads);
    all += threads;
  }
  return all > 0 ? running / all : 0;
}

double alone_ns(const Costs& costs, Access access, int from, int to) {
  return (access == Access::read ? costs.read_ns_per_byte
                                 : costs.write_ns_per_byte)[costs.at(from, to)];
}

}  // namespace

double slow_down(const NodeStreams& node, Access access, Memory memory, double streams,
                 double busy) {
  const ByCrowd& idle_times = node.of(access, memory, Others::idle);
  const ByCrowd& busy_times = node.of(access, memory, Others::busy);
  if (node.threads == 0 || idle_times[0] <= 0) return 1;
  const double idle_ns = at_crowd(idle_times, node.threads, streams);
  const double busy_ns = busy_times[0] > 0 ? at_crowd(busy_times, node.threads, streams) : idle_ns;
  return std::max(1.0, (idle_ns + (busy_ns - idle_ns) * busy) / idle_times[0]);
}

double stream_ns_per_byte(const Costs& costs, Access access, int from, int to,
                          const StreamLoad& load) {
  const double alone = alone_ns(costs, access, from, to);
  if (costs.streams.empty()) return alone;
  const auto source = static_cast<std::size_t>(from), target = static_cast<std::size_t>(to);
  const double at_controller = alone_ns(costs, access, to, to) *
                               slow_down(costs.streams[target], access, Memory::local,
                                         load.on_controller[target], busy_beside(costs, to, load));
  if (from == to) return at_controller;
  const double by_links = alone * slow_down(costs.streams[source], access, Memory::elsewhere,
                                            load.outwards[source], busy_beside(costs, from, load));
  return std::max(by_links, at_controller);
}

}  // namespace xylem::plan
