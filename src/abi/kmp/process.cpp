// Owns: LLVM's entry points about the process as a whole, and of the error directive.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/team/query.hpp"
#include "omp/tool/work.hpp"

using namespace xylem;
using namespace xylem::abi::kmp;

namespace {

// The next part of a location's text, which ends at a semicolon, and what is behind it.
const char* next_part(const char* text, const char*& part, int& length) {
  part = text;
  length = static_cast<int>(std::strcspn(text, ";"));
  return text[length] ? text + length + 1 : text + length;
}

// As "file:line:column", as far as the text names them.
void print_place(char* out, size_t room, const Location* location) {
  const char* text = location && location->source ? location->source : ";unknown;;0;0;;";
  const char *file, *function, *line, *column;
  int lengths[4];
  if (*text == ';') ++text;
  text = next_part(text, file, lengths[0]);
  text = next_part(text, function, lengths[1]);
  text = next_part(text, line, lengths[2]);
  next_part(text, column, lengths[3]);
  std::snprintf(out, room, "%.*s:%.*s:%.*s", lengths[0], file, lengths[2], line, lengths[3],
                column);
}

constexpr int32_t fatal_severity = 2;  // 1: a warning

omp::tool::Severity severity_of(int32_t severity) {
  return severity == fatal_severity ? omp::tool::Severity::fatal : omp::tool::Severity::warning;
}

}  // namespace

extern "C" {

// The runtime starts when it is needed, and ends with the process.
XYLEM_EXPORT void __kmpc_begin(const Location*, int32_t) {}
XYLEM_EXPORT void __kmpc_end(const Location*) {}

XYLEM_EXPORT int32_t __kmpc_ok_to_fork(const Location*) { return 1; }

// Of all threads that the caller could meet: those of its outermost team.
XYLEM_EXPORT int32_t __kmpc_global_num_threads(const Location*) {
  return omp::level() > 0 ? omp::team_size(1) : 1;
}

// Soft and hard are the same here; 0: to go on, which nothing hinders.
XYLEM_EXPORT int32_t __kmpc_pause_resource(int32_t kind) {
  return kind == 0 || omp::release_resources() ? 0 : 1;
}

// 0: disabled, 1: default, 2: mandatory.
XYLEM_EXPORT int32_t __kmpc_get_target_offload() {
  omp::ensure_runtime();
  switch (omp::target_offload_var()) {
    case omp::TargetOffload::disabled:
      return 0;
    case omp::TargetOffload::mandatory:
      return 2;
    default:
      return 1;
  }
}

// With the words and numbers of LLVM's own messages, which programs' tests look for.
XYLEM_EXPORT void __kmpc_error(const Location* location, int32_t severity, const char* message) {
  char place[256];
  print_place(place, sizeof place, location);
  const char* text = message ? message : "(null)";
  if (omp::tool::on()) [[unlikely]]
    omp::tool::report_error(omp::tool::here(), severity_of(severity), text, std::strlen(text));
  if (severity != fatal_severity) {
    std::fprintf(stderr, "OMP: Warning #283: %s: Encountered user-directed warning: %s.\n", place,
                 text);
    return;
  }
  std::fprintf(stderr, "OMP: Error #282: %s: Encountered user-directed error: %s.\n", place, text);
  std::abort();
}

}  // extern "C"
