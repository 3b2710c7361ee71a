// The environment in which a program runs on Xylem: see on_xylem.hpp.
#include "tool/command/on_xylem.hpp"

#include <strings.h>

#include <filesystem>

namespace xylem::tool {

namespace {

void put_first(Environment& environment, const std::string& name, const std::string& value) {
  std::string& list = environment[name];
  list = list.empty() ? value : value + ":" + list;
}

// The words of the setting XYLEM_INTERPOSE that switch it off; the runtime complains of wrong ones.
bool interposes(const Environment& environment, const OnXylem& options) {
  if (options.no_interpose) return false;
  const auto found = environment.find("XYLEM_INTERPOSE");
  return found == environment.end() || strcasecmp(found->second.c_str(), "false") != 0;
}

// Who has engines that move pages needs to know the program's large blocks.
bool needs_arrays(const Environment& environment) {
  if (environment.contains("XYLEM_RECORD_PLAN") || environment.contains("XYLEM_APPLY_PLAN"))
    return true;
  const auto found = environment.find("XYLEM_ENGINES");
  return found != environment.end() && strcasecmp(found->second.c_str(), "off") != 0;
}

// A plan is what engines that move pages found.
void put_plans(Environment& environment, const OnXylem& options) {
  if (!options.apply.empty()) environment["XYLEM_APPLY_PLAN"] = options.apply;
  if (options.record.empty()) return;
  environment["XYLEM_RECORD_PLAN"] = std::filesystem::absolute(options.record).string();
  environment.try_emplace("XYLEM_ENGINES", "pages");
}

}  // namespace

void put_on_xylem(Environment& environment, const OnXylem& options, const std::string& folder,
                  bool preload) {
  const std::string waits = folder + "/libxylem-wait.so";
  std::error_code ignored;
  if (preload && interposes(environment, options) && std::filesystem::exists(waits, ignored))
    put_first(environment, "LD_PRELOAD", waits);
  put_plans(environment, options);
  const std::string arrays = folder + "/libxylem-arrays.so";
  if (preload && needs_arrays(environment) && std::filesystem::exists(arrays, ignored))
    put_first(environment, "LD_PRELOAD", arrays);
  if (preload) put_first(environment, "LD_PRELOAD", folder + "/libxylem.so");
  if (options.no_interpose) environment["XYLEM_INTERPOSE"] = "false";
  if (options.no_share) environment["XYLEM_SHARE"] = "false";
  if (options.verbose) environment["XYLEM_VERBOSE"] = "true";
  put_first(environment, "LD_LIBRARY_PATH", folder);
  if (!options.policy.empty()) environment["XYLEM_POLICY"] = options.policy;
  if (!options.threads.empty()) environment["OMP_NUM_THREADS"] = options.threads;
  if (!options.machine.empty()) environment["XYLEM_MACHINE"] = options.machine;
  // Absolute: the program may be elsewhere by the time it starts the runtime.
  if (!options.trace.empty())
    environment["XYLEM_TRACE"] = std::filesystem::absolute(options.trace).string();
}

}  // namespace xylem::tool
