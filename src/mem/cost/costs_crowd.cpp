// Owns: crowds of kernel threads that stream at once. See costs_crowd.hpp.
//
// The threads of a crowd meet before each run: a counter that only grows, which each of them adds
// to and then watches. They are more often as many as processors than not, so they watch it awake;
// after a while they yield.
#include "mem/cost/costs_crowd.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/relax.hpp"
#include "mem/cost/costs_probe.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"

namespace xylem::mem {

namespace {

constexpr int runs = 3;
constexpr int most_nodes_measured = 4;
constexpr std::size_t all_bytes = 64 << 20;
constexpr std::size_t least_bytes = 256 << 10;
constexpr std::size_t most_bytes = 4 << 20;

enum Gate : uint32_t { closed, open, given_up };

struct Crowd;

struct Member {
  Crowd* crowd = nullptr;
  const Streamer* streamer = nullptr;
  CrowdTimes times;
};

struct Crowd {
  std::size_t bytes = 0;
  std::vector<Member> members;
  std::atomic<uint32_t> gate{closed};  // by who made the crowd (release), read by all (acquire)
  // relaxed additions would do for counting; acquire and release keep each run's accesses apart.
  std::atomic<uint32_t> arrived{0};
  std::atomic<bool> failed{false};  // by members, read when all have left
  std::atomic<uint32_t> inside{0};  // members that have not left; the last one wakes the maker

  void meet(uint32_t time) {
    arrived.fetch_add(1, std::memory_order_acq_rel);
    const uint32_t wanted = time * static_cast<uint32_t>(members.size());
    for (int turn = 0; arrived.load(std::memory_order_acquire) < wanted; ++turn)
      turn < 1000 ? base::relax() : os::yield_to_kernel();
  }
};

void run_member(Member& member) {
  Crowd& crowd = *member.crowd;
  const Streamer& streamer = *member.streamer;
  ProbeArea area(crowd.bytes, false);
  const bool ready = area.is_there() && os::bind_to_cpu(streamer.processor) == 0 &&
                     (streamer.anywhere ? area.place(-1) : area.place_over(streamer.memory)) == 0;
  if (!ready) crowd.failed.store(true, std::memory_order_relaxed);  // `inside` publishes it
  for (uint32_t run = 0; run < 2 * runs; ++run) {
    const bool reads = run % 2 == 0;
    if (ready) area.flush();
    crowd.meet(run + 1);
    if (!ready) continue;
    const double ns = reads ? time_reading(area) : time_writing(area);
    double& least = reads ? member.times.read_ns_per_byte : member.times.write_ns_per_byte;
    if (least == 0 || ns < least) least = ns;
  }
}

void enter(void* raw) {
  auto& member = *static_cast<Member*>(raw);
  Crowd& crowd = *member.crowd;
  while (crowd.gate.load(std::memory_order_acquire) == closed) os::futex_wait(&crowd.gate, closed);
  if (crowd.gate.load(std::memory_order_relaxed) == open) run_member(member);  // it stays so
  auto* inside = &crowd.inside;
  // Release pairs with the acquire in wait_for_all. The crowd may be gone when the word is 0.
  if (inside->fetch_sub(1, std::memory_order_acq_rel) == 1) os::futex_wake(inside, 1);
}

void open_gate(Crowd& crowd, Gate gate) {
  crowd.gate.store(gate, std::memory_order_release);
  os::futex_wake(&crowd.gate, __INT_MAX__);
}

void wait_for_all(Crowd& crowd) {
  uint32_t inside;
  while ((inside = crowd.inside.load(std::memory_order_acquire)) != 0)
    os::futex_wait(&crowd.inside, inside);
}

// False if a thread cannot be started: then none of them has streamed.
bool run(Crowd& crowd) {
  crowd.inside.store(static_cast<uint32_t>(crowd.members.size()), std::memory_order_relaxed);
  uint32_t started = 0;
  for (Member& member : crowd.members) {
    if (os::start_thread(enter, &member, os::all_signals) != 0) break;
    ++started;
  }
  const bool all = started == crowd.members.size();
  crowd.inside.fetch_sub(static_cast<uint32_t>(crowd.members.size()) - started);
  open_gate(crowd, all ? open : given_up);
  wait_for_all(crowd);
  return all && !crowd.failed.load(std::memory_order_relaxed);  // `inside` published it
}

}  // namespace

CrowdTimes time_crowd(std::span<const Streamer> streamers) {
  Crowd crowd;
  const std::size_t share = all_bytes / std::max<std::size_t>(1, streamers.size());
  crowd.bytes = std::clamp(share / least_bytes * least_bytes, least_bytes, most_bytes);
  for (const Streamer& one : streamers) crowd.members.push_back({&crowd, &one, {}});
  if (!run(crowd)) return {};
  CrowdTimes mean;
  int counted = 0;
  for (const Member& member : crowd.members) {
    if (!member.streamer->counts) continue;
    mean.read_ns_per_byte += member.times.read_ns_per_byte;
    mean.write_ns_per_byte += member.times.write_ns_per_byte;
    ++counted;
  }
  if (counted == 0) return {};
  return {mean.read_ns_per_byte / counted, mean.write_ns_per_byte / counted};
}

// --- one machine ---------------------------------------------------------------------------------

namespace {

using plan::Access;
using plan::Memory;
using plan::NodeStreams;
using plan::Others;

// Processors that the process may use, by node; none where the node has no memory.
using Processors = std::vector<std::vector<int>>;

Processors processors_by_node(const topo::Machine& machine) {
  Processors found(static_cast<std::size_t>(machine.node_count()));
  for (const topo::Pu& pu : machine.pus())
    if (pu.allowed && pu.node >= 0 && machine.node(pu.node).bytes > 0)
      found[static_cast<std::size_t>(pu.node)].push_back(pu.os_index);
  return found;
}

class Measurement {
 public:
  explicit Measurement(const topo::Machine& machine)
      : machine_(machine), processors_(processors_by_node(machine)) {}

