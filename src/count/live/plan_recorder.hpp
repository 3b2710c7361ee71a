// Owns: PlanRecorder: where pages of the program's arrays are to be by the engines' last word on
// each, to be saved for another run (xylem run --record); and how a plan names this machine and
// this program.
//
// Who calls: the engines' thread. An array that is freed stays in the plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/engine/pages.hpp"
#include "count/saved/saved_plan.hpp"
#include "count/source/program_arrays.hpp"

namespace xylem::count {

class PlanRecorder {
 public:
  // After an iteration: where its pages are, by page, and where they go from there.
  void note(std::span<const PageHome> homes, std::span<const PageMove> moves, int threads);
  SavedPlan plan() const;

 private:
  struct Recorded {
    ProgramArray array;
    std::vector<int16_t> nodes;  // by page from the one that the array begins on; -1: not known
  };
  static constexpr std::size_t most_arrays = 4096;  // of a program that allocates anew each time
  Recorded* of(const ProgramArray& array);

  std::vector<Recorded> arrays_;
  int threads_ = 1;
};

// "4 nodes, 8 PUs, HASH": memory sizes and distances are in the hash.
PlanText machine_of_plan();
// The program's name and the number that its linker gave it, or one that follows from its file.
PlanText program_of_plan();

}  // namespace xylem::count
