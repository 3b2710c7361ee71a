// Owns: what was measured of tasks of one size on one kind of executor (paper 002, section 3.3.2).
//
// The first run of a process is dropped, as it pays for cold caches and first touches; of the
// others the median of the last ones counts. Where the newest ones leave that median, the size is
// calibrated anew from them alone.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace xylem::hetero {

class History {
 public:
  static constexpr size_t kept = 15;
  // So many runs in a row that take more than so many times the median, or less than the median by
  // that factor, are a drift: older samples are forgotten.
  static constexpr int drift_runs = 4;
  static constexpr double drift_factor = 1.5;

  // A run of this process.
  void add(double ns);
  // A run of an earlier process, in their order.
  void recall(double ns);
  // How often earlier processes noticed a drift.
  void recall_drifts(size_t count) { drifts_ = count; }
  // The median of the samples that are kept; 0: there is none.
  double median() const;
  // Those that are kept, the oldest first.
  std::vector<double> samples() const;
  // How often a drift was noticed.
  size_t drifts() const { return drifts_; }
  // Runs of this process are among the samples.
  bool has_new() const { return added_ > 1; }

 private:
  size_t count() const;
  // Of the samples that are kept, the one that came so many before the newest.
  double before_newest(size_t back) const { return samples_[(seen_ - 1 - back) % kept]; }
  void notice_drift(double ns);

  std::array<double, kept> samples_{};  // the sample of number n is at n % kept
  size_t added_ = 0;                    // by this process, with the first
  size_t seen_ = 0;                     // samples, with those that later ones replaced
  int strays_ = 0;    // the newest in a row that leave `usual_`: above it, or, below 0, below it
  double usual_ = 0;  // the median before them
  size_t drifts_ = 0;
};

}  // namespace xylem::hetero
