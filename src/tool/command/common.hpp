// What all subcommands share: exit codes, messages, the environment as data.
//
// Owns: the command's exit codes and the form of its messages. Invariant: a message is one line on
// stderr that starts with "xylem: ".
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace xylem::tool {

constexpr int kSuccess = 0;
constexpr int kSomethingHurts = 1;  // doctor's answer
constexpr int kBadUse = 2;          // wrong options, or a program that cannot be served
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

// Text that others wrote, fit for a terminal: each byte of what a terminal obeys (control
// characters, also those of UTF-8) and of what is no UTF-8 becomes '?'.
std::string printable(std::string_view text);

// Text as words in HTML and SVG.
std::string escaped(std::string_view text);

template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string line = printable(fmt::format(format, std::forward<Arguments>(arguments)...));
  std::fprintf(stderr, "xylem: %s\n", line.c_str());
}

// say(), for `return complain(kBadUse, ...)`.
template <typename... Arguments>
int complain(int code, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say(format, std::forward<Arguments>(arguments)...);
  return code;
}

// Writes what `option` asks for to the file and says so, or to stdout where the file is "-". The
// command's exit code.
int write_drawing(const std::string& drawing, const char* option, const std::string& file);

// The environment by name; what a child gets.
using Environment = std::map<std::string, std::string>;
Environment current_environment();

// The variable's text, or "" if it is not set.
std::string value_of(const Environment& environment, const std::string& name);

// "1 PU", "3 PUs".
std::string counted(long long count, std::string_view noun);

// "512 MiB", "4.6 GiB".
std::string memory_text(unsigned long long bytes);

}  // namespace xylem::tool
