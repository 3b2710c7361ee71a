// See served.hpp.
#include "omp/team/served.hpp"

#include <string_view>

#include "base/report.hpp"
#include "omp/env/settings.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

std::string_view name_of(const os::OpenMpUser& user) {
  return user.path.empty() ? "the program" : user.path;
}

int length(std::string_view text) { return static_cast<int>(text.size()); }

// Where Xylem is first among the process's libraries, the module was opened to look into its own
// before (RTLD_DEEPBIND).
void warn_of_two(const os::OpenMpUser& user) {
  const std::string_view caller = name_of(user);
  if (user.xylem_first)
    base::warn_once(
        "two OpenMP runtimes are in this process, each with its own threads: %.*s calls %.*s, "
        "not Xylem; make that file a link to %.*s",
        length(caller), caller.data(), length(user.other), user.other.data(), length(user.xylem),
        user.xylem.data());
  else
    base::warn_once(
        "two OpenMP runtimes are in this process, each with its own threads: %.*s calls %.*s, "
        "not Xylem; start the program by `xylem run`",
        length(caller), caller.data(), length(user.other), user.other.data());
}

void tell(const os::OpenMpUser& user, void*) {
  if (!user.other.empty()) return warn_of_two(user);
  if (!read_runtime_settings().verbose) return;
  const std::string_view caller = name_of(user);
  if (user.asks_for)
    base::say("serves %.*s, which asks for %s", length(caller), caller.data(), user.asks_for);
  else
    base::say("serves %.*s", length(caller), caller.data());
}

}  // namespace

bool tell_served() { return sched::scan_openmp_users(tell, nullptr); }

}  // namespace xylem::omp
