// Owns: what OMP_TOOL_VERBOSE_INIT makes the search for a tool say.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace xylem::abi::ompt {

class StartLog {
 public:
  // disabled, stdout, stderr, or a file's name.
  explicit StartLog(const char* where) : out_(open(where)) {
    say("----- START LOGGING OF TOOL REGISTRATION -----\n");
  }
  ~StartLog() {
    say("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (out_ && out_ != stdout && out_ != stderr) std::fclose(out_);
  }
  StartLog(const StartLog&) = delete;
  StartLog& operator=(const StartLog&) = delete;

  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) {
    if (!out_) return;
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(out_, format, arguments);
    va_end(arguments);
  }

 private:
  static std::FILE* open(const char* where) {
    if (std::strcmp(where, "disabled") == 0) return nullptr;
    if (std::strcmp(where, "stdout") == 0) return stdout;
    if (std::strcmp(where, "stderr") == 0) return stderr;
    return std::fopen(where, "we");
  }

  std::FILE* const out_;  // null: nothing is said
};

}  // namespace xylem::abi::ompt
