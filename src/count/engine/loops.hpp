// Owns: LoopTrial, which finds out for one loop of the program whether its threads should have
// blocks of its iterations or should have them in turn (paper 001, section 3.2: the choice between
// two distributions by timing both). Pure: times come from the caller.
//
// The order of the trial is block, cyclic, cyclic, block, so that loops that get steadily shorter
// or longer, as those of a factorisation, are compared fairly: both ways have the same mean place
// in time. In each part the first run is not counted, as it finds its data where the way before
// left them, nor the slower half of the others, which somebody else may have disturbed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::count {

// Which loops whose iterations have owners ran in a while (omp/loops/affinity.hpp).
struct LoopsRan {
  bool settled = false;  // some whose owners stay
  bool tried = false;    // some whose owners are not decided on
};

enum class Division : uint8_t { block, cyclic };

class LoopTrial {
 public:
  static constexpr int runs_in_part = 4;  // of which the faster half counts
  // Cyclic iterations must be so many times as fast: neighbours share pages and cache lines.
  static constexpr double margin = 1.05;
  // Runs in a row that could not be timed (nowait, cancelled), after which blocks are kept.
  static constexpr int most_untimed = 64;

  // How the loop's next run is divided.
  Division next() const;
  bool is_settled() const { return run_ == runs_in_all; }
  // The run that next() was asked for took so long an iteration. Not once it is settled.
  void took(double ns_per_iteration);
  void was_not_timed();

  // Nanoseconds an iteration, mean of what counts; 0 before anything was timed.
  double mean_ns(Division division) const;

 private:
  // Parts: block, cyclic, cyclic, block. The two in the middle follow each other without a run that
  // is not counted.
  static constexpr int runs_in_all = 3 + 4 * runs_in_part;
  struct Place {
    int part;      // 0 to 3
    bool counts;   // not the first after a change
    bool is_last;  // of its part
  };
  static Place place_of(int run);

  struct Sum {
    double ns = 0;
    int runs = 0;
  };

  int run_ = 0;  // how many runs are over
  int untimed_ = 0;
  bool cyclic_is_better_ = false;
  std::array<double, runs_in_part> part_{};  // times of the part so far
  std::size_t in_part_ = 0;
  std::array<Sum, 2> sums_;  // by Division
};

}  // namespace xylem::count
