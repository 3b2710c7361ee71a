// kmp_* routines that read and change settings of the process.
// A name that ends in _ is Fortran's, arguments by address.
#include "omp/env/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "base/report.hpp"
#include "omp/team/cancel.hpp"
#include "omp/team/program_settings.hpp"
#include "omp/team/query.hpp"
#include "omp/team/team.hpp"

using namespace xylem;
using omp::LibraryMode;

extern "C" {

XYLEM_EXPORT std::size_t kmp_get_stacksize_s() {
  omp::ensure_runtime();
  return omp::thread_stack_bytes();
}
XYLEM_EXPORT int kmp_get_stacksize() {
  return abi::to_int(static_cast<std::int64_t>(kmp_get_stacksize_s()));
}
XYLEM_EXPORT void kmp_set_stacksize_s(std::size_t bytes) { omp::set_thread_stack_bytes(bytes); }
XYLEM_EXPORT void kmp_set_stacksize_s_(const std::size_t* bytes) { kmp_set_stacksize_s(*bytes); }
XYLEM_EXPORT void kmp_set_stacksize(int bytes) {
  kmp_set_stacksize_s(static_cast<std::size_t>(std::max(bytes, 0)));
}
XYLEM_EXPORT void kmp_set_stacksize_(const std::int32_t* bytes) { kmp_set_stacksize(*bytes); }

XYLEM_EXPORT int kmp_get_blocktime() { return omp::block_time_ms(); }
XYLEM_EXPORT void kmp_set_blocktime(int ms) { omp::set_block_time_ms(std::max(ms, 0)); }
XYLEM_EXPORT void kmp_set_blocktime_(const std::int32_t* ms) { kmp_set_blocktime(*ms); }

XYLEM_EXPORT int kmp_get_library() { return static_cast<int>(omp::library_mode()); }
XYLEM_EXPORT void kmp_set_library_serial() { omp::set_library_mode(LibraryMode::serial); }
XYLEM_EXPORT void kmp_set_library_turnaround() { omp::set_library_mode(LibraryMode::turnaround); }
XYLEM_EXPORT void kmp_set_library_throughput() { omp::set_library_mode(LibraryMode::throughput); }
XYLEM_EXPORT void kmp_set_library(int mode) {
  if (mode >= static_cast<int>(LibraryMode::serial) &&
      mode <= static_cast<int>(LibraryMode::throughput))
    omp::set_library_mode(static_cast<LibraryMode>(mode));
  else
    base::warn_once("kmp_set_library(%d): there is no such mode", mode);
}
XYLEM_EXPORT void kmp_set_library_(const std::int32_t* mode) { kmp_set_library(*mode); }

XYLEM_EXPORT void kmp_set_defaults(const char* text) { omp::set_defaults(text); }
XYLEM_EXPORT void kmp_set_defaults_(const char* text, int length) {
  omp::set_defaults(std::string_view(text, static_cast<std::size_t>(std::max(length, 0))));
}

XYLEM_EXPORT void kmp_set_warnings_on() { base::silence_warnings(false); }
XYLEM_EXPORT void kmp_set_warnings_off() { base::silence_warnings(true); }

// Records of loops are made as they are needed.
XYLEM_EXPORT void kmp_set_disp_num_buffers(int) {}
XYLEM_EXPORT void kmp_set_disp_num_buffers_(const std::int32_t*) {}

// The threads of the teams that are open around the caller.
XYLEM_EXPORT int kmp_get_num_known_threads() { return omp::threads_around(); }

// Whether the construct that the kind names (0: none) is cancelled around the caller.
XYLEM_EXPORT int kmp_get_cancellation_status(int kind) {
  constexpr omp::CancelKind kinds[] = {omp::CancelKind::parallel, omp::CancelKind::loop,
                                       omp::CancelKind::sections, omp::CancelKind::taskgroup};
  if (kind < 1 || kind > 4) return 0;
  return omp::is_cancelled(omp::current_member(), kinds[kind - 1]) ? 1 : 0;
}

}  // extern "C"
