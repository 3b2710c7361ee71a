// Owns: what was measured of codelets: how long one takes on a kind of executor, by the shapes of
// its data (paper 002, section 3.3.2). Kept while the process lives.
//
// The first run is dropped, as it pays for cold caches and first touches; of the others the median
// of the last ones counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"

namespace xylem::hetero {

class History {
 public:
  void add(double ns);
  // The median of the samples that are kept; 0: there is none.
  double median() const;

 private:
  static constexpr size_t kept = 15;
  std::array<double, kept> samples_{};
  size_t seen_ = 0;  // with the first
};

// Histories by a key, which tells codelets, kinds of executors and shapes apart.
class Models {
 public:
  void add(uint64_t key, double ns) XYLEM_EXCLUDES(lock_);
  // Nanoseconds; 0: not known.
  double expected(uint64_t key) XYLEM_EXCLUDES(lock_);

 private:
  struct Line {
    uint64_t key = 0;  // 0: free
    History history;
  };
  Line& line_of(uint64_t key) XYLEM_REQUIRES(lock_);
  void grow() XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{47, "Models::lock_"}};
  std::vector<Line> lines_ XYLEM_GUARDED_BY(lock_);  // open addressing; a power of two
  size_t used_ XYLEM_GUARDED_BY(lock_) = 0;
};

}  // namespace xylem::hetero
