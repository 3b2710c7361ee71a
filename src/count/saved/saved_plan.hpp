// Owns: SavedPlan: where the pages of a program's arrays were best, and which threads ran which
// iterations of its dynamic loops, for a later run of the same program (paper 001, section 3.1:
// off-line, and 3.1.2), and its two forms: JSON, which is the user's file
// (xylem run --record), and lines, which the command hands to the runtime once it has checked the
// file (--apply). The JSON has a number, `check`, that follows from the lines of the same plan.
//
// Invariant: what parse_plan() gives holds every law of is_unsound().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "count/engine/schedules.hpp"

namespace xylem::count {

// Pages [first, first + count) of an array, counted from the page that it begins on.
struct HomeRun {
  uint64_t first = 0;
  uint64_t count = 0;
  int node = 0;

  bool operator==(const HomeRun&) const = default;
};

// Printable characters of ASCII without '"' and '\', ended by a zero.
using PlanText = std::array<char, 128>;
PlanText plan_text_of(std::string_view text);  // others become '?'; what is too long is cut

struct SavedArray {
  PlanText name{};  // program_arrays.hpp
  uint64_t bytes = 0;
  std::vector<HomeRun> runs;  // ascend, do not overlap, lie in the array

  bool operator==(const SavedArray&) const = default;
};

// A dynamic loop. Its number of threads and of iterations are the schedule's.
struct SavedLoop {
  PlanText name{};     // "MODULE+0xOFFSET" of its call or its function
  uint64_t first = 0;  // the loop variable's first value
  uint64_t step = 1;   // modulo 2^64
  Schedule schedule;

  bool operator==(const SavedLoop&) const = default;
};

struct SavedPlan {
  PlanText machine{};
  PlanText program{};
  uint64_t threads = 1;  // of the largest team
  uint64_t page_bytes = 4096;
  std::vector<SavedArray> arrays;  // by name, each once
  std::vector<SavedLoop> loops;    // by name, first, step, iterations and threads, each once

  bool operator==(const SavedPlan&) const = default;
};

// Whether `one` comes before `other` in a plan.
bool is_before(const SavedLoop& one, const SavedLoop& other);

// Null, or which law the plan breaks.
const char* is_unsound(const SavedPlan& plan);

std::vector<char> plan_lines(const SavedPlan& plan);
base::Result<SavedPlan> parse_plan(std::string_view lines);

// Of a sound plan. Never 0.
uint64_t plan_check(const SavedPlan& plan);
std::vector<char> plan_json(const SavedPlan& plan);

}  // namespace xylem::count
