// What all subcommands share: see common.hpp.
#include "tool/common.hpp"

#include <array>

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

std::string counted(long long count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
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
