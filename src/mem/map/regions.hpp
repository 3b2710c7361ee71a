// Owns: the interval map: which ranges of memory this layer knows, where each came from, what it
// was split off, and whose it is (DESIGN section 7).
//
// Invariant: regions do not overlap, and the regions of one whole follow each other without a gap
// from its start to its end; check() walks all of them. A balanced tree by address
// (Boost.Intrusive), so whatever is asked takes a logarithm of their number.
#pragma once

#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/annotations.hpp"
#include "base/spin_lock.hpp"
#include "mem/map/nodes.hpp"

namespace xylem::mem {

inline constexpr base::LockRank regions_rank{77, "Regions::lock_"};

enum class Origin : uint8_t { mapped, registered };

// Who uses a region. The layers above know threads, teams and bubbles: `identity` is the number
// that they gave, never used twice; `number` a member's, or the node.
enum class OwnerKind : uint8_t { none, node, member, team, bubble };
struct Owner {
  OwnerKind kind = OwnerKind::none;
  int number = 0;
  uint64_t identity = 0;
};

struct Region {
  uintptr_t start = 0;
  size_t bytes = 0;
  uintptr_t whole = 0;  // where the range began that it was split off; else its own start
  Origin origin = Origin::registered;
  Owner owner;
  // Of a mapped whole: the nodes that share it, in blocks or page by page; or null. Made by who
  // adds the region, ended by who takes it out.
  const NodeList* placed = nullptr;

  uintptr_t end() const { return start + bytes; }
};

class Regions {
 public:
  // 0; -EEXIST if it overlaps one that is there; -ENOMEM.
  int add(const Region& region) XYLEM_EXCLUDES(lock_);
  // The same, of addresses that the kernel has just given: regions that are there are of memory
  // that is gone, and go.
  int add_in_place(const Region& region) XYLEM_EXCLUDES(lock_);
  // Takes the regions of the whole that begins at `start` out; false if none of this origin does.
  // `whole` becomes all of it.
  bool take(uintptr_t start, Origin origin, Region& whole) XYLEM_EXCLUDES(lock_);
  // The region that begins there.
  bool find(uintptr_t start, Region& region) const XYLEM_EXCLUDES(lock_);
  // The region that holds the address.
  bool holding(uintptr_t address, Region& region) const XYLEM_EXCLUDES(lock_);
  // Bytes of the whole that begins there, with all parts; 0: none of this origin does.
  size_t whole_bytes(uintptr_t start, Origin origin) const XYLEM_EXCLUDES(lock_);

  // Cuts the region that begins at `start` at starts[1] .. starts[parts - 1], which ascend inside
  // it. 0, -ENOENT, or -ENOMEM: then it is as it was. Parts keep the owner.
  int split(uintptr_t start, int parts, const uintptr_t* starts) XYLEM_EXCLUDES(lock_);
  // False if no region begins there.
  bool set_owner(uintptr_t start, const Owner& owner) XYLEM_EXCLUDES(lock_);

  // All, by address, as they are now.
  std::vector<Region> all() const XYLEM_EXCLUDES(lock_);
  int64_t count() const XYLEM_EXCLUDES(lock_);
  // Walks all; null if every invariant holds, else which one does not.
  const char* check() const XYLEM_EXCLUDES(lock_);

  // Around fork(): the child must not inherit the lock from a thread that it does not have.
  void before_fork() XYLEM_ACQUIRE(lock_) { lock_.lock(); }
  void after_fork() XYLEM_RELEASE(lock_) { lock_.unlock(); }

 private:
  struct Node : boost::intrusive::set_base_hook<> {
    explicit Node(const Region& of) : region(of) {}
    Region region;
    Node* next = nullptr;  // in a list of parts that are not in the tree yet
  };
  struct StartOf {
    using type = uintptr_t;
    const type& operator()(const Node& node) const { return node.region.start; }
  };
  using Set = boost::intrusive::set<Node, boost::intrusive::key_of_value<StartOf>>;
  static Node* make_parts(int parts, const uintptr_t* starts);
  static void drop_parts(Node* parts);
  Set& set() const XYLEM_REQUIRES(lock_);
  Node* exact(uintptr_t start) const XYLEM_REQUIRES(lock_);
  Node* last_before(uintptr_t address) const XYLEM_REQUIRES(lock_);  // the last that begins below
  void cut_off(Region& whole, Node* parts) XYLEM_REQUIRES(lock_);
  int add(const Region& region, bool in_place) XYLEM_EXCLUDES(lock_);
  void drop_whole(Region of) XYLEM_REQUIRES(lock_);  // that `of` is part of
  bool is_free(uintptr_t start, uintptr_t end) const XYLEM_REQUIRES(lock_);
  size_t measure(uintptr_t start, Origin origin) const XYLEM_REQUIRES(lock_);

  mutable base::SpinLock lock_{regions_rank};
  // The Set, which set() makes at the first use: its constructor is no constant expression.
  alignas(Set) mutable std::byte set_[sizeof(Set)] XYLEM_GUARDED_BY(lock_){};
  mutable bool has_set_ XYLEM_GUARDED_BY(lock_) = false;
};

// The process's regions.
Regions& regions();

}  // namespace xylem::mem
