// Owns: the memories between which data moves: main memory, which is node 0, those of devices, and
// near nodes, each with what its driver does there and how much of it may be taken.
//
// A near node is a memory node of the machine's: copies there are for the processors near it, which
// reach main memory and other near nodes as well (near_access.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hetero/data/coherence.hpp"
#include "hetero/data/near_access.hpp"
#include "hetero/data/shape.hpp"
#include "hetero/data/sleep_lock.hpp"

namespace xylem::hetero {

class Piece;

// What the driver of a device's memory does; any thread may call, several at once. Copies are done
// on return, which is 0 or an errno; ENODEV: a device is gone, for good. Of a near node: allocate
// and release alone.
struct MemoryDriver {
  void* device = nullptr;  // the driver's own; goes into each call
  // A block of memory; null: there is no room.
  void* (*allocate)(void* device, size_t bytes) = nullptr;
  void (*release)(void* device, void* memory) = nullptr;
  // From main memory, or a near node, to the device, and back: the other side's locations have
  // addresses.
  int (*write)(void* device, const Span& span) = nullptr;
  int (*read)(void* device, const Span& span) = nullptr;
  // Between two devices of one driver that have a direct link; null: there is none.
  int (*copy)(void* from, void* to, const Span& span) = nullptr;
  // Whether the device is gone; null: never.
  bool (*gone)(void* device) = nullptr;
};

struct MemoryNode {
  MemoryDriver driver;
  const char* name = "";      // of the device, for messages; lives as long as the node
  int level = 0;              // of the machine, whose PUs are near the device
  size_t capacity = 0;        // bytes that may be taken; the driver's own limit may be lower
  size_t largest = SIZE_MAX;  // bytes that one piece may take
  int numa = unknown_node;    // of a near node: the machine's number of it
  // Of a device that reaches main memory by its addresses and has no faster memory: pieces that
  // kernels may work on there have no copies here (zero copy).
  bool shares_main = false;
  // The device is gone: copies there are no copies any more. Set once. Relaxed: who reads it late
  // is told by the driver.
  std::atomic<bool> gone{false};
  // What is shown of the node. Relaxed: numbers that nobody relies on.
  struct Sums {
    std::atomic<size_t> used{0};         // as below, by who changes that
    std::atomic<uint64_t> bytes_in{0};   // copied to the node
    std::atomic<uint64_t> bytes_out{0};  // copied from it
  };
  Sums sums;
  // Guards what follows; taken under the lock of a piece.
  SleepLock lock;
  size_t used XYLEM_GUARDED_BY(lock) = 0;
  Piece* first XYLEM_GUARDED_BY(lock) = nullptr;  // of the pieces that have memory here
};

// The memory nodes of a process, or of a test: main memory, then devices, then near nodes. Nodes
// are added before the first piece is made.
class Memories {
 public:
  Memories() : links_(1) {}
  // Adds a device's memory of so many bytes, which has a link to and from main memory of that cost.
  // Its number; -1: there are most_nodes.
  int add(const MemoryDriver& driver, size_t capacity, const Links::Link& link,
          const char* name = "");
  // Adds a memory node of the machine's, which has direct copies to and from all others. Devices
  // were added before; `access` is the same in all calls. Its number; -1: there are most_nodes.
  int add_near(const MemoryDriver& driver, int numa, size_t capacity, const NearAccess& access);
  // What a direct copy from one node to another takes.
  void set_link(int from, int to, const Links::Link& link) { links_.at(from, to) = link; }
  // The two devices' drivers copy directly, at that cost.
  void connect(int one, int other, const Links::Link& link);

  int count() const { return links_.nodes(); }
  const Links& links() const { return links_; }
  MemoryNode& node(int number) { return nodes_[static_cast<size_t>(number)]; }
  // Processors reach what is there by its address.
  bool addressable(int number) const { return number < 1 || number >= first_near_; }
  bool has_near() const { return first_near_ < count(); }
  const NearAccess& near_access() const { return near_access_; }
  bool gone(int number) { return node(number).gone.load(std::memory_order_relaxed); }
  // The device is gone, and says so on stderr the first time. After fork() a child's devices are
  // gone without a word.
  void record_gone(int number, bool quietly = false);
  // Rises with each call: when pieces were used. relaxed: an order that nobody relies on.
  uint64_t next_use() { return uses_.fetch_add(1, std::memory_order_relaxed); }

  // Moves the piece's bytes from one node to another between which there is a link. 0, or an errno;
  // a device that turns out to be gone is recorded.
  int copy(const Shape& shape, int from, const Layout& source, int to, const Layout& target);

 private:
  int copy(int from, int to, const Span& span);
  void look_after(int number);
  int add_node(const MemoryDriver& driver, size_t capacity, const char* name);

  Links links_;
  int first_near_ = most_nodes;
  NearAccess near_access_;
  std::array<MemoryNode, most_nodes> nodes_;
  std::atomic<uint64_t> uses_{1};
};

}  // namespace xylem::hetero