  int threads_of(int node) const {
    return static_cast<int>(processors_[static_cast<std::size_t>(node)].size());
  }
  // False if the time is over, or the kernel refuses.
  bool measure(int node, int64_t deadline_ns, NodeStreams& streams) const {
    streams.threads = threads_of(node);
    for (const Memory memory : {Memory::local, Memory::elsewhere})
      for (const Others others : {Others::idle, Others::busy})
        for (std::size_t crowd = 0; crowd < 3; ++crowd) {
          if (!can_be(node, memory, others)) continue;
          if (os::now_ns() >= deadline_ns) return false;
          const CrowdTimes times = time_crowd(crowd_of(node, memory, others, crowd));
          if (times.read_ns_per_byte <= 0 || times.write_ns_per_byte <= 0) return false;
          streams.of(Access::read, memory, others)[crowd] = times.read_ns_per_byte;
          streams.of(Access::write, memory, others)[crowd] = times.write_ns_per_byte;
        }
    return true;
  }

 private:
  bool others_have_memory(int node) const {
    for (int other = 0; other < machine_.node_count(); ++other)
      if (other != node && machine_.node(other).bytes > 0) return true;
    return false;
  }
  bool others_have_threads(int node) const {
    for (int other = 0; other < machine_.node_count(); ++other)
      if (other != node && threads_of(other) > 0) return true;
    return false;
  }
  bool can_be(int node, Memory memory, Others others) const {
    return (memory == Memory::local || others_have_memory(node)) &&
           (others == Others::idle || others_have_threads(node));
  }

  void add(int node, int count, Memory memory, bool counts, std::vector<Streamer>& crowd) const {
    Streamer one;
    one.counts = counts;
    one.anywhere = machine_.node_count() == 1;
    for (int from = 0; from < machine_.node_count(); ++from)
      if ((from == node) == (memory == Memory::local) && machine_.node(from).bytes > 0)
        one.memory.add(machine_.node(from).os_index);
    for (int i = 0; i < count; ++i) {
      one.processor = processors_[static_cast<std::size_t>(node)][static_cast<std::size_t>(i)];
      crowd.push_back(one);
    }
  }
  std::vector<Streamer> crowd_of(int node, Memory memory, Others others, std::size_t size) const {
    const int all = threads_of(node);
    const int counts[] = {1, std::max(1, all / 2), all};
    std::vector<Streamer> crowd;
    add(node, counts[size], memory, true, crowd);
    for (int other = 0; others == Others::busy && other < machine_.node_count(); ++other)
      if (other != node) add(other, threads_of(other), memory, false, crowd);
    return crowd;
  }

  const topo::Machine& machine_;
  const Processors processors_;
};

}  // namespace

std::vector<NodeStreams> measure_streams(const topo::Machine& machine, int64_t deadline_ns) {
  const Measurement measurement(machine);
  const auto nodes = static_cast<std::size_t>(machine.node_count());
  std::vector<NodeStreams> streams(nodes);
  const NodeStreams* first = nullptr;
  int measured = 0;
  for (std::size_t node = 0; node < nodes && measured < most_nodes_measured; ++node) {
    if (measurement.threads_of(static_cast<int>(node)) == 0) continue;
    NodeStreams found;
    if (!measurement.measure(static_cast<int>(node), deadline_ns, found)) break;
    streams[node] = found;
    if (!first) first = &streams[node];
    ++measured;
  }
  if (!first) return {};
  for (NodeStreams& node : streams)
    if (node.threads == 0) node = *first;
  return streams;
}

}  // namespace xylem::mem
