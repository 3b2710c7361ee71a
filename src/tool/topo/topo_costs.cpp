// What access costs, as tables: see topo_costs.hpp.
#include "tool/topo/topo_costs.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <span>

#include "hetero/driver/devices.hpp"
#include "hetero/driver/links_file.hpp"
#include "mem/cost/costs_estimate.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/cost/costs_measure.hpp"
#include "omp/env/settings.hpp"
#include "omp/env/settings_folders.hpp"
#include "tool/command/common.hpp"
#include "tool/command/installation.hpp"

namespace xylem::tool {

namespace {

using mem::Costs;

constexpr int64_t patience_ns = 60'000'000'000;  // of somebody who asks for it; programs have less
constexpr double ns_per_byte_and_mb_per_s = 1000;  // their product

void show_progress(int done, int of) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\rxylem: measuring: %d of %d pairs of nodes%s", done, of,
               done == of ? "\n" : "");
}

std::string time_text(int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string measured_text(const Costs& costs) {
  const int pairs = costs.nodes * costs.nodes;
  std::string text = "measured on " + time_text(costs.measured_at);
  if (costs.measured_pairs < pairs) {
    text += fmt::format(" between {} of {} pairs of nodes; the others are estimated from these",
                        costs.measured_pairs, pairs);
  }
  return text;
}

// A row and a column for each node; cells as text, right-aligned.
template <typename Cell>
std::string table(const topo::Machine& machine, const char* title, Cell cell) {
  constexpr int head = 8, width = 14;
  std::string out = fmt::format("\n{}\n{:>{}}", title, "from\\to", head);
  for (int to = 0; to < machine.node_count(); ++to)
    out += fmt::format("{:>{}}", machine.node(to).os_index, width);
  for (int from = 0; from < machine.node_count(); ++from) {
    out += fmt::format("\n{:>{}}", machine.node(from).os_index, head);
    for (int to = 0; to < machine.node_count(); ++to)
      out += fmt::format("{:>{}}", cell(from, to), width);
  }
  return out + "\n";
}

// "120 (1.5)": the value and how many times the local one it is.
std::string times_text(const topo::Machine& machine, const Costs& costs, const char* title,
                       std::span<const double> ns) {
  return table(machine, title, [&](int from, int to) {
    const double value = ns[costs.at(from, to)];
    return fmt::format("{:.0f} ({:.2f})", value, value / ns[costs.at(from, from)]);
  });
}

std::string speed_text(const topo::Machine& machine, const Costs& costs, const char* title,
                       std::span<const double> ns_per_byte) {
  return table(machine, title, [&](int from, int to) {
    const double local = ns_per_byte[costs.at(from, from)], here = ns_per_byte[costs.at(from, to)];
    return fmt::format("{:.0f} ({:.2f})", ns_per_byte_and_mb_per_s / here, local / here);
  });
}

std::string moves_text(const Costs& costs) {
  constexpr double us = 1000;
  std::string out =
      fmt::format("\nMoving pages to another node, {}: {:.1f} us + {:.2f} us a page\n",
                  costs.moves_measured ? "measured" : "estimated", costs.move_start_ns / us,
                  costs.move_page_ns / us);
  for (const int pages : {1, 16, 256, 4096}) {
    const double ns = costs.move_ns(pages);
    const double bytes = pages * static_cast<double>(costs.page_bytes);
    out += fmt::format("{:>8} page{} {:>12.1f} us {:>10.0f} MB/s\n", pages, pages == 1 ? " " : "s",
                       ns / us, bytes * ns_per_byte_and_mb_per_s / ns);
  }
  return out;
}

// One line of a node's: what all threads of a crowd stream together, MB/s.
std::string crowd_text(const plan::NodeStreams& node, plan::Access access, plan::Memory memory,
                       plan::Others others) {
  const int counts[] = {1, std::max(1, node.threads / 2), node.threads};
  const plan::ByCrowd& times = node.of(access, memory, others);
  if (times[0] <= 0) return "";
  std::string out =
      fmt::format("{:>8}{:<11}{:<7}", access == plan::Access::read ? "read " : "write ",
                  memory == plan::Memory::local ? "local" : "elsewhere",
                  others == plan::Others::idle ? "idle" : "busy");
  for (std::size_t crowd = 0; crowd < times.size(); ++crowd)
    out += fmt::format("{:>14.0f}", counts[crowd] * ns_per_byte_and_mb_per_s / times[crowd]);
  return out + "\n";
}

// Paper 000, Table 1, of each node.
std::string streams_text(const topo::Machine& machine, const Costs& costs) {
  std::string out;
  for (int node = 0; node < static_cast<int>(costs.streams.size()); ++node) {
    const plan::NodeStreams& streams = costs.streams[static_cast<std::size_t>(node)];
    out += fmt::format(
        "\nThreads of node {} that stream at once, MB/s together; their memory; other nodes' "
        "threads:\n{:>26}{:>14}{:>14}{:>14}\n",
        machine.node(node).os_index, "", "1", std::max(1, streams.threads / 2), streams.threads);
    for (const plan::Access access : {plan::Access::read, plan::Access::write})
      for (const plan::Memory memory : {plan::Memory::local, plan::Memory::elsewhere})
        for (const plan::Others others : {plan::Others::idle, plan::Others::busy})
          out += crowd_text(streams, access, memory, others);
  }
  return out;
}

// What a copy takes, and how fast a long one is.
std::string link_text(const hetero::Links::Link& link) {
  const std::string speed = link.ns_per_byte > 0
                                ? fmt::format("{:.0f}", ns_per_byte_and_mb_per_s / link.ns_per_byte)
                                : "-";
  return fmt::format("{:>12.1f} us {:>8} MB/s", link.fixed_ns / 1000, speed);
}

// ", near node 1"; "": all processors are as near.
std::string near_text(const topo::Machine& machine, int level) {
  if (level == 0) return "";
  const topo::Level& part = machine.levels()[static_cast<std::size_t>(level)];
  const std::string kind = topo::kind_name(part.kind);
  if (part.os_index >= 0) return fmt::format(", near {} {}", kind, part.os_index);
  return fmt::format(", near PUs {}-{}", part.first_pu, part.first_pu + part.pu_count - 1);
}

// Of each device that codelets would use; "": there is none.
std::string device_links_text(const topo::Machine& machine, const std::string& description,
                              bool anew) {
  static hetero::Memories memories;  // drivers keep its address
  static os::PathBuffer file;
  file = hetero::links_path(omp::cache_folder(), mem::costs_key(machine));
  const omp::RuntimeSettings& settings = omp::read_runtime_settings();
  const std::string folder = library_folder();
  hetero::find_devices(memories, {.cuda = settings.cuda,
                                  .opencl = settings.opencl,
                                  .zero_copy = settings.zero_copy,
                                  .links_file = [] { return file; },
                                  .measures_anew = anew,
                                  .plug_ins = folder.c_str()});
  if (hetero::device_count() == 0) return "";
  std::string out = "\nCopies between main memory and devices of codelets" +
                    (file.size() > 0 ? fmt::format(", kept in {}", file.view()) : "") +
                    fmt::format(":\n{:>28}{:>26}\n", "to the device", "from it");
  const std::vector<int> levels = hetero::device_levels(machine, description);
  for (int device = 1; device <= hetero::device_count(); ++device)
    out += fmt::format("{}{}  device {} ({}){}{}\n",
                       link_text(memories.links().at(hetero::main_memory, device)),
                       link_text(memories.links().at(device, hetero::main_memory)), device,
                       printable(hetero::device_name(device)),
                       near_text(machine, levels[static_cast<std::size_t>(device - 1)]),
                       memories.node(device).shares_main ? ", works in main memory" : "");
  return out;
}

// Where costs of this machine are kept, or "".
std::string file_of(const topo::Machine& machine, uint64_t key) {
  if (machine.synthetic()) return "";
  return mem::costs_path(omp::read_runtime_settings().costs_file, omp::cache_folder(), key).c_str();
}

// Null if they were measured, else why not.
const char* measure(const topo::Machine& machine, Costs& costs) {
  if (machine.synthetic()) return "this machine is synthetic";
  if (isatty(STDERR_FILENO) != 0) say("measuring what access to memory costs; this takes seconds");
  mem::MeasureOptions options;
  options.budget_ns = patience_ns;
  options.progress = show_progress;
  return mem::measure_costs(machine, options, costs);
}

std::string keep(const std::string& file, uint64_t key, const Costs& costs) {
  if (file.empty()) return "not kept: neither XYLEM_COSTS_FILE nor XDG_CACHE_HOME nor HOME is set";
  const int error = mem::write_costs(file.c_str(), key, costs);
  if (error == 0) return "kept in " + file;
  return fmt::format("not kept: {} cannot be written ({})", file, std::strerror(-error));
}

}  // namespace

