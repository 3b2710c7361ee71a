// See served.hpp.
#include "omp/team/served.hpp"

#include <atomic>
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

void tell_kernel_threads() {
  static constinit std::atomic<bool> told{false};
  if (!read_runtime_settings().verbose || told.load(std::memory_order_relaxed)) return;
  const os::ThreadNeed* need = sched::why_kernel_threads();
  // relaxed: only one of those who ask says it
  if (need && !told.exchange(true, std::memory_order_relaxed))
    base::say("each OpenMP thread is a kernel thread, as %s imports %s (docs/threads.md)",
              need->module.data(), need->symbol);
}

}  // namespace

bool tell_served() {
  const bool more = sched::scan_openmp_users(tell, nullptr);
  tell_kernel_threads();
  return more;
}

}  // namespace xylem::omp
