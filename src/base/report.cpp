// Owns the set of warnings already given: a fixed table of format strings, filled from the front.
// Invariant: a slot goes once from null to a format and never changes again, so a reader that
// meets null has seen every format before it. When the table is full, warnings are dropped.
#include "base/report.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xylem::base {
namespace {

constexpr std::size_t kMaxWarnings = 64;
constexpr std::size_t kMaxLine = 512;

// Written by whoever warns first about something; the strings are literals, so relaxed is enough.
constinit std::array<std::atomic<const char*>, kMaxWarnings> given_warnings{};
// Relaxed throughout: it publishes nothing.
constinit std::atomic<bool> silenced{false};

// One fputs on unbuffered stderr is one write, so lines stay whole.
void print_line(const char* kind, const char* format, std::va_list arguments) {
  std::array<char, kMaxLine> line;
  int start = std::snprintf(line.data(), line.size(), "xylem: %s", kind);
  const std::size_t room = line.size() - static_cast<std::size_t>(start) - 1;
  int length = std::vsnprintf(line.data() + start, room, format, arguments);
  if (length < 0) length = 0;
  const std::size_t end =
      static_cast<std::size_t>(start) +
      (static_cast<std::size_t>(length) < room ? static_cast<std::size_t>(length) : room - 1);
  line[end] = '\n';
  line[end + 1] = '\0';
  std::fputs(line.data(), stderr);
}

// True for the one call that enters the format into the table.
bool is_first(const char* format) {
  for (auto& slot : given_warnings) {
    // Relaxed: only the pointer itself is compared, and what it points to is constant.
    const char* seen = slot.load(std::memory_order_relaxed);
    if (seen == nullptr && slot.compare_exchange_strong(seen, format, std::memory_order_relaxed)) {
      return true;
    }
    if (seen == format || std::strcmp(seen, format) == 0) return false;
  }
  return false;
}

}  // namespace

void fatal(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print_line("fatal: ", format, arguments);
  va_end(arguments);
  std::abort();
}

void warn_once(const char* format, ...) {
  const int saved_errno = errno;
  if (!silenced.load(std::memory_order_relaxed) && is_first(format)) {
    std::va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
  }
  errno = saved_errno;
}

void say(const char* format, ...) {
  const int saved_errno = errno;
  std::va_list arguments;
  va_start(arguments, format);
  print_line("", format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

void warn(const char* format, ...) {
  const int saved_errno = errno;
  if (!silenced.load(std::memory_order_relaxed)) {
    std::va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
  }
  errno = saved_errno;
}

void silence_warnings(bool silent) { silenced.store(silent, std::memory_order_relaxed); }

}  // namespace xylem::base
