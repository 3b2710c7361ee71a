// Owns: the rule of division.hpp.
#include "sched/share/division.hpp"

#include <algorithm>
#include <array>

namespace xylem::sched {

namespace {

class Division {
 public:
  Division(std::span<const Claim> claims, std::span<CpuMask> own) : claims_(claims), own_(own) {
    forget();
  }

  // How many processors each claim gets, by rounds that begin with claim `first`.
  void count(size_t first) {
    for (int level = 1; level <= most_needed(); ++level) give_round(first, level, true);
    for (int level = 1; level <= CpuMask::most && free_.count() > 0; ++level)
      give_round(first, level, false);
  }

  // The same numbers of processors, each claim's together. False if the masks do not allow it.
  bool gather() {
    std::array<int, most_rows> counts;
    for (size_t i = 0; i < claims_.size(); ++i) counts[i] = own_[i].count();
    forget();
    bool all = true;
    for (size_t i = 0; i < claims_.size(); ++i)
      for (int n = 0; n < counts[i]; ++n) all = give_one(i) && all;
    return all;
  }

  void forget() {
    free_ = {};
    rivals_ = {};
    for (size_t i = 0; i < claims_.size(); ++i) {
      own_[i] = {};
      if (claims_[i].needs == 0) continue;
      claims_[i].cpus.each([this](int cpu) {
        free_.add(cpu);
        ++rivals_[static_cast<size_t>(cpu)];
      });
    }
  }

 private:
  int most_needed() const {
    int most = 0;
    for (const Claim& claim : claims_) most = std::max(most, claim.needs);
    return std::min(most, CpuMask::most);
  }

  // One more to each that has fewer than `level`, and needs one if that is asked.
  void give_round(size_t first, int level, bool needed) {
    for (size_t step = 0; step < claims_.size(); ++step) {
      const size_t i = (first + step) % claims_.size();
      const int needs = claims_[i].needs;
      const int limit = needed ? std::min(level, needs) : level;
      if (needs > 0 && own_[i].count() < limit) give_one(i);
    }
  }

  // The one that the fewest others may use, and of these the first.
  bool give_one(size_t claim) {
    int best = -1;
    (claims_[claim].cpus & free_).each([&](int cpu) {
      if (best < 0 || rivals_[static_cast<size_t>(cpu)] < rivals_[static_cast<size_t>(best)])
        best = cpu;
    });
    if (best < 0) return false;
    free_.remove(best);
    own_[claim].add(best);
    return true;
  }

  std::span<const Claim> claims_;
  std::span<CpuMask> own_;
  CpuMask free_;
  std::array<uint16_t, CpuMask::most> rivals_;  // by processor: claims that may use it
};

}  // namespace

void divide(std::span<const Claim> claims, uint64_t turn, std::span<CpuMask> own) {
  if (claims.empty()) return;
  const size_t first = turn % claims.size();
  Division division(claims, own);
  division.count(first);
  if (division.gather()) return;
  division.forget();
  division.count(first);
}

}  // namespace xylem::sched
