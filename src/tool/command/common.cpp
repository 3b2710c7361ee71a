// What all subcommands share: see common.hpp.
#include "tool/command/common.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "os/launch.hpp"

namespace xylem::tool {

Environment current_environment() {
  Environment environment;
  for (const char* variable : os::environment_variables()) {
    const std::string_view text = variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

namespace {

// Bytes of the UTF-8 character that `text` begins with; 0: it begins with none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

bool obeyed_by_terminals(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < ' ' || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max(length, std::size_t{1}));
    const bool kept = length > 0 && !obeyed_by_terminals(character);
    out += kept ? character : std::string_view("?");
    text.remove_prefix(character.size());
  }
  return out;
}

int write_drawing(const std::string& drawing, const char* option, const std::string& file) {
  if (file == "-") {
    fmt::print("{}", drawing);
    return kSuccess;
  }
  std::ofstream out(file);
  out << drawing;
  out.close();
  if (!out) return complain(kBadUse, "{} '{}' cannot be written", option, file);
  fmt::print("{}\n", file);
  return kSuccess;
}

std::string counted(long long count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '<') {
      out += "&lt;";
    } else if (letter == '>') {
      out += "&gt;";
    } else if (letter == '&') {
      out += "&amp;";
    } else if (letter == '"') {
      out += "&quot;";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string memory_text(unsigned long long bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  const bool whole = size >= 100 || size - static_cast<double>(static_cast<long long>(size)) < 0.05;
  return whole ? fmt::format("{:.0f} {}", size, kUnits[unit])
               : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace xylem::tool
