// What of the machine and the process's limits will hurt: see findings.hpp.
#include <cmath>

#include "os/files.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

constexpr long long kMebi = 1 << 20;
constexpr long long kSmallStack = 8 * kMebi;  // what kernels give by default
constexpr long long kUsualMaps = 65530;       // likewise

void check_mask(const Facts& facts, std::vector<Finding>& out) {
  const int allowed = facts.allowance.cpus.count();
  const int online = facts.online.count();
  const long long asked = threads_asked(facts);
  if (allowed == 1 && asked > 1) {
    out.push_back({"one-core-mask", true,
                   fmt::format("This process may run on processor {} alone, but OMP_NUM_THREADS "
                               "asks for {} threads: they will take turns on one core.",
                               cpu_list(facts.allowance.cpus), asked),
                   online > 1 ? "Widen the mask (taskset, numactl, or the batch system's cpus per "
                                "task), or unset OMP_NUM_THREADS."
                              : "Unset OMP_NUM_THREADS."});
  } else if (allowed < online) {
    out.push_back({"mask", false,
                   fmt::format("This process may use {} of {} ({}).", allowed,
                               counted(online, "processor"), cpu_list(facts.allowance.cpus)),
                   "Xylem keeps to them; nothing to do if that is meant."});
  }
}

void check_quota(const Facts& facts, std::vector<Finding>& out) {
  const double quota = facts.allowance.cpu_quota;
  const int allowed = facts.allowance.cpus.count();
  if (quota <= 0 || quota >= allowed) return;
  out.push_back({"quota", true,
                 fmt::format("A control group gives this process {:.2g} processors' worth of time, "
                             "but it sees {}: more threads than the quota stop together for the "
                             "rest of each period.",
                             quota, allowed),
                 fmt::format("Leave OMP_NUM_THREADS unset, Xylem then makes teams of {}; or raise "
                             "the quota (docker --cpus, a pod's CPU limit, systemd's CPUQuota).",
                             facts.usable)});
}

void check_oversubscription(const Facts& facts, std::vector<Finding>& out) {
  const long long asked = threads_asked(facts);
  if (asked <= facts.usable) return;
  const bool active = value_of(facts.environment, "OMP_WAIT_POLICY").starts_with("a") ||
                      value_of(facts.environment, "OMP_WAIT_POLICY").starts_with("A");
  if (active) {
    out.push_back({"active-waiting", true,
                   fmt::format("OMP_WAIT_POLICY=active makes waiting threads spin, and {} of them "
                               "share {}: those that wait hold up those that work.",
                               asked, counted(facts.usable, "processor")),
                   "Unset OMP_WAIT_POLICY, or set it to passive."});
  }
  if (facts.allowance.cpus.count() == 1) return;  // check_mask has said it
  out.push_back({"too-many-threads", true,
                 fmt::format("OMP_NUM_THREADS asks for {} threads, but {} can run at once.", asked,
                             facts.usable),
                 fmt::format("Unset OMP_NUM_THREADS or set it to {}; the program's results may "
                             "depend on it only if they should.",
                             facts.usable)});
}

}  // namespace

long long threads_asked(const Facts& facts) {
  const std::string text = value_of(facts.environment, "OMP_NUM_THREADS");
  long long asked = 0;
  if (!os::parse_integer(text.substr(0, text.find(',')), asked)) return 0;
  return asked;
}

void check_processors(const Facts& facts, std::vector<Finding>& out) {
  check_mask(facts, out);
  check_quota(facts, out);
  check_oversubscription(facts, out);
}

