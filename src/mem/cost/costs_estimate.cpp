// Owns: estimates of costs, and the line through measured moves. See costs_estimate.hpp.
#include "mem/cost/costs_estimate.hpp"

#include <algorithm>

namespace xylem::mem {

namespace {

// A usual machine's: its own memory, one thread. A store reads the line and has it written back.
constexpr double local_latency_ns = 80;
constexpr double local_read_ns_per_byte = 0.1;
constexpr double local_write_ns_per_byte = 0.2;
// Paper 000, section 3.2.
constexpr double paper_move_start_ns = 120'000;
constexpr double paper_move_page_ns = 11'000;

// How many times farther than local memory; as the kernel assumes where the firmware is silent.
double remoteness(const topo::Machine& machine, int from, int to) {
  const auto distance = static_cast<double>(machine.distance(from, to));
  if (distance > 0) return distance / 10;
  return from == to ? 1 : 2;
}

}  // namespace

Costs estimated_costs(const topo::Machine& machine) {
  Costs costs;
  costs.nodes = machine.node_count();
  costs.move_start_ns = paper_move_start_ns;
  costs.move_page_ns = paper_move_page_ns;
  for (int from = 0; from < costs.nodes; ++from) {
    for (int to = 0; to < costs.nodes; ++to) {
      const double times = remoteness(machine, from, to);
      const auto told = static_cast<double>(machine.latency_ns(from, to));
      costs.read_latency_ns.push_back(told > 0 ? told : local_latency_ns * times);
      costs.write_latency_ns.push_back(costs.read_latency_ns.back());
      costs.read_ns_per_byte.push_back(local_read_ns_per_byte * times);
      costs.write_ns_per_byte.push_back(local_write_ns_per_byte * times);
    }
  }
  return costs;
}

double median(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void fill_gaps(std::span<double> measured, std::span<const double> estimate) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (measured[i] > 0) scales.push_back(measured[i] / estimate[i]);
  const double scale = scales.empty() ? 1 : median(scales);
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (measured[i] <= 0) measured[i] = estimate[i] * scale;
}

Line fit_moves(std::span<const MoveSample> samples) {
  double weights = 0, x = 0, y = 0, xx = 0, xy = 0;  // sums, each weighed
  for (const MoveSample& sample : samples) {
    if (sample.ns <= 0) continue;
    const double weight = 1 / (sample.ns * sample.ns);
    weights += weight;
    x += weight * sample.pages;
    y += weight * sample.ns;
    xx += weight * sample.pages * sample.pages;
    xy += weight * sample.pages * sample.ns;
  }
  if (xx <= 0) return {};
  const Line through_origin{0, xy / xx};
  const double spread = weights * xx - x * x;
  if (spread <= 1e-9 * weights * xx) return through_origin;  // all of one size
  const Line line{(y * xx - x * xy) / spread, (weights * xy - x * y) / spread};
  if (line.slope <= 0) return {0, y / x};  // noise: larger moves took less
  return line.start < 0 ? through_origin : line;
}

}  // namespace xylem::mem
