// Owns: the MSI protocol over memory nodes, for one piece of data (paper 002, section 3.2.1): which
// nodes have a valid copy, from where a copy is fetched, what a write invalidates. Pure: the caller
// moves the bytes between route_to() and record_copied(), and sees that one thread at a time
// changes a piece's copies.
//
// Invariant: a piece has one owner and no other valid copy, or no owner and any number of shared
// copies; none at all means that it has no value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::hetero {

constexpr int main_memory = 0;  // the node in which programs have their data
constexpr int most_devices = 15;
// Memory nodes of the machine's whose processors have copies of their own.
constexpr int most_near_nodes = 16;
constexpr int most_nodes = 1 + most_devices + most_near_nodes;
// In traces the machine's memory nodes are numbered from here on.
constexpr int first_traced_near_node = 1 + most_devices;

enum class State : uint8_t { invalid, shared, owner };

class Copies {
 public:
  State of(int node) const { return state_[static_cast<size_t>(node)]; }
  bool valid_on(int node) const { return of(node) != State::invalid; }
  int valid_count() const;
  bool has_value() const { return valid_count() > 0; }

  // The node has a copy of a valid one; an owner elsewhere is one among several from here on.
  void record_copied(int to);
  // The node's copy is new: all others are old.
  void record_written(int node);
  // The node's copy is given up. False, and nothing changed: it was the only one.
  bool drop(int node);
  // The value is given up.
  void forget() { state_ = {}; }

  // Null, or what of the invariant does not hold.
  const char* check() const;

 private:
  std::array<State, most_nodes> state_{};
};

// What copies between nodes cost. A link that is not there has no direct copies: they go through
// main memory, which has links to all.
class Links {
 public:
  struct Link {
    bool direct = false;
    double fixed_ns = 0;
    double ns_per_byte = 0;
  };
  explicit Links(int nodes) : nodes_(nodes) {}
  int nodes() const { return nodes_; }
  // One more, without a link.
  void add_node() { ++nodes_; }
  Link& at(int from, int to) { return links_[index(from, to)]; }
  const Link& at(int from, int to) const { return links_[index(from, to)]; }
  bool direct(int from, int to) const { return links_[index(from, to)].direct; }
  // Nanoseconds, of a direct copy.
  double cost(int from, int to, size_t bytes) const;

 private:
  static size_t index(int from, int to) {
    return static_cast<size_t>(from) * most_nodes + static_cast<size_t>(to);
  }
  int nodes_;
  std::array<Link, size_t{most_nodes} * most_nodes> links_{};
};

// The copies that bring a valid copy to a node, in their order.
struct Route {
  struct Step {
    int from;
    int to;
  };
  bool possible = false;  // false: the piece has no value
  int steps = 0;          // 0: the node has a valid copy
  std::array<Step, 2> step{};
  double cost_ns = 0;
};

// The cheapest.
Route route_to(const Copies& copies, int node, const Links& links, size_t bytes);

}  // namespace xylem::hetero
