// Finding processes to watch: see top_find.hpp.
#include "tool/top/top_find.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <string_view>

#include "os/files.hpp"
#include "os/processes.hpp"
#include "sched/live/live_page.hpp"
#include "tool/top/top_watch.hpp"

namespace xylem::tool {

namespace {

bool has_loaded_xylem(int process) {
  std::vector<char> maps;
  if (os::read_all(fmt::format("/proc/{}/maps", process).c_str(), maps) != 0) return false;
  return std::string_view(maps.data(), maps.size()).find("/libxylem.so") != std::string_view::npos;
}

bool has_ended(const os::ProcessState& state) { return state.state == 'Z' || state.state == 'X'; }

}  // namespace

std::vector<Watchable> watchable_processes() {
  std::vector<int> all;
  os::list_processes(all);
  std::vector<Watchable> found;
  for (const int process : all) {
    os::ProcessState state;
    if (os::find_shared_memory(process, sched::live_name) < 0) continue;
    if (os::read_process(process, state) != 0 || has_ended(state)) continue;
    LivePage page;
    if (!page.attach(process).empty()) continue;  // a child that has its parent's
    found.push_back({process, state.threads, command_line_of(process)});
  }
  return found;
}

std::string why_not_watchable(int process) {
  os::ProcessState state;
  if (os::read_process(process, state) != 0)
    return fmt::format("there is no process {}; `xylem top` alone lists those to watch", process);
  if (has_ended(state)) return fmt::format("process {} has ended", process);
  const int found = os::find_shared_memory(process, sched::live_name);
  const std::string what = fmt::format("process {} ({})", process, command_line_of(process));
  if (found == -EACCES || found == -EPERM)
    return os::owner_of(process) == os::own_user()
               ? fmt::format("{} keeps its descriptors to itself: watch it as root", what)
               : fmt::format("process {} belongs to another user: watch it as that user or as root",
                             process);
  if (found >= 0) return {};
  if (found != -ENOENT) return fmt::format("process {} has ended", process);
  if (!has_loaded_xylem(process))
    return fmt::format("{} does not run on Xylem; start it by `xylem run`", what);
  return fmt::format(
      "{} has Xylem loaded and nothing to show: it has not opened a parallel region of more than "
      "one "
      "thread yet, or has closed the descriptor that shows it, or its system makes no such memory "
      "(memfd_create); try again later",
      what);
}

}  // namespace xylem::tool
