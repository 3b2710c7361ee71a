// What `xylem topo` shows: see machine_view.hpp.
#include "tool/topo/machine_view.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <utility>

#include "os/cgroup.hpp"
#include "os/process.hpp"
#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

// Nodes and PUs have the kernel's numbers, which users type elsewhere (numactl, taskset); the rest
// is counted from left to right.
void number_levels(MachineView& view) {
  std::map<std::pair<topo::LevelKind, int>, int> next;
  for (const topo::Level& level : view.levels) {
    const bool kernels = level.kind == topo::LevelKind::node || level.kind == topo::LevelKind::pu;
    const int counted = next[{level.kind, level.cache_depth}]++;
    view.numbers.push_back(kernels ? level.os_index : counted);
  }
}

void number_workers(MachineView& view) {
  for (const topo::Pu& pu : view.machine->pus()) {
    view.workers.push_back(pu.allowed ? view.allowed++ : -1);
  }
}

std::string host_name() {
  std::array<char, 256> buffer;
  os::host_name(buffer.data(), buffer.size());
  return buffer.data();
}

}  // namespace

MachineView make_view(std::unique_ptr<topo::Machine> machine, const std::string& drawing,
                      bool full) {
  MachineView view;
  view.machine = std::move(machine);
  view.levels = full ? view.machine->full_levels() : view.machine->levels();
  view.node_at.assign(view.levels.size(), -1);
  for (int node = view.machine->node_count() - 1; node >= 0; --node) {
    const topo::Node& bank = view.machine->node(node);
    const int level = full ? bank.full_level : bank.level;
    if (level >= 0) view.node_at[static_cast<std::size_t>(level)] = node;
  }
  number_levels(view);
  number_workers(view);
  if (!view.machine->synthetic()) view.quota = os::read_allowance().cpu_quota;
  view.team = topo::usable_threads(view.allowed, view.quota);
  view.host = view.machine->synthetic() ? drawing : host_name();
  return view;
}

std::string level_title(const MachineView& view, int level) {
  const topo::Level& it = view.levels[static_cast<std::size_t>(level)];
  const int number = view.numbers[static_cast<std::size_t>(level)];
  switch (it.kind) {
    case topo::LevelKind::machine:
      return "Machine";
    case topo::LevelKind::package:
      return fmt::format("Package {}", number);
    case topo::LevelKind::node:
      return fmt::format("Node {}", number);
    case topo::LevelKind::cache:
      return fmt::format("L{} {}", it.cache_depth, number);
    case topo::LevelKind::core:
      return fmt::format("Core {}", number);
    case topo::LevelKind::pu:
      return fmt::format("PU {}", number);
    case topo::LevelKind::group:
      return fmt::format("Group {}", number);
  }
  return "?";
}

std::string level_memory(const MachineView& view, int level) {
  const int node = view.node_at[static_cast<std::size_t>(level)];
  if (node < 0) return {};
  std::string text;
  for (int bank = 0; bank < view.machine->node_count(); ++bank) {
    if (view.machine->node(bank).level != view.machine->node(node).level) continue;
    const topo::Node& it = view.machine->node(bank);
    if (it.bytes == 0) continue;
    if (!text.empty()) text += " + ";
    const bool named = view.levels[static_cast<std::size_t>(level)].kind == topo::LevelKind::node &&
                       it.os_index == view.numbers[static_cast<std::size_t>(level)];
    if (!named) text += fmt::format("node {}: ", it.os_index);
    text += memory_text(it.bytes);
  }
  return text;
}

std::string allowance_text(const MachineView& view) {
  const std::string quota =
      view.quota > 0 ? fmt::format("CPU quota of {:.2g} PUs", view.quota) : "no CPU quota";
  const std::string team = counted(view.team, "thread");
  if (view.machine->synthetic())
    return fmt::format("a synthetic machine: workers are not bound; default team of {}", team);
  return fmt::format("{} of {} allowed, {}; default team of {}", view.allowed,
                     counted(view.machine->pu_count(), "PU"), quota, team);
}

std::string machine_text(const MachineView& view) {
  return fmt::format("{}, {}", counted(view.machine->pu_count(), "PU"),
                     counted(view.machine->node_count(), "node"));
}

}  // namespace xylem::tool
