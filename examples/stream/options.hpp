// What the command line says.
#pragma once

#include <functional>
#include <string>

namespace stream {

struct Options {
  std::string kind = "twisted";        // stream, nested, twisted
  std::string data = "remote";         // of twisted: remote, mixed (one vector of three is at home)
  std::string kernel = "triad";        // and copy, scale, add
  std::string remedy = "first-touch";  // between the phases: and next-touch, move-pages, move-read,
                                       // move-written, hints, attach
  bool tell_first = false;             // hints place the teams from the beginning
  bool next_region = false;            // the second phase has a region of its own, told before it
  int iterations = 1;                  // of the last phase, each a region if there are several
  int teams = 0;                       // 0: one a node
  int threads = 0;                     // of each team; 0: its share of the processors
  int pages = 64;                      // of each vector of a team
  int passes = 3;                      // through the vectors, in each phase
  bool quiet = false;
  // What is to be so, or the exit code is 1; -1: whatever.
  int want_local[2] = {-1, -1};  // percent of the accesses in each phase
  int want_local_later = -1;     // percent, in each iteration of the last phase but its first
  int want_moved = -1;           // pages that change their node in the second phase

  int phases() const { return kind == "twisted" ? 2 : 1; }
  bool has_regions() const { return iterations > 1 || (next_region && phases() == 2); }
};

// What main() does: reads the command line and returns what `run` returns, or what the words call
// for.
int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run);

}  // namespace stream
