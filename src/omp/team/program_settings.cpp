// Owns: what the program has set. See program_settings.hpp.
#include "omp/team/program_settings.hpp"

#include <algorithm>
#include <atomic>

#include "base/report.hpp"
#include "omp/team/query.hpp"
#include "omp/team/runtime.hpp"
#include "os/thread.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

// What the program has set; relaxed throughout: each is a number by itself.
constinit std::atomic<std::size_t> set_stack_bytes{0};        // 0: nothing
constinit std::atomic<int> set_block_time{-1};                // -1: nothing
constinit std::atomic<LibraryMode> set_mode{LibraryMode{0}};  // 0: nothing

constexpr int default_block_time_ms = 200;  // libomp's, which programs expect

}  // namespace

std::size_t thread_stack_bytes() {
  if (const std::size_t bytes = set_stack_bytes.load(std::memory_order_relaxed)) return bytes;
  if (globals().stack_size > 0) return globals().stack_size;
  const std::size_t limit = os::stack_limit();
  return limit > 0 ? std::min(limit, std::size_t{256} << 20) : std::size_t{8} << 20;
}

void set_thread_stack_bytes(std::size_t bytes) {
  if (sched::pool_is_made()) return;
  set_stack_bytes.store(std::clamp(bytes, least_stack_size, largest_stack_size),
                        std::memory_order_relaxed);
}

GlobalIcvs globals_as_changed() {
  GlobalIcvs global = globals();
  const int block_time = set_block_time.load(std::memory_order_relaxed);
  if (block_time < 0) return global;
  global.block_time_ms = block_time;
  global.spin_count_given = false;  // the program's word counts before the environment's
  return global;
}

int block_time_ms() {
  ensure_runtime();
  const GlobalIcvs global = globals_as_changed();
  if (global.block_time_ms >= 0) return global.block_time_ms;
  switch (global.wait_policy) {
    case WaitPolicy::active:
      return endless_block_time;
    case WaitPolicy::passive:
      return 0;
    case WaitPolicy::unset:
      break;
  }
  return default_block_time_ms;
}

void set_block_time_ms(int ms) {
  ensure_runtime();
  set_block_time.store(ms, std::memory_order_relaxed);
  const GlobalIcvs& global = globals_as_changed();
  sched::set_spin_ns(idle_spin_ns(global), crowded_spin_ns(global));
}

LibraryMode library_mode() {
  ensure_runtime();
  const LibraryMode mode = set_mode.load(std::memory_order_relaxed);
  if (mode != LibraryMode{0}) return mode;
  if (globals().serial) return LibraryMode::serial;
  return globals().wait_policy == WaitPolicy::active ? LibraryMode::turnaround
                                                     : LibraryMode::throughput;
}

void set_library_mode(LibraryMode mode) {
  if (level() > 0) {
    base::warn_once("the library's mode is not changed inside a parallel region");
    return;
  }
  set_mode.store(mode, std::memory_order_relaxed);
  Icvs& icvs = own_icvs();
  const Icvs initial = initial_icvs();
  icvs.nthreads_var = mode == LibraryMode::serial ? 1 : initial.nthreads_var;
  icvs.max_active_levels_var = mode == LibraryMode::serial ? 0 : initial.max_active_levels_var;
}

}  // namespace xylem::omp
