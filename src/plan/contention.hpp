// Owns: what streams cost when several threads stream at once (paper 000, Table 1): what was
// measured of each memory node, who streams from where, and the pure function of both.
//
// A stream has two bounds. The controller of the memory's node serves all streams that come to it;
// the links of the thread's node carry all streams that leave it. The slower of both counts. With
// the numbers of one thread alone (Costs::read_ns_per_byte) a node that many threads read would
// look as fast as one that nobody reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xylem::plan {

struct Costs;

enum class Access : std::uint8_t { read, write };
// Whose memory the threads of a node stream from: their own node's, or all others', page by page.
enum class Memory : std::uint8_t { local, elsewhere };
// The threads of the other nodes: none of them runs, or all of them do the same.
enum class Others : std::uint8_t { idle, busy };

// Nanoseconds that a byte takes each thread while one thread, half and all threads of a node stream
// at once. 0: not measured.
using ByCrowd = std::array<double, 3>;

// Of one node. Every number is measured with the node's own threads.
struct NodeStreams {
  int threads = 0;  // that `all` means; half of them is at least 1. 0: nothing was measured
  std::array<ByCrowd, 8> ns_per_byte{};  // see at()

  static constexpr std::size_t at(Access access, Memory memory, Others others) {
    return 4 * static_cast<std::size_t>(access) + 2 * static_cast<std::size_t>(memory) +
           static_cast<std::size_t>(others);
  }
  ByCrowd& of(Access access, Memory memory, Others others) {
    return ns_per_byte[at(access, memory, others)];
  }
  const ByCrowd& of(Access access, Memory memory, Others others) const {
    return ns_per_byte[at(access, memory, others)];
  }
};

// Who streams, by node, in threads. A thread that has half of its bytes on a node is half a stream
// there.
struct StreamLoad {
  std::vector<double> on_controller;  // streams that come to the node's memory
  std::vector<double> outwards;       // streams of the node's threads to other nodes
  std::vector<double> running;        // threads of the node that stream from anywhere

  explicit StreamLoad(std::size_t nodes) : on_controller(nodes), outwards(nodes), running(nodes) {}
  // A thread of node `from` whose bytes lie as `bytes` says, by node; all 0: it streams nothing.
  void add(int from, std::span<const double> bytes);
  // `threads` threads of the node stream from its own memory.
  void add_local(int node, double threads);
};

// How many times what one thread alone takes each of `streams` threads of the node takes for a
// byte, if the share `busy` (0 .. 1) of the other nodes' threads streams too. At least 1. Between
// the crowds that were measured the time is interpolated; beyond all of the node's threads the node
// as a whole gets no faster.
double slow_down(const NodeStreams& node, Access access, Memory memory, double streams,
                 double busy);

// Nanoseconds a byte for a thread of node `from` that streams from the memory of node `to`, under
// that load. Without measured streams: as for one thread alone.
double stream_ns_per_byte(const Costs& costs, Access access, int from, int to,
                          const StreamLoad& load);

}  // namespace xylem::plan
