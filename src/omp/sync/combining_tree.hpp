// Owns: the tree in which a team's members meet: for barriers, and at the region's end.
//
// Groups of `fan` members with neighbouring numbers share a node, groups of `fan_above` nodes the
// node above: placements put neighbours near each other. Members of one memory node share no group
// with those of another below the level at which whole memory nodes meet (`span`). Who completes a
// node goes on to the one above; so a line is written by `fan` threads at most, however large the
// team is.
//
// Laws, for a node of `size` members or nodes:
//   arrived == size * generation + those that have arrived at the barrier of that generation, but
//     for members that took their arrival back (barrier.cpp)
//   departures' count == those that have departed for the first time
// Arrivals are sequentially consistent (barrier.cpp); departures release what the member wrote to
// whoever completes the root.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xylem::omp {

// What a member that has departed, or is about to, is seen as. See join.cpp.
enum class Departure : uint32_t {
  departing = 1,  // it looks at the queues of tasks once more
  counted = 2,    // Team::departing counts it
  departed = 4,   // its seed range, its thread-local data and its thread may be used again
};

class CombiningTree {
 public:
  static constexpr int fan = 8;            // members at a lowest node
  static constexpr int fan_above = 4;      // nodes at one above
  static constexpr int bits_a_member = 3;  // of Departure

  // Counts up, and knows how many count: who adds learns both by one operation on the line. The
  // count stands above the size; what it loses when it runs over is of no account.
  class Counter {
   public:
    uint32_t size() const { return static_cast<uint32_t>(word_.load(relaxed) & size_mask); }
    uint32_t count() const { return static_cast<uint32_t>(word_.load() >> size_bits); }
    void set_size(uint32_t size) { word_.store(size, relaxed); }
    void set_count(uint32_t count) { word_.store(uint64_t{count} << size_bits | size(), relaxed); }
    // True if all have counted for the `round`th time.
    bool add_completes(uint32_t round) {
      const uint64_t before = word_.fetch_add(one);
      return static_cast<uint32_t>(before >> size_bits) + 1 ==
             static_cast<uint32_t>(before & size_mask) * round;
    }
    void take_back() { word_.fetch_sub(one); }

   private:
    static constexpr int size_bits = 8;
    static constexpr uint64_t size_mask = 0xff;
    static constexpr uint64_t one = 1 << size_bits;
    // The size is written before the tree is shared; counts are set by one thread alone.
    static constexpr auto relaxed = std::memory_order_relaxed;
    std::atomic<uint64_t> word_{0};
  };

  struct Node {
    Counter arrived;
    // Who has departed: how many for the first time, of how many; and, of a lowest node, the bits
    // of Departure of each member. So a member departs by one operation.
    std::atomic<uint64_t> departures{0};
    int parent = -1;  // -1: the root
  };
  // Each node begins a line of its own. What is left of the last one's is not the tree's.
  static constexpr size_t line = 64;
  static constexpr size_t bytes_for(int nodes) {
    return nodes > 0 ? static_cast<size_t>(nodes - 1) * line + sizeof(Node) : 0;
  }

  // For n members, of which `span` belong to one memory node. Nodes that a tree needs.
  static int nodes_for(int n, int span);
  // Lays the tree out in `memory`, which begins a line and has bytes_for(nodes_for(n, span)) bytes;
  // n > 1. Member 0 counts as departed.
  void open(void* memory, int n, int span);

  Node& at(int number) const {
    return *reinterpret_cast<Node*>(memory_ + static_cast<size_t>(number) * line);
  }
  Node& lowest_of(int member) const { return at(lowest_number(member)); }
  Node* above(const Node& node) const { return node.parent < 0 ? nullptr : &at(node.parent); }
  Node& root() const { return at(count_ - 1); }
  // Of a tree for n members.
  int lowest_count(int n) const { return lowest_number(n - 1) + 1; }
  int count() const { return count_; }

  // By each member when it arrives at the barrier of this generation: true if with it all have.
  bool arrive(int member, uint32_t generation) {
    Node* node = &lowest_of(member);
    while (node && node->arrived.add_completes(generation + 1)) node = above(*node);
    return !node;
  }
  // The member departs, for the first time: true if with it all have. If not, the tree may be gone
  // afterwards.
  bool depart_first(int member) {
    Node* node = &lowest_of(member);
    uint64_t what = one_departed | uint64_t{static_cast<uint32_t>(Departure::departed)}
                                       << shift_of(member);
    while (node && add_departed(*node, what)) {
      node = above(*node);
      what = one_departed;
    }
    return !node;
  }

  // Where the member's bits are among the departures of its lowest node.
  int shift_of(int member) const {
    const unsigned own = static_cast<unsigned>(member < span_ ? member : member % span_);
    return first_bit + bits_a_member * static_cast<int>(own % fan);
  }

 private:
  // In Node::departures.
  static constexpr uint64_t size_mask = 0xff;
  static constexpr int count_shift = 8;
  static constexpr uint64_t one_departed = 1 << count_shift;
  static constexpr int first_bit = 32;
  static_assert(first_bit + fan * bits_a_member <= 64);

  void open_node(int number, int size);
  void open_rows(int n, int span);

  // acq_rel: what all have written is seen by who completes the root
  static bool add_departed(Node& node, uint64_t what) {
    const uint64_t before = node.departures.fetch_add(what, std::memory_order_acq_rel);
    return (before >> count_shift & size_mask) + 1 == (before & size_mask);
  }
  static constexpr int groups_of(int things) { return (things + fan - 1) / fan; }
  // Divides only where the team is on several memory nodes: each arrival and departure asks.
  int lowest_number(int member) const {
    if (member < span_) [[likely]]
      return static_cast<int>(static_cast<unsigned>(member) / fan);
    return member / span_ * groups_of(span_) + member % span_ / fan;
  }

  char* memory_ = nullptr;
  int count_ = 0;
  int span_ = 1;
};

}  // namespace xylem::omp
