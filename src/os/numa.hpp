// Owns: the kernel's memory policies and page moves (mbind, move_pages), and what sysfs says of
// each memory node. All calls are raw: errno stays the program's. Nodes are the kernel's numbers
// here.
//
// Every call that may be refused (seccomp in containers, no permission, no such node) answers with
// a negative errno and has then changed nothing, unless a line says otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::os {

inline constexpr int most_nodes = 1024;  // as the kernel's MAX_NUMNODES can be

// A set of the kernel's nodes.
struct NodeSet {
  std::array<unsigned long, most_nodes / (8 * sizeof(unsigned long))> words{};

  void add(int node);
  bool has(int node) const;
  static NodeSet of(int node) {
    NodeSet set;
    set.add(node);
    return set;
  }
};

// Where pages of a range that are not there yet come from.
enum class PagePolicy : uint8_t {
  process,     // as the process's own policy says
  local,       // the node of whoever touches first
  preferred,   // the first node of the set, another when it is full
  bound,       // the nodes of the set and no other
  interleaved  // page after page over the set
};

// Which of the pages that are there already are to follow the new policy.
enum class Existing : uint8_t { stay, move };

// Sets the policy of whole pages: `start` and `bytes` are multiples of the page size. With
// Existing::move pages that cannot be moved stay, and the answer is -EIO.
int set_page_policy(void* start, std::size_t bytes, PagePolicy policy, const NodeSet& nodes,
                    Existing existing = Existing::stay);

// Moves page i to nodes[i] and writes to status[i] the node where it is then, or a negative errno
// (-ENOENT: never touched). With `nodes` null nothing moves: status says where each page is.
// Returns 0, the number of pages that did not move, or a negative errno.
long move_pages(std::size_t count, void* const* pages, const int* nodes, int* status);

// Bytes of a node's memory; -1 where sysfs does not say. `root` stands before every path (tests).
struct NodeMemory {
  int64_t total = -1;
  int64_t free = -1;  // with what the page cache would give back
};
NodeMemory node_memory(int node, const char* root = "");

// Nodes that have memory now. Returns 0 or a negative errno.
int nodes_with_memory(NodeSet& nodes, const char* root = "");
// Nodes from which the process may take memory (Mems_allowed_list). Returns 0 or a negative errno.
int nodes_allowed(NodeSet& nodes, const char* root = "");

// Processor that the kernel thread of this process ran on last, by the kernel's number; or -1.
// Reads /proc.
int processor_of_thread(int tid);

// Bytes of one huge page of the default kind; 0: none.
std::size_t huge_page_size();
// Asks for transparent huge pages, or for none, in whole pages of the range. 0 or a negative errno.
int advise_huge_pages(void* start, std::size_t bytes, bool wanted);

// Bytes of the kernel's transparent huge pages; each begins at a multiple of it.
inline constexpr std::size_t transparent_huge_page = std::size_t{2} << 20;
// Splits the transparent huge pages of which the range of whole pages has a part; what they hold
// stays. One that is there whole, or is shared with a child of fork(), stays. 0 or a negative errno
// (-EINVAL: locked pages, or a kernel before 5.4).
int split_huge_pages(void* start, std::size_t bytes);

}  // namespace xylem::os
