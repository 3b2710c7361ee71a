// Owns: how many threads of each contention group stream from the memory of each node, as decisions
// on hints have them, and for as long as their teams are open.
//
// Invariant: the threads that a group streams with on a node are the sum over its TeamStreams, and
// those of the process the sum over the groups. All counts are relaxed: what is seen a moment too
// late makes a decision that is a region too late.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xylem::sched {

// Threads by memory node. Nodes beyond these are not counted.
inline constexpr std::size_t most_stream_nodes = 64;
struct StreamCounts {
  std::array<std::atomic<int>, most_stream_nodes> threads{};
};

// What one team streams with. By one of its members at a time.
class TeamStreams {
 public:
  TeamStreams() = default;
  ~TeamStreams() { tell(nullptr, {}); }
  TeamStreams(const TeamStreams&) = delete;
  TeamStreams& operator=(const TeamStreams&) = delete;

  // Takes the place of what was told of the team before. The counts of its group stay as long as
  // the team does.
  void tell(StreamCounts* group, std::vector<int> threads_by_node);

 private:
  void add(int sign) const;

  StreamCounts* group_ = nullptr;
  std::vector<int> threads_;
  std::uint32_t process_ = 0;  // forks until then
};

// Threads of all groups but this one, by node.
std::vector<double> streams_beside(const StreamCounts& own, std::size_t nodes);

// In the child of a fork nobody streams: it has no region open.
void forget_streams_in_child();

}  // namespace xylem::sched
