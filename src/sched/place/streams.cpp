// Owns: counts of threads that stream. See streams.hpp.
#include "sched/place/streams.hpp"

#include <algorithm>
#include <utility>

namespace xylem::sched {

namespace {

constinit StreamCounts all_groups;
constinit std::atomic<std::uint32_t> forks{0};  // written by a child that is alone

}  // namespace

void TeamStreams::tell(StreamCounts* group, std::vector<int> threads_by_node) {
  // What was counted before a fork the child has forgotten.
  if (process_ == forks.load(std::memory_order_relaxed)) add(-1);
  process_ = forks.load(std::memory_order_relaxed);
  group_ = group;
  threads_ = std::move(threads_by_node);
  add(1);
}

void TeamStreams::add(int sign) const {
  if (!group_) return;
  for (std::size_t node = 0; node < std::min(threads_.size(), most_stream_nodes); ++node) {
    if (threads_[node] == 0) continue;
    group_->threads[node].fetch_add(sign * threads_[node], std::memory_order_relaxed);
    all_groups.threads[node].fetch_add(sign * threads_[node], std::memory_order_relaxed);
  }
}

std::vector<double> streams_beside(const StreamCounts& own, std::size_t nodes) {
  std::vector<double> beside(nodes);
  for (std::size_t node = 0; node < std::min(nodes, most_stream_nodes); ++node) {
    const int all = all_groups.threads[node].load(std::memory_order_relaxed);
    const int ours = own.threads[node].load(std::memory_order_relaxed);
    beside[node] = std::max(0, all - ours);
  }
  return beside;
}

void forget_streams_in_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  for (std::atomic<int>& threads : all_groups.threads) threads.store(0, std::memory_order_relaxed);
}

}  // namespace xylem::sched