void check_memory(const Facts& facts, std::vector<Finding>& out) {
  const std::string bind = value_of(facts.environment, "OMP_PROC_BIND");
  const bool refused = bind == "false" || bind == "FALSE";
  const bool bound =
      !refused && (!bind.empty() || !value_of(facts.environment, "OMP_PLACES").empty() ||
                   !value_of(facts.environment, "GOMP_CPU_AFFINITY").empty());
  if (facts.auto_numa && bound && facts.nodes > 1) {
    out.push_back(
        {"auto-numa", true,
         "The kernel moves pages on its own (AutoNUMA: kernel.numa_balancing is on) while "
         "the environment binds threads: its page faults cost time and it undoes "
         "placement that is already right.",
         "As root: `sysctl kernel.numa_balancing=0`; or leave OMP_PROC_BIND and "
         "OMP_PLACES unset."});
  } else if (facts.auto_numa && facts.nodes > 1) {
    out.push_back({"auto-numa-on", false,
                   "The kernel moves pages on its own (AutoNUMA: kernel.numa_balancing is on).",
                   "Timings vary more from run to run; switch it off to compare runs."});
  }
  if (facts.nodes > 1 && facts.seccomp) {
    out.push_back({"seccomp", false,
                   "System calls of this process are filtered (seccomp), as in a container; the "
                   "filter may refuse to place or move memory on nodes.",
                   "If placement does nothing, allow mbind, move_pages and set_mempolicy (docker: "
                   "--cap-add SYS_NICE)."});
  }
  if (facts.nodes > 1 && !facts.pool_library) {
    out.push_back({"pool-library", false,
                   "oneTBB's allocator (libtbbmalloc.so.2) is not installed: small blocks that a "
                   "program places on nodes take pages of their own.",
                   "Install it (Debian: libtbbmalloc2) if programs allocate many small blocks by "
                   "xylem_malloc_on_node or the partition trait."});
  }
  if (facts.nodes > 1 && facts.next_touch) {
    out.push_back({"next-touch", false,
                   "Pages cannot be moved to the thread that touches them next "
                   "(xylem_memory_move_on_next_touch).",
                   std::string("Only for programs that ask for it: ") + facts.next_touch + "."});
  }
  if (facts.nodes > 1 && facts.huge_pages == "always") {
    out.push_back({"huge-pages", false,
                   "Transparent huge pages are always on: memory is placed on nodes in steps of 2 "
                   "MiB, so neighbours in one huge page share a node.",
                   "Nothing to do unless threads of several nodes write into the same 2 MiB."});
  }
}

void check_limits(const Facts& facts, std::vector<Finding>& out) {
  if (facts.stack && *facts.stack >= 0 && *facts.stack < kSmallStack) {
    out.push_back({"stack", true,
                   fmt::format("The stack limit is {}, less than the usual 8 MiB: the program's "
                               "first thread may overflow in deep calls or large local arrays.",
                               memory_text(static_cast<unsigned long long>(*facts.stack))),
                   "`ulimit -s 8192` or more before starting; OMP_STACKSIZE sets the stacks of the "
                   "other threads."});
  }
  if (facts.max_maps && *facts.max_maps < kUsualMaps) {
    out.push_back(
        {"max-maps", true,
         fmt::format("A process may have only {} memory mappings (vm.max_map_count; usual "
                     "is {}): many sleeping threads, each with a stack, may exhaust them.",
                     *facts.max_maps, kUsualMaps),
         fmt::format("As root: `sysctl vm.max_map_count={}` or more.", kUsualMaps)});
  }
  const long long wanted = std::max<long long>(facts.usable, threads_asked(facts)) + 16;
  const long long used = std::max<long long>(facts.limits.pids_used, 0);
  if (facts.limits.pids_max >= 0 && facts.limits.pids_max - used < wanted) {
    out.push_back(
        {"pids", true,
         fmt::format("The control group allows {} processes and threads and {} are there: "
                     "starting {} may fail.",
                     facts.limits.pids_max, used, wanted),
         "Raise the limit (docker --pids-limit, systemd's TasksMax)."});
  }
  if (facts.processes && *facts.processes >= 0 && *facts.processes < wanted) {
    out.push_back({"processes", true,
                   fmt::format("This user may have {} processes and threads; {} may be needed.",
                               *facts.processes, wanted),
                   "`ulimit -u` with a larger number before starting."});
  }
}

}  // namespace xylem::tool
