// `xylem topo`: the machine as Xylem sees it, as text and as SVG, and what memory costs on it.
#include <fmt/core.h>

#include <climits>
#include <memory>

#include "os/files.hpp"
#include "tool/command/common.hpp"
#include "tool/command/drawing.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/topo/copy_times.hpp"
#include "tool/topo/machine_svg.hpp"
#include "tool/topo/machine_text.hpp"
#include "tool/topo/machine_view.hpp"
#include "tool/topo/topo_costs.hpp"

namespace xylem::tool {

namespace {

struct TopoOptions {
  std::string svg;
  std::string machine;
  bool full = false;
  bool costs = false;
  bool measure = false;
  bool copy_threshold = false;
};

constexpr const char* kExamples = R"(Examples:
  xylem topo                       the tree as text
  xylem topo --svg machine.svg     a drawing; `--svg -` writes it to stdout
  xylem topo --machine "pack:2 [numa] l3:2 core:4 pu:2"
  taskset -c 0-3 xylem topo        what a process so bound may use
  xylem topo --costs               what reading, writing and moving memory costs here
  xylem topo --costs --measure     the same, measured anew
  xylem topo --copy-threshold 0 4  from which size on messages between two PUs should pass caches by
  xylem topo --copy-threshold 0 4 --measure   and what both ways take here

Nodes and PUs have the kernel's numbers (as in numactl and taskset), other levels
are counted from left to right. Worker w is bound to the PU beside it.)";

int show_copy_threshold(const topo::Machine& machine, const std::vector<std::string>& words,
                        bool measure) {
  if (words.size() != 2) return complain(kBadUse, "--copy-threshold takes two PUs: A B");
  int pus[2];
  for (std::size_t i = 0; i < 2; ++i) {
    long long number = -1;
    if (os::parse_integer(words[i], number) && number >= 0 && number <= INT_MAX)
      pus[i] = machine.pu_of_os_index(static_cast<int>(number));
    else
      pus[i] = -1;
    if (pus[i] < 0) {
      return complain(kBadUse, "--copy-threshold: there is no PU '{}'; see `xylem topo`", words[i]);
    }
  }
  std::string measured;
  if (measure) {
    if (machine.synthetic()) return complain(kBadUse, "--measure measures this machine alone");
    measured = measured_copies_text(machine, pus[0], pus[1]);
    if (measured.empty()) return complain(kBadUse, "copies between these PUs cannot be measured");
  }
  fmt::print("{}{}", copy_threshold_text(machine, pus[0], pus[1]), measured);
  return kSuccess;
}

int show_machine(const TopoOptions& options, const std::vector<std::string>& words) {
  if (!words.empty() && !options.copy_threshold) {
    return complain(kBadUse, "topo takes no argument '{}'; see `xylem topo --help`", words[0]);
  }
  if (options.measure && !options.costs && !options.copy_threshold) {
    return complain(kBadUse,
                    "--measure measures what --costs or --copy-threshold shows: give both");
  }
  const Drawing drawing = chosen_drawing(options.machine, current_environment());
  // Costs are those of the machine as the runtime sees it: without what is not allowed.
  const base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, options.costs);
  if (!loaded.ok()) return complain(kBadUse, "{}", trouble_with(drawing, loaded.error()));
  if (options.costs) {
    const std::unique_ptr<topo::Machine> machine(loaded.value());
    return show_costs(*machine, drawing.text, options.measure);
  }
  if (options.copy_threshold) {
    const std::unique_ptr<topo::Machine> machine(loaded.value());
    return show_copy_threshold(*machine, words, options.measure);
  }
  const MachineView view =
      make_view(std::unique_ptr<topo::Machine>(loaded.value()), drawing.text, options.full);
  if (const char* broken = view.machine->check()) {
    return complain(kBadUse, "this machine's tree is damaged ({}); please report it", broken);
  }
  if (!options.svg.empty()) return write_drawing(draw_svg(view), "--svg", options.svg);
  fmt::print("{}", draw_text(view));
  return kSuccess;
}

}  // namespace

Command make_topo(CLI::App& parent) {
  auto options = std::make_shared<TopoOptions>();
  CLI::App* app = parent.add_subcommand("topo", "Show the machine and what is bound where");
  app->add_option("--svg", options->svg, "Write a drawing to FILE instead (- is stdout)")
      ->type_name("FILE");
  app->add_option("--machine", options->machine,
                  "Show this machine: an hwloc synthetic description or XML file (without it: "
                  "XYLEM_MACHINE's, as a program would see)")
      ->type_name("DESC");
  app->add_flag("--full", options->full, "Keep levels that hold the same PUs as the one above");
  app->add_flag("--costs", options->costs,
                "Show what access to memory costs between nodes instead; measures it once");
  app->add_flag("--measure", options->measure,
                "With --costs: measure anew; with --copy-threshold: measure, too");
  app->add_flag(
      "--copy-threshold", options->copy_threshold,
      "Say from which size on messages between PUs A and B are better copied past caches");
  app->allow_extras();
  set_usage(*app, "xylem topo [options], xylem topo --copy-threshold A B");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) {
            return show_machine(*options, words);
          }};
}

}  // namespace xylem::tool
