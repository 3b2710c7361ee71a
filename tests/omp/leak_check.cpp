// What the runtime keeps until the process ends is no leak: threads of the program open regions,
// with tasks and nested teams, and end; others still live at the end, main inside what it opened
// last. Built with LeakSanitizer, which fails the program if it finds memory that nobody knows any
// more.
#include <omp.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int threads = 3, regions = 5, inner = 2;
const int members = expect_members(4);
// Under LeakSanitizer a member is a kernel thread. GCC 12's list of all that were ever made moves
// at the 512th while others read it, and the process dies (LLVM's test thread_context_crash of
// lsan).
const int rounds = std::min(20, 400 / (threads * members));
int counted = 0;

void open_regions() {
  omp_set_max_active_levels(2);  // each thread of the program has a setting of its own
  for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(members)
    {
#pragma omp task
      add_one(&counted);
#pragma omp parallel num_threads(inner)
      add_one(&counted);
    }
  }
}

}  // namespace

int main() {
  for (int round = 0; round < rounds; round++) {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++) all.emplace_back(open_regions);
    for (std::thread& each : all) each.join();
  }
  open_regions();
  expect_equal("counted", counted, (rounds * threads + 1) * regions * members * (1 + inner));
  return expect_result();
}
