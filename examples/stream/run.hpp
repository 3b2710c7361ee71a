// The phases, and what became of pages and accesses in them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "options.hpp"

namespace stream {

// Pages of accesses in a phase.
struct Tally {
  long local = 0, all = 0;
  double seconds = 0;

  long percent_local() const { return all > 0 ? 100 * local / all : 100; }
};

struct Result {
  std::array<Tally, 2> phases;  // of the last phase: its first iteration
  std::vector<Tally> later;     // its other iterations
  std::size_t moved = 0;        // pages that changed their node in the second phase
  bool numbers_are_right = true;
};

// The vectors of a team: c is written.
struct Vectors {
  double *a, *b, *c;
};

// One of STREAM's four, by which c is computed.
struct Kernel {
  const char* name;
  bool reads_a, reads_b;
  void (*apply)(const Vectors&, std::size_t first, std::size_t last);
  double result;  // in each number of c, a being 1 and b 2

  int vectors() const { return 1 + reads_a + reads_b; }  // that it reads or writes
};
const Kernel& kernel_of(const Options& options);

struct Run {
  Options options;            // with nothing left to choose
  std::size_t length = 0;     // numbers in a vector of a team
  std::vector<Vectors> sets;  // by team

  std::size_t bytes() const { return length * sizeof(double); }
};

// Chooses teams and threads where the user did not, and makes vectors that nobody has touched.
Run prepare(const Options& options);
Result carry_out(const Run& run);

}  // namespace stream
