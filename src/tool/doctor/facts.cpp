// Reading what `xylem doctor` looks at: see findings.hpp.
#include <algorithm>
#include <string_view>

#include "count/source/idle.hpp"
#include "count/source/pmu.hpp"
#include "mem/touch/next_touch.hpp"
#include "os/event_counter.hpp"
#include "os/files.hpp"
#include "os/shared_object.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

std::string read_text(const std::string& path) {
  std::vector<char> bytes;
  if (os::read_all(path.c_str(), bytes) != 0) return {};
  return std::string(os::trim({bytes.data(), bytes.size()}));
}

std::optional<long long> read_number(const std::string& path) {
  long long value = 0;
  const std::string text = read_text(path);
  if (!os::parse_integer(text, value)) return std::nullopt;
  return value;
}

// The line of /proc/self/limits or status that starts with `name`, without the name.
std::string line_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = os::next_part(text, '\n');
    if (line.starts_with(name)) return std::string(os::trim(line.substr(name.size())));
  }
  return {};
}

// "8388608   unlimited   bytes": the soft limit; -1 if unlimited.
std::optional<long long> soft_limit(const std::string& limits, std::string_view name) {
  const std::string line = line_of(limits, name);
  std::string_view rest = line;
  const std::string_view soft = os::next_part(rest, ' ');
  if (soft == "unlimited") return -1;
  long long value = 0;
  if (!os::parse_integer(soft, value)) return std::nullopt;
  return value;
}

// "always [madvise] never": the word in brackets.
std::string chosen_word(const std::string& text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

}  // namespace

Facts read_facts(const Environment& environment, const std::string& root) {
  Facts facts;
  facts.environment = environment;
  facts.allowance = os::read_allowance(root);
  facts.limits = os::read_cgroup_limits(root);
  if (os::online_cpus(facts.online, root) != 0) facts.online = facts.allowance.cpus;
  facts.usable = topo::usable_threads(facts.allowance.cpus.count(), facts.allowance.cpu_quota);
  os::CpuSet nodes;
  const std::string node_list = read_text(root + "/sys/devices/system/node/online");
  if (os::parse_cpu_list(node_list, nodes)) facts.nodes = std::max(nodes.count(), 1);
  facts.auto_numa = read_number(root + "/proc/sys/kernel/numa_balancing").value_or(0) > 0;
  facts.pool_library = !root.empty() || os::load_library("libtbbmalloc.so.2", {}, {});
  facts.asks_kernel = root.empty();
  if (facts.asks_kernel) {
    facts.next_touch = mem::next_touch_obstacle();
    facts.pmu = count::pmu_obstacle({});
    facts.misses = os::counter_obstacle({});
    facts.idle = count::idle_obstacles();
    facts.idle_page_ns = count::measure_idle_ns();
  }
  facts.huge_pages = chosen_word(read_text(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  facts.max_maps = read_number(root + "/proc/sys/vm/max_map_count");
  const std::string limits = read_text(root + "/proc/self/limits");
  facts.stack = soft_limit(limits, "Max stack size");
  facts.processes = soft_limit(limits, "Max processes");
  const std::string seccomp = line_of(read_text(root + "/proc/self/status"), "Seccomp:");
  facts.seccomp = !seccomp.empty() && seccomp != "0";
  return facts;
}

}  // namespace xylem::tool
