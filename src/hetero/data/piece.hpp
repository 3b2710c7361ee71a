// Owns: one piece of data with its copies on memory nodes, kept coherent (paper 002, section
// 3.2.1): fetched where a task needs it, written back when a node is full or its owner is done.
//
// Invariant: a node on which the piece has a valid copy has memory for it; a copy that somebody
// uses (acquire() without release() yet) is not given up. Main memory holds either the program's
// own bytes, or memory that is made when it is first needed there.
#pragma once

#include <cstdint>
#include <vector>

#include "base/annotations.hpp"
#include "hetero/data/coherence.hpp"
#include "hetero/data/memory_node.hpp"
#include "hetero/data/reclaim.hpp"
#include "hetero/data/shape.hpp"
#include "hetero/data/sleep_lock.hpp"

namespace xylem::hetero {

enum class Access : uint8_t { read = 1, write = 2, read_write = 3 };
constexpr bool reads(Access access) { return (static_cast<uint8_t>(access) & 1) != 0; }
constexpr bool writes(Access access) { return (static_cast<uint8_t>(access) & 2) != 0; }

class Piece {
 public:
  // Data of the program's, in main memory, valid.
  Piece(Memories& memories, const Shape& shape, const Layout& home);
  // Data without a value, which has no memory yet.
  Piece(Memories& memories, const Shape& shape);
  // Gives the memory on all nodes back. Nobody uses the piece.
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // On which node an executor whose node that is acquires the piece: main memory, where both are
  // one memory and kernels may work on the piece as it lies there.
  int node_for(int executor_node) const;
  // Brings the piece to the node for an access there; until release() it stays. 0, or an errno and
  // nothing is acquired: ENODATA (it is read and has no value), EIO (likewise: the only copy was on
  // a device that is gone), ENOMEM (no room: what fills the node is in use, or larger), ENODEV (the
  // node's device is gone), or the driver's of a copy. Callers see that nobody else uses the piece
  // while one writes.
  int acquire(int node, Access access);
  // The same for the processor that the caller runs on, which reaches all memories but devices'.
  // What lies on another node than its own is used there, until uses from its node have cost as
  // much more than uses of a copy there as the copy would: then the copy is made. So uses from afar
  // and copies cost at most twice what the better of both would have. `node`: the one on which it
  // is acquired.
  int acquire_near(Access access, int& node);
  // Ends the access. What was written is the piece's value from here on; copies elsewhere keep the
  // old one until then.
  void release(int node, Access access);
  // Ends an access that wrote nothing, whatever it was for.
  void give_up(int node);
  // Ends an access that may have written a part: the node's copy is none any more. The value is
  // what other copies have; where there is no other, there is none.
  void spoil(int node);
  // The same of main memory, where the device worked that has gone: what is left without a value is
  // named, and who reads it is told.
  void lose_in_place(int device);
  // Brings a valid copy to where executors of that node use it. 0, or an errno.
  int prefetch(int node);
  // Gives the value up.
  void invalidate();
  // Likewise; who reads it is told that it was on a device that is gone.
  void lose();
  // Gives memory on the node up, after its bytes were copied where the only valid copy is there. 0,
  // EBUSY if the copy is in use, or the driver's errno.
  int evict(int node);

  const Shape& shape() const { return shape_; }
  // Where the piece is on a node on which it is acquired.
  const Layout& layout(int node) const { return copy(node).layout; }
  bool has_home() const { return has_home_; }
  // Where the program has it; null: nowhere.
  const void* address() const;
  bool valid_on(int node);
  bool has_value();
  size_t bytes() const { return bytes_; }
  // What it would cost to bring the piece to where executors of that node use it, in nanoseconds;
  // of a near node: or to use it from there where it is, if that is less. A hint.
  double fetch_cost(int node);
  // Null, or what does not hold of the class's invariant.
  const char* check();

 private:
  struct Copy {
    Layout layout;
    void* memory = nullptr;  // of the node's driver, or main memory's; null: none, or the program's
    int users = 0;
    uint64_t used_at = 0;
    // Of a near node: what uses from there have cost, since others wrote, because of no valid copy.
    double away_ns = 0;
    Piece* next = nullptr;  // in the node's list; by the node's lock
    Piece* previous = nullptr;
  };
  const Copy& copy(int node) const { return copies_[static_cast<size_t>(node)]; }
  Copy& copy(int node) { return copies_[static_cast<size_t>(node)]; }
  bool has_memory(int node) const;
  int begin_use(int node, Access access) XYLEM_REQUIRES(lock_);
  bool may_be_near() const;
  // What an access from the near node may use in place, the cheapest; -1: nothing.
  struct InPlace {
    int node = -1;
    double away_ns = 0;
  };
  InPlace in_place(int near, Access access) XYLEM_REQUIRES(lock_);
  int choose_node(int near, const InPlace& there, Access access) XYLEM_REQUIRES(lock_);
  void record_away(int near, double away_ns, Access access) XYLEM_REQUIRES(lock_);
  // The machine's number of the memory node where the copy lies; unknown_node.
  int numa_of(int node) XYLEM_REQUIRES(lock_);
  void locate_main() XYLEM_REQUIRES(lock_);
  void end_use(int node) XYLEM_REQUIRES(lock_);
  // Copies on devices that are gone are none: the only one is named on stderr.
  void drop_gone() XYLEM_REQUIRES(lock_);
  void lose_with(int node) XYLEM_REQUIRES(lock_);
  int fetch_once(int node) XYLEM_REQUIRES(lock_);
  bool source_is_gone() const XYLEM_REQUIRES(lock_);
  int fetch(int node) XYLEM_REQUIRES(lock_);
  int make_step(Route::Step step) XYLEM_REQUIRES(lock_);
  int make_room(int node) XYLEM_REQUIRES(lock_);
  int make_room_on_device(int node) XYLEM_REQUIRES(lock_);
  // Of another piece, by who holds the node's lock: true if it gave its memory there up.
  bool leave_to_others(int node);
  // What leaving the node would cost; by who holds the node's lock.
  Held as_held(int node);
  int write_back(int node) XYLEM_REQUIRES(lock_);
  void take_memory(int node, void* memory) XYLEM_REQUIRES(lock_);
  void give_memory_back(int node) XYLEM_REQUIRES(lock_);

  Memories& memories_;
  const Shape shape_;
  const size_t bytes_;
  const bool has_home_;
  const bool fits_kernels_;  // in main memory
  SleepLock lock_;           // held while bytes move; before a node's
  Copies state_ XYLEM_GUARDED_BY(lock_);
  // The value was on a device that is gone; until the next one is written.
  bool lost_ XYLEM_GUARDED_BY(lock_) = false;
  std::vector<Copy> copies_;  // by node; under lock_, but for the links of nodes' lists
  // Where the copy in main memory lies, by the machine's number, once that is known.
  int main_numa_ XYLEM_GUARDED_BY(lock_) = unknown_node;
  uint8_t asked_ XYLEM_GUARDED_BY(lock_) = 0;  // so often where
};

}  // namespace xylem::hetero
