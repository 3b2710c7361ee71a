// Names the KMP_* variables of the environment that are not obeyed.
#include <cstring>
#include <string_view>

#include "base/report.hpp"
#include "omp/env/settings.hpp"

extern char** environ;  // unistd.h

namespace xylem::omp {
namespace {

// About what does not happen here: two runtimes in a process, children that fork() leaves without
// threads.
constexpr std::string_view moot[] = {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK"};

// Of a name that begins with KMP_.
bool is_ignored(std::string_view name) {
  for (const std::string_view each : moot)
    if (name == each) return false;
  for (const Setting& setting : settings_table())
    if (name == setting.name) return false;
  return true;
}

}  // namespace

void name_ignored_settings(const char* const* environment) {
  char names[300] = "";
  std::size_t length = 0;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, "KMP_", 4) != 0) continue;
    std::string_view name = *environment;
    name = name.substr(0, name.find('='));
    const char* between = length > 0 ? ", " : "";
    const std::size_t room = std::strlen(between) + name.size();
    if (!is_ignored(name) || length + room >= sizeof names) continue;
    length += std::string_view(between).copy(names + length, sizeof names);
    length += name.copy(names + length, sizeof names);
    names[length] = '\0';
  }
  if (length > 0) base::warn("%s: not obeyed here", names);
}

void name_ignored_settings() { name_ignored_settings(environ); }

}  // namespace xylem::omp
