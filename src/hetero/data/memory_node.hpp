// Owns: the memories between which data moves: main memory, which is node 0, and those of devices,
// each with what its driver does there and how much of it may be taken.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "hetero/data/coherence.hpp"
#include "hetero/data/shape.hpp"
#include "hetero/data/sleep_lock.hpp"

namespace xylem::hetero {

class Piece;

// What the driver of a device's memory does; any thread may call, several at once.
struct MemoryDriver {
  void* device = nullptr;  // the driver's own; goes into each call
  // A block of memory; null: there is no room.
  void* (*allocate)(void* device, size_t bytes) = nullptr;
  void (*release)(void* device, void* memory) = nullptr;
  // Copies between main memory and the device; done on return. 0, or an errno.
  int (*write)(void* device, const Location& to, const void* from, size_t bytes) = nullptr;
  int (*read)(void* device, void* to, const Location& from, size_t bytes) = nullptr;
};

struct MemoryNode {
  MemoryDriver driver;
  size_t capacity = 0;  // bytes that may be taken; the driver's own limit may be lower
  // Guards what follows; taken under the lock of a piece.
  SleepLock lock;
  size_t used XYLEM_GUARDED_BY(lock) = 0;
  Piece* first XYLEM_GUARDED_BY(lock) = nullptr;  // of the pieces that have memory here
};

// The memory nodes of a process, or of a test. Nodes are added before the first piece is made.
class Memories {
 public:
  Memories() : links_(1) {}
  // Adds a device's memory of so many bytes, which has a link to and from main memory of that cost.
  // Its number; -1: there are most_nodes.
  int add(const MemoryDriver& driver, size_t capacity, const Links::Link& link);

  int count() const { return links_.nodes(); }
  const Links& links() const { return links_; }
  MemoryNode& node(int number) { return nodes_[static_cast<size_t>(number)]; }
  // Rises with each call: when pieces were used. relaxed: an order that nobody relies on.
  uint64_t next_use() { return uses_.fetch_add(1, std::memory_order_relaxed); }

  // Moves the piece's bytes from one node to another; one of the two is main memory. 0, or an
  // errno.
  int copy(const Shape& shape, int from, const Layout& source, int to, const Layout& target);

 private:
  Links links_;
  std::array<MemoryNode, most_nodes> nodes_;
  std::atomic<uint64_t> uses_{1};
};

}  // namespace xylem::hetero
