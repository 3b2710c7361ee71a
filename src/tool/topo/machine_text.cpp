// A machine as text: see machine_text.hpp.
#include "tool/topo/machine_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "os/cpus.hpp"
#include "tool/command/common.hpp"
#include "topo/copy_threshold.hpp"

namespace xylem::tool {

namespace {

const topo::Level& level_at(const MachineView& view, int level) {
  return view.levels[static_cast<std::size_t>(level)];
}

std::string list_text(const os::CpuSet& numbers) {
  std::array<char, 512> buffer;
  os::format_cpu_list(numbers, buffer.data(), buffer.size());
  return buffer.data();
}

// "PUs 0-1 <- workers 0-1" for the PUs below a level; those not allowed are said to be so.
std::string pus_text(const MachineView& view, const topo::Level& level) {
  os::CpuSet allowed;
  os::CpuSet forbidden;
  os::CpuSet workers;
  for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu) {
    const int worker = view.workers[static_cast<std::size_t>(pu)];
    (worker >= 0 ? allowed : forbidden).add(view.machine->pu_os_index(pu));
    workers.add(worker);
  }
  std::string text;
  if (!allowed.empty()) {
    text = fmt::format("PU{} {}  worker{} {}", allowed.count() == 1 ? "" : "s", list_text(allowed),
                       workers.count() == 1 ? "" : "s", list_text(workers));
  }
  if (!forbidden.empty()) {
    text += fmt::format("{}PU{} {} not allowed", text.empty() ? "" : ";  ",
                        forbidden.count() == 1 ? "" : "s", list_text(forbidden));
  }
  return text;
}

bool only_pus_below(const MachineView& view, const topo::Level& level) {
  for (int child = level.first_child; child < level.first_child + level.child_count; ++child) {
    if (level_at(view, child).kind != topo::LevelKind::pu) return false;
  }
  return true;
}

void draw_level(const MachineView& view, int at, const std::string& indent, std::string& out) {
  const topo::Level& level = level_at(view, at);
  const std::string memory = level_memory(view, at);
  out += level.kind == topo::LevelKind::pu ? pus_text(view, level) : level_title(view, at);
  if (!memory.empty()) out += fmt::format(" ({})", memory);
  const bool closed = level.child_count > 0 && only_pus_below(view, level);
  if (closed && level.kind != topo::LevelKind::machine) {
    out += ": " + pus_text(view, level) + "\n";
    return;
  }
  out += "\n";
  for (int child = 0; child < level.child_count; ++child) {
    const bool last = child + 1 == level.child_count;
    out += indent + (last ? "└─ " : "├─ ");
    draw_level(view, level.first_child + child, indent + (last ? "   " : "│  "), out);
  }
}

using Cell = std::function<std::uint64_t(int, int)>;

void draw_table(const MachineView& view, const std::string& title, const Cell& cell,
                std::string& out) {
  const int nodes = view.machine->node_count();
  std::size_t width = 4;
  for (int from = 0; from < nodes; ++from) {
    for (int to = 0; to < nodes; ++to) {
      width = std::max(width, std::to_string(cell(from, to)).size() + 1);
    }
  }
  out += "\n" + title + "\n" + fmt::format("{:>8}", "from\\to");
  for (int to = 0; to < nodes; ++to) {
    out += fmt::format("{:>{}}", view.machine->node(to).os_index, width);
  }
  for (int from = 0; from < nodes; ++from) {
    out += fmt::format("\n{:>8}", view.machine->node(from).os_index);
    for (int to = 0; to < nodes; ++to) {
      const std::uint64_t value = cell(from, to);
      out += value == 0 ? fmt::format("{:>{}}", "-", width) : fmt::format("{:>{}}", value, width);
    }
  }
  out += "\n";
}

bool any(const MachineView& view, const Cell& cell) {
  for (int from = 0; from < view.machine->node_count(); ++from) {
    for (int to = 0; to < view.machine->node_count(); ++to) {
      if (cell(from, to) != 0) return true;
    }
  }
  return false;
}

void draw_tables(const MachineView& view, std::string& out) {
  const topo::Machine& machine = *view.machine;
  const auto table = [&](const char* title, const Cell& cell) {
    if (any(view, cell)) draw_table(view, title, cell, out);
  };
  table("Distances between nodes, as the firmware tells them (10 is local):",
        [&](int from, int to) { return machine.distance(from, to); });
  table("Bandwidth between nodes, MiB/s:",
        [&](int from, int to) { return machine.bandwidth_mib(from, to); });
  table("Latency between nodes, ns:",
        [&](int from, int to) { return machine.latency_ns(from, to); });
}

// Nodes that hold memory and no PUs stand in no level.
void draw_far_memory(const MachineView& view, std::string& out) {
  for (int node = 0; node < view.machine->node_count(); ++node) {
    const topo::Node& bank = view.machine->node(node);
    if (bank.level >= 0) continue;
    out += fmt::format("Node {}: memory without PUs\n", bank.os_index);
  }
}

}  // namespace

std::string draw_text(const MachineView& view) {
  std::string out =
      fmt::format("{}: {}\n{}\n\n", view.host, machine_text(view), allowance_text(view));
  draw_level(view, 0, "", out);
  draw_far_memory(view, out);
  draw_tables(view, out);
  return out;
}

std::string copy_threshold_text(const topo::Machine& machine, int pu_a, int pu_b) {
  const topo::CopyThreshold found = topo::copy_threshold(machine, pu_a, pu_b, 0);
  const std::string pair =
      fmt::format("PU {} and PU {}", machine.pu_os_index(pu_a), machine.pu_os_index(pu_b));
  if (found.level < 0) {
    return fmt::format("{}: nothing is known of their caches, so there is no threshold.\n", pair);
  }
  const int depth = machine.full_levels()[static_cast<std::size_t>(found.level)].cache_depth;
  return fmt::format(
      "{} {} an L{} cache of {}, which {} of their processes {}.\n"
      "Messages of more than {} are better copied past the caches.\n",
      pair, found.shared ? "share" : "each have", depth, memory_text(found.cache_bytes),
      found.processes, found.processes == 1 ? "uses" : "use", memory_text(found.bytes));
}

}  // namespace xylem::tool
