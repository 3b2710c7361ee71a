// Owns: finding the iterations of a program's outer sequential loop in the sequence of parallel
// regions that it opens (paper 001, section 3.1, assumes such programs), or being told of them.
//
// Invariant: while period() is p > 0, each of the last `matched` regions was the region p before
// it, matched >= p * repeats_needed, and no other period has matched for longer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::count {

// What is known once a region has been heard of.
struct Heard {
  bool begins_iteration = false;  // this region is the first of an iteration
  bool phase_changed = false;  // the sequence goes on otherwise than before, or in another period
};

// A pure state machine: no clock, no locks. One for each program thread that opens outermost
// regions.
class Iterations {
 public:
  // The longest period that is found, in regions.
  static constexpr int most_regions = 512;
  // A period is believed once it has come again so many times.
  static constexpr uint64_t repeats_needed = 2;

  // An outermost region is about to open. `region` names it (the address of its code, and what else
  // makes two regions different); `now_ns` never goes back.
  Heard hear(uint64_t region, int64_t now_ns);
  // The program says that an iteration begins here. From then on nothing is guessed.
  Heard tell(int64_t now_ns);

  // Regions in an iteration; 0: none is known. Where the program tells: of the last whole one.
  int period() const { return period_; }
  // How often the period came again in this phase, less the last part of one.
  uint64_t repeats() const;
  // 0 to 1: repeats() out of one more; 1 where the program tells.
  double confidence() const;
  // How long the last whole iteration took, from its beginning to the next one's; 0: none was seen.
  int64_t last_ns() const { return last_ns_; }
  // Phases that ended.
  uint64_t phase_changes() const { return phase_changes_; }

 private:
  void remember(uint64_t region);
  bool is_steady() const;
  int recount(uint64_t region);
  int count_matches(uint64_t region);
  int better_of(int best, int period) const;
  int best_period(uint64_t region);
  Heard begin(int64_t now_ns);

  // Twice the longest period and the newest region: as far back as recount() may have to look.
  static constexpr std::size_t ring_room = 2 * std::size_t{most_regions} + 1;
  // ring_[newest_ + k] is the region k before the newest one; the two halves are equal.
  std::array<uint64_t, 2 * ring_room> ring_{};
  std::size_t newest_ = 0;
  uint64_t heard_ = 0;  // regions so far
  // By period: how many regions in a row were the one so many before. While is_steady(), only that
  // of period_ is kept up.
  std::array<uint64_t, most_regions + 1> matched_{};
  int period_ = 0;
  uint64_t first_ = 0;  // heard_ before the first region of the phase's first iteration
  int64_t begun_ns_ = 0;
  bool has_begun_ = false;
  int64_t last_ns_ = 0;
  uint64_t phase_changes_ = 0;
  bool is_told_ = false;
  uint64_t told_ = 0;     // iterations that the program said
  uint64_t told_at_ = 0;  // heard_ at the last of them
};

}  // namespace xylem::count
