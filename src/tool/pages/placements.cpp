// What a file of counts comes to on a machine: see placements.hpp.
#include "tool/pages/placements.hpp"

#include <algorithm>
#include <numeric>

#include "mem/cost/costs_estimate.hpp"

namespace xylem::tool::report {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

double sum_of(const std::vector<count::Served>& nodes, double count::Served::*part) {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                         [=](double sum, const count::Served& node) { return sum + node.*part; });
}

// Thread t on PU t, and round again where threads outnumber PUs.
std::vector<int> nodes_of_threads(const topo::Machine& machine, int threads) {
  std::vector<int> nodes;
  nodes.reserve(index_of(threads));
  for (int thread = 0; thread < threads; ++thread)
    nodes.push_back(std::max(0, machine.pus()[index_of(thread) % machine.pus().size()].node));
  return nodes;
}

std::vector<count::PageHome> round_robin(const std::vector<count::Cell>& cells, int nodes) {
  std::vector<count::PageHome> homes;
  for (const count::Cell& cell : cells)
    if (homes.empty() || homes.back().page != cell.row)
      homes.push_back({cell.row, static_cast<int>(homes.size() % index_of(nodes))});
  return homes;
}

void apply(const count::PagePlan& plan, std::vector<count::PageHome>& homes) {
  std::size_t at = 0;
  for (const count::PageMove& move : plan.moves) {
    while (homes[at].page != move.page) ++at;
    homes[at].node = move.to;
  }
}

void fill_heat(const std::vector<count::Cell>& cells, PageReport& report) {
  report.columns = std::min<std::size_t>(most_columns, report.pages);
  report.heat.assign(report.columns * index_of(report.nodes), 0);
  uint64_t page = 0;  // by number among those accessed
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0 && cells[i].row != cells[i - 1].row) ++page;
    const std::size_t column = page * report.columns / report.pages;
    report.heat[column * index_of(report.nodes) + index_of(cells[i].node)] +=
        static_cast<double>(cells[i].accesses());
  }
}

}  // namespace

double PlacedPages::local() const { return sum_of(by_node, &count::Served::local); }
double PlacedPages::remote() const { return sum_of(by_node, &count::Served::remote); }
double PlacedPages::remote_percent() const {
  const double all = local() + remote();
  return all > 0 ? 100 * remote() / all : 0;
}
double PlacedPages::most_by_mean() const {
  double most = 0;
  for (const count::Served& node : by_node) most = std::max(most, node.local + node.remote);
  const double all = local() + remote();
  return all > 0 ? most * static_cast<double>(by_node.size()) / all : 1;
}

base::Result<PageReport> report_on(const count::Counts& counts, const topo::Machine& machine,
                                   double iterations) {
  const int nodes = machine.node_count();
  if (nodes < 1) return base::Error{"cannot be told of on a machine without memory nodes"};
  if (counts.rows() == count::Rows::threads)
    return base::Error{"has threads by nodes: which pages they accessed is not in it"};
  if (counts.rows() == count::Rows::pages && counts.nodes() != nodes)
    return base::Error{"has another number of nodes than the machine"};
  const count::Counts histogram =
      counts.rows() == count::Rows::pages
          ? counts
          : count::page_histogram(counts, nodes_of_threads(machine, counts.nodes()), nodes);
  const std::vector<count::Cell> cells = histogram.sorted();
  std::vector<count::PageHome> homes = round_robin(cells, nodes);
  PageReport report{nodes, homes.size(), histogram.accesses(), counts.page_bytes(), {}, {}, 0};
  report.placements.push_back({"round robin", count::served(cells, homes, nodes), 0});
  const plan::Costs costs = mem::estimated_costs(machine);
  const count::PagePlan plan =
      count::plan_pages({cells, homes, costs, iterations, nullptr, {}, {}});
  apply(plan, homes);
  report.placements.push_back(
      {"page engine", count::served(cells, homes, nodes), plan.moves.size()});
  if (report.pages > 0) fill_heat(cells, report);
  return report;
}

}  // namespace xylem::tool::report
