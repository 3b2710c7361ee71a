// Owns: the picture of a stuck process: every worker, queue and stack, on stderr.
// Unsynchronised by purpose: it is called when nothing moves any more.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

#include "fiber/pool.hpp"

namespace xylem::fiber {

namespace {

constexpr int most_frames = 24;
constexpr size_t scanned_bytes = 8 * 1024;

const char* name_of(SeatState state) {
  switch (state) {
    case SeatState::absent:
      return "absent";
    case SeatState::awake:
      return "awake";
    case SeatState::searching:
      return "searching";
    case SeatState::parked:
      return "parked";
    case SeatState::broken:
      return "broken";
  }
  return "?";
}

// Return addresses are found by looking at every word: user code keeps no frame pointers.
void print_stack(const Stack& stack) {
  std::fprintf(stderr, "  stack %p-%p, outermost frames first:\n",
               static_cast<const void*>(stack.low), static_cast<const void*>(stack.high));
  const auto* high = reinterpret_cast<const uintptr_t*>(stack.high);
  const auto* low = high - scanned_bytes / sizeof(uintptr_t);
  int frames = 0;
  for (const uintptr_t* word = high - 1; word >= low && frames < most_frames; --word) {
    Dl_info info;
    const auto* address = reinterpret_cast<const void*>(*word);
    if (*word < 4096 || !dladdr(address, &info) || !info.dli_sname) continue;
    std::fprintf(stderr, "    %s+%#zx\n", info.dli_sname,
                 static_cast<size_t>(*word - reinterpret_cast<uintptr_t>(info.dli_saddr)));
    ++frames;
  }
}

}  // namespace

void Pool::dump() {
  std::fprintf(stderr, "xylem: state of the pool: %d regions open, %d workers search\n",
               open_regions.load(), searching_.load());
  for (int pu = 0; pu < pu_count_; ++pu) {
    std::fprintf(stderr, "  PU %d: seat %s, %d waiting in its queue\n", pu,
                 name_of(seat(pu).state.load()), pu_queue(pu).waiting(1 << 20));
    each_worker(pu, [](Worker& worker) {
      std::fprintf(stderr, "    worker of kernel thread %d%s%s: fiber %p, %llu turns\n",
                   worker.tid.load(), worker.extra ? " (extra)" : "",
                   worker.guest ? " (guest)" : "", static_cast<void*>(worker.current),
                   static_cast<unsigned long long>(worker.turns.load()));
    });
  }
  stacks_.each_in_use(print_stack);
}

}  // namespace xylem::fiber
