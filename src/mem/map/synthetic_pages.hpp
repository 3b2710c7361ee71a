// Owns: the homes of pages on a synthetic machine, whose nodes the kernel does not have: a hash
// table from page to node (DESIGN section 9).
//
// Invariant: pages_on(n) is the number of pages whose home is n. A page that the records of
// synthetic machines do not know has no home: on a synthetic machine nobody sees who touched it
// first. Pages that the program unmaps itself stay in the records of synthetic machines until
// somebody gives the addresses another home.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

inline constexpr base::LockRank synthetic_pages_rank{78, "SyntheticPages::lock_"};

class SyntheticPages {
 public:
  static constexpr int no_home = -1;

  // Pages are numbered: address / page size.
  int home(uintptr_t page) const XYLEM_EXCLUDES(lock_);
  // Returns the home before. Without memory for the entry nothing is noted.
  int set_home(uintptr_t page, int node) XYLEM_EXCLUDES(lock_);
  void forget(uintptr_t first_page, size_t count) XYLEM_EXCLUDES(lock_);
  int64_t pages_on(int node) const XYLEM_EXCLUDES(lock_);

  // Around fork(): the child must not inherit the lock from a thread that it does not have.
  void before_fork() XYLEM_ACQUIRE(lock_) { lock_.lock(); }
  void after_fork() XYLEM_RELEASE(lock_) { lock_.unlock(); }

 private:
  struct Entry {
    uintptr_t page = 0;  // 0: free; page 0 is never mapped
    int32_t node = no_home;
  };
  Entry* find(uintptr_t page) const XYLEM_REQUIRES(lock_);
  bool grow() XYLEM_REQUIRES(lock_);
  void count(int node, int64_t pages) XYLEM_REQUIRES(lock_);

  mutable base::SpinLock lock_{synthetic_pages_rank};
  Entry* entries_ XYLEM_GUARDED_BY(lock_) = nullptr;  // made when need be, never freed but to grow
  size_t room_ XYLEM_GUARDED_BY(lock_) = 0;  // a power of two; entries with a page fill half
  size_t used_ XYLEM_GUARDED_BY(lock_) = 0;  // entries with a page, with a home or without
  std::array<int64_t, os::most_nodes> by_node_ XYLEM_GUARDED_BY(lock_){};
};

// Those of the process.
SyntheticPages& synthetic_pages();

}  // namespace xylem::mem
