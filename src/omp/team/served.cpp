// See served.hpp.
#include "omp/team/served.hpp"

#include "base/report.hpp"
#include "omp/env/settings.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

const char* name_of(const os::OpenMpUser& user) { return *user.path ? user.path : "the program"; }

// Where Xylem is first among the process's libraries, the module was opened to look into its own
// before (RTLD_DEEPBIND).
void warn_of_two(const os::OpenMpUser& user) {
  if (user.xylem_first)
    base::warn_once(
        "two OpenMP runtimes are in this process, each with its own threads: %s calls %s, not "
        "Xylem; make that file a link to %s",
        name_of(user), user.other, user.xylem);
  else
    base::warn_once(
        "two OpenMP runtimes are in this process, each with its own threads: %s calls %s, not "
        "Xylem; start the program by `xylem run`",
        name_of(user), user.other);
}

void tell(const os::OpenMpUser& user, void*) {
  if (user.other) return warn_of_two(user);
  if (!read_runtime_settings().verbose) return;
  if (user.asks_for)
    base::say("serves %s, which asks for %s", name_of(user), user.asks_for);
  else
    base::say("serves %s", name_of(user));
}

}  // namespace

bool tell_served() { return sched::scan_openmp_users(tell, nullptr); }

}  // namespace xylem::omp
