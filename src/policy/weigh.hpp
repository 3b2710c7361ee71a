// Owns: weighing what to do with threads whose data lies elsewhere: leave all, move the pages, move
// the threads, or move the threads and the few pages that are left behind (paper 000, section 4.4).
// A pure function of where the bytes are, of who streams beside whom, and of the measured costs.
//
// Invariant: among the ways that the caller allows, the one chosen costs least; of equals the one
// that moves less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/costs.hpp"

namespace xylem::policy {

using plan::Costs;

// One range that one thread is going to use.
struct Use {
  int thread = 0;
  double reads = 0;   // how many times the thread will read all of it
  double writes = 0;  // likewise
  // Bytes by node. What lies nowhere yet is in none: it will be made where the thread is.
  std::span<const int64_t> bytes;
};

enum class Remedy : uint8_t {
  none,     // all is where it should be, or moving would cost more than it gains
  pages,    // the data to the threads
  threads,  // the threads to the data
  mixed     // the threads to most of their data, the rest to the threads
};

struct Weighing {
  Remedy remedy = Remedy::none;
  // Per use: its pages go to the node of its thread.
  std::vector<bool> move_pages;
  double cost_ns = 0;  // of what is chosen: moves and accesses of all threads
  double stay_ns = 0;  // of leaving all as it is
};

// What the user allows (XYLEM_HINTS).
enum class Allowed : uint8_t { nothing, pages, threads, mixed, cheapest };

struct Question {
  std::span<const Use> uses;
  std::span<const int> now;    // node of each thread as it is; -1: none near, all is far
  std::span<const int> there;  // node of each thread if threads move; empty: they may not
  Allowed allowed = Allowed::cheapest;
  // Threads of other teams by node, which stream from their own node's memory; empty: none.
  std::span<const double> others = {};
};

// What moving one thread costs, in nanoseconds (paper 000, footnote 2).
inline constexpr double thread_move_ns = 2560;

Weighing weigh(const Question& question, const Costs& costs);

// What a use costs a thread on `node` under that load: all of its reads and writes.
double access_ns(const Use& use, int node, const Costs& costs, const plan::StreamLoad& load);

}  // namespace xylem::policy
