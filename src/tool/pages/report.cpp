// `xylem pages report`: where the accesses of a counted run go, under each way to place pages.
#include <fmt/core.h>

#include <cstring>
#include <fstream>
#include <memory>

#include "count/table/counts_file.hpp"
#include "tool/command/common.hpp"
#include "tool/command/drawing.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/pages/placements.hpp"

namespace xylem::tool {

namespace {

constexpr const char* kExamples = R"(Examples:
  XYLEM_ACCESSES=app.counts xylem run ./app      a program linked with libxylem-instrument.so
  xylem pages report --machine "node:8 pu:4" app.counts
  xylem pages report --html app.html app.counts

Local: by threads on the node that has the page. Thread t runs on PU t. Pages are first round robin
over the nodes, then where the page engine would have them for another run of the same.)";

struct ReportOptions {
  std::string machine;
  std::string html;
  double iterations = 1;
};

void print(const report::PageReport& report) {
  fmt::print("{} accesses to {} of {} bytes, {}\n", report.accesses,
             counted(static_cast<long long>(report.pages), "page"), report.page_bytes,
             counted(report.nodes, "node"));
  for (const report::PlacedPages& placed : report.placements) {
    fmt::print("\n{}: {:.1f}% remote, at most {:.2f} times the mean, {} moved\n", placed.name,
               placed.remote_percent(), placed.most_by_mean(),
               counted(static_cast<long long>(placed.moves), "page"));
    for (std::size_t node = 0; node < placed.by_node.size(); ++node)
      fmt::print("  node {:3}  local {:14.0f}  remote {:14.0f}\n", node, placed.by_node[node].local,
                 placed.by_node[node].remote);
  }
}

int write_html(const report::PageReport& report, const std::string& file,
               const std::string& title) {
  std::ofstream out(file);
  out << report::html_of(report, title);
  out.close();
  if (!out) return complain(kBadUse, "--html '{}' cannot be written", file);
  return kSuccess;
}

int show_report(const ReportOptions& options, const std::string& file) {
  const base::Result<count::Counts> counts = count::read_counts(file.c_str());
  if (!counts.ok()) {
    const base::Error& error = counts.error();
    const std::string why = error.code != 0 ? fmt::format(" ({})", std::strerror(error.code)) : "";
    return complain(kBadUse, "'{}' {}{}", file, error.message, why);
  }
  const Drawing drawing = chosen_drawing(options.machine, current_environment());
  const base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, true);
  if (!loaded.ok()) return complain(kBadUse, "{}", trouble_with(drawing, loaded.error()));
  const std::unique_ptr<topo::Machine> machine(loaded.value());
  const base::Result<report::PageReport> made =
      report::report_on(counts.value(), *machine, options.iterations);
  if (!made.ok()) return complain(kBadUse, "'{}' {}", file, made.error().message);
  print(made.value());
  return options.html.empty() ? kSuccess : write_html(made.value(), options.html, file);
}

int serve(const ReportOptions& options, const std::vector<std::string>& words) {
  if (words.size() != 2 || words[0] != "report") {
    return complain(kBadUse, "pages takes `report` and a FILE; see `xylem pages --help`");
  }
  return show_report(options, words[1]);
}

}  // namespace

Command make_pages(CLI::App& parent) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* app = parent.add_subcommand("pages", "Show where the accesses of a counted run go");
  app->add_option("--machine", options->machine,
                  "Place them on this machine: an hwloc synthetic description or XML file")
      ->type_name("DESC");
  app->add_option("--html", options->html, "Write the report as a page with drawings too")
      ->type_name("FILE");
  app->add_option("--again", options->iterations, "Runs that the engine's moves are to pay in (1)")
      ->type_name("N");
  app->allow_extras();
  set_usage(*app, "xylem pages report [options] FILE");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) { return serve(*options, words); }};
}

}  // namespace xylem::tool