std::string costs_text(const topo::Machine& machine, const Costs& costs, const std::string& about) {
  return fmt::format("What access to memory costs, {}\n", about) +
         times_text(machine, costs,
                    "Read, one after the other, ns (times the local one):", costs.read_latency_ns) +
         times_text(machine, costs, "Write, one after the other, ns (times the local one):",
                    costs.write_latency_ns) +
         speed_text(machine, costs, "Read in a stream by one thread, MB/s (of the local one):",
                    costs.read_ns_per_byte) +
         speed_text(machine, costs, "Write in a stream by one thread, MB/s (of the local one):",
                    costs.write_ns_per_byte) +
         streams_text(machine, costs) + moves_text(costs);
}

int show_costs(const topo::Machine& machine, const std::string& description, bool anew) {
  const uint64_t key = mem::costs_key(machine);
  const std::string file = file_of(machine, key);
  Costs costs;
  std::string about;
  if (!anew && !file.empty() && mem::read_costs(file.c_str(), key, costs) &&
      costs.nodes == machine.node_count()) {
    about = measured_text(costs) + ", kept in " + file;
  } else if (const char* obstacle = measure(machine, costs)) {
    costs = mem::estimated_costs(machine);
    about = fmt::format("estimated from {}: {}",
                        machine.has_distances() ? "the firmware's distances" : "nothing", obstacle);
  } else {
    about = measured_text(costs) + ", " + keep(file, key, costs);
  }
  fmt::print("{}{}", costs_text(machine, costs, about),
             device_links_text(machine, description, anew));
  return kSuccess;
}

}  // namespace xylem::tool
