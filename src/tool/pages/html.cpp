// The report as a page: bars of local and remote accesses by node, as paper 001's Figures 2, 5 and
// 9, and a heat map of pages by node.
#include <fmt/core.h>

#include <algorithm>

#include "tool/command/common.hpp"
#include "tool/pages/placements.hpp"

namespace xylem::tool::report {

namespace {

constexpr double bar_height = 160;
constexpr double bar_width = 24;
constexpr double heat_row = 14;
constexpr double heat_column = 5;

double largest(const PageReport& report) {
  double most = 1;
  for (const PlacedPages& placed : report.placements)
    for (const count::Served& node : placed.by_node)
      most = std::max(most, node.local + node.remote);
  return most;
}

std::string bars(const PlacedPages& placed, double most) {
  std::string made = fmt::format(
      "<h2>{}</h2>\n<p>{:.1f}% of accesses are remote; the node that serves most serves {:.2f} "
      "times "
      "the mean; {} pages moved.</p>\n<svg width=\"{}\" height=\"{}\" role=\"img\">\n",
      placed.name, placed.remote_percent(), placed.most_by_mean(), placed.moves,
      bar_width * static_cast<double>(placed.by_node.size()) + 10, bar_height + 20);
  for (std::size_t node = 0; node < placed.by_node.size(); ++node) {
    const count::Served& served = placed.by_node[node];
    const double x = bar_width * static_cast<double>(node);
    const double local = bar_height * served.local / most;
    const double remote = bar_height * served.remote / most;
    made += fmt::format(
        "<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"#9aa7a0\"><title>node "
        "{}: {:.0f} "
        "local</title></rect>\n"
        "<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"#20302a\"><title>node "
        "{}: {:.0f} "
        "remote</title></rect>\n"
        "<text x=\"{}\" y=\"{}\" font-size=\"11\">{}</text>\n",
        x, bar_height - local, bar_width - 4, local, node, served.local, x,
        bar_height - local - remote, bar_width - 4, remote, node, served.remote, x + 4,
        bar_height + 14, node);
  }
  return made + "</svg>\n";
}

std::string heat_map(const PageReport& report) {
  const double most = std::max(
      1.0, report.heat.empty() ? 0 : *std::max_element(report.heat.begin(), report.heat.end()));
  std::string made = fmt::format(
      "<h2>Who accesses which pages</h2>\n<p>{} pages from left to right by address, a row for "
      "each node "
      "whose threads access them; darker is more.</p>\n<svg width=\"{}\" height=\"{}\" "
      "role=\"img\">\n",
      report.pages, heat_column * static_cast<double>(report.columns),
      heat_row * static_cast<double>(report.nodes));
  for (std::size_t at = 0; at < report.heat.size(); ++at) {
    if (report.heat[at] <= 0) continue;
    const auto nodes = static_cast<std::size_t>(report.nodes);
    const std::size_t column = at / nodes;
    const std::size_t node = at % nodes;
    made += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#7a1f1f\" "
        "fill-opacity=\"{:.3f}\"/>\n",
        heat_column * static_cast<double>(column), heat_row * static_cast<double>(node),
        heat_column, heat_row - 1, std::max(0.05, report.heat[at] / most));
  }
  return made + "</svg>\n";
}

}  // namespace

std::string html_of(const PageReport& report, const std::string& title) {
  std::string made = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body{{font:14px sans-serif;margin:2em}}</style></head><body>\n<h1>{0}</h1>\n"
      "<p>{1} accesses to {2} pages of {3} bytes, {4} memory nodes. Gray: accesses by threads on "
      "the "
      "page's node; black: by others.</p>\n",
      escaped(title), report.accesses, report.pages, report.page_bytes, report.nodes);
  for (const PlacedPages& placed : report.placements) made += bars(placed, largest(report));
  return made + heat_map(report) + "</body></html>\n";
}

}  // namespace xylem::tool::report
