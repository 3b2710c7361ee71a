// Owns: which pairs of nodes are measured, from which processors, and in which
// time. See costs_measure.hpp.
#include "mem/cost/costs_measure.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "mem/cost/costs_crowd.hpp"
#include "mem/cost/costs_estimate.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/cost/costs_probe.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/kept_file.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"

namespace xylem::mem {

namespace {

constexpr std::size_t access_bytes = 8 << 20;
constexpr std::size_t move_sizes[] = {1, 4, 16, 64, 256, 1024};  // in pages
constexpr std::size_t most_pages = 1024;
constexpr int move_runs = 5;
constexpr int most_move_pairs = 8;

// The processor to measure a node's access from, by the kernel's number; -1: it has none that the
// process may use. A bank beside another (same level) has that one's; hwloc
// shows a node without processors beside the nearest.
int processor_of(const topo::Machine& machine, int node) {
  const int level = machine.node(node).level;
  for (const topo::Pu& pu : machine.pus()) {
    const bool near = pu.node >= 0 && machine.node(pu.node).level == level;
    if (level >= 0 && near && pu.allowed) return pu.os_index;
  }
  return -1;
}

std::array<std::vector<double>*, 4> matrices(Costs& costs) {
  return {&costs.read_latency_ns, &costs.write_latency_ns, &costs.read_ns_per_byte,
          &costs.write_ns_per_byte};
}

class Measurement {
 public:
  Measurement(const topo::Machine& machine, const MeasureOptions& options)
      : machine_(machine),
        options_(options),
        nodes_(machine.node_count()),
        deadline_(os::now_ns() + options.budget_ns),
        costs_(estimated_costs(machine)) {}

  // On a thread of its own, whose binding it changes.
  void run() {
    Costs estimate = costs_;
    for (auto* matrix : matrices(costs_)) std::fill(matrix->begin(), matrix->end(), 0);
    for (int to = 0; to < nodes_ && time_is_left(); ++to) measure_memory_of(to);
    if (costs_.measured_pairs == 0) return;
    for (std::size_t i = 0; i < 4; ++i) fill_gaps(*matrices(costs_)[i], *matrices(estimate)[i]);
    measure_moves();
    costs_.streams = measure_streams(machine_, deadline_);
    costs_.page_bytes = os::page_size();
    costs_.measured = true;
    costs_.measured_at = os::seconds_since_1970();
  }

  const Costs& costs() const { return costs_; }
  const char* obstacle() const {
    if (costs_.measured) return nullptr;
    if (refusal_ == -ENOMEM) return "there is no memory to measure with";
    if (refusal_ != 0) return "the kernel refuses to place pages on nodes";
    return "no node has both memory and processors that this process may use";
  }

 private:
  bool time_is_left() const { return os::now_ns() < deadline_; }

  // With one node there is nothing to ask the kernel for.
  int kernel_node(int node) const { return nodes_ > 1 ? machine_.node(node).os_index : -1; }

  void measure_memory_of(int to) {
    if (machine_.node(to).bytes == 0) return;
    ProbeArea region(access_bytes, true);
    const int error = region.is_there() ? region.place(kernel_node(to)) : -ENOMEM;
    if (error != 0) {
      refusal_ = error;
      return;
    }
    for (int from = 0; from < nodes_ && time_is_left(); ++from) measure_pair(region, from, to);
  }

  void measure_pair(const ProbeArea& region, int from, int to) {
    const int processor = processor_of(machine_, from);
    if (processor < 0 || os::bind_to_cpu(processor) != 0) return;
    const AccessTimes times = time_access(region);
    const std::size_t at = costs_.at(from, to);
    costs_.read_latency_ns[at] = times.read_latency_ns;
    costs_.write_latency_ns[at] = times.write_latency_ns;
    costs_.read_ns_per_byte[at] = times.read_ns_per_byte;
    costs_.write_ns_per_byte[at] = times.write_ns_per_byte;
    ++costs_.measured_pairs;
    if (options_.progress) options_.progress(costs_.measured_pairs, nodes_ * nodes_);
  }

  void measure_moves() {
    std::vector<MoveSample> samples;
    int pairs = 0;
    for (int from = 0; from < nodes_ && nodes_ > 1 && pairs < most_move_pairs; ++from) {
      const int to = (from + 1) % nodes_;
      if (machine_.node(from).bytes == 0 || machine_.node(to).bytes == 0) continue;
      if (measure_moves_between(from, to, samples)) ++pairs;
    }
    const Line line = fit_moves(samples);
    if (line.slope <= 0) return;
    costs_.move_start_ns = line.start;
    costs_.move_page_ns = line.slope;
    costs_.moves_measured = true;
  }

  // Adds one sample for each size: the least time of several moves there, and
  // back in between.
  bool measure_moves_between(int from, int to, std::vector<MoveSample>& samples) const {
    ProbeArea region(most_pages * os::page_size(), false);
    if (!region.is_there() || region.place(kernel_node(from)) != 0) return false;
    for (const std::size_t pages : move_sizes) {
      double least = -1;
      for (int run = 0; run < move_runs; ++run) {
        const double there = time_move(region, pages, kernel_node(to));
        const double back = time_move(region, pages, kernel_node(from));
        if (there < 0 || back < 0) return false;
        const double took = std::min(there, back);
        if (least < 0 || took < least) least = took;
      }
      samples.push_back({static_cast<double>(pages), least});
    }
    return true;
  }

  const topo::Machine& machine_;
  const MeasureOptions& options_;
  const int nodes_;
  const int64_t deadline_;
  Costs costs_;
  int refusal_ = 0;
};

struct Job {
  Measurement* measurement;
  // 1 when the thread is done with the job; written by it, read by who waits.
  std::atomic<uint32_t> done{0};
};

void run_job(void* raw) {
  auto* job = static_cast<Job*>(raw);
  job->measurement->run();
  auto* word = &job->done;
  word->store(1, std::memory_order_release);  // pairs with the acquire in measure_costs
  os::futex_wake(word, 1);                    // by address alone: the job may be gone
}

}  // namespace

const char* measure_costs(const topo::Machine& machine, const MeasureOptions& options,
                          Costs& costs) {
  if (machine.synthetic()) return "this machine is synthetic";
  Measurement measurement(machine, options);
  Job job{&measurement};
  if (os::start_thread(run_job, &job, os::all_signals) != 0) return "no thread can be started";
  while (job.done.load(std::memory_order_acquire) == 0)  // pairs with the release in run_job
    os::futex_wait(&job.done, 0);
  if (const char* obstacle = measurement.obstacle()) return obstacle;
  costs = measurement.costs();
  round_as_kept(costs);
  return nullptr;
}

}  // namespace xylem::mem
