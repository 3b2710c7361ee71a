// Owns: what a file of counts comes to on a machine, under each way to place pages: data for the
// report.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "count/engine/pages.hpp"
#include "count/table/counts.hpp"
#include "topo/machine.hpp"

namespace xylem::tool::report {

// Pages placed in one way.
struct PlacedPages {
  std::string name;
  std::vector<count::Served> by_node;
  uint64_t moves = 0;  // from round robin

  double local() const;
  double remote() const;
  double remote_percent() const;
  // Of the node that serves most, by the mean of all; 1 is balanced.
  double most_by_mean() const;
};

struct PageReport {
  int nodes = 0;
  uint64_t pages = 0;
  uint64_t accesses = 0;
  std::size_t page_bytes = 0;
  std::vector<PlacedPages> placements;
  // Of the histogram, pages put together in at most most_columns columns in the order of their
  // addresses: accesses by [column * nodes + node].
  std::vector<double> heat;
  std::size_t columns = 0;
};
inline constexpr std::size_t most_columns = 200;

// `counts` has pages by threads, which then run on the machine's PUs in their order, or pages by
// its nodes. Pages are first round robin over the nodes, in the order of their addresses, as paper
// 001 has it; then as the page engine would have them for `iterations` more such runs. The error:
// what makes that impossible, as the second half of a sentence.
base::Result<PageReport> report_on(const count::Counts& counts, const topo::Machine& machine,
                                   double iterations);

// One page of HTML that needs nothing else. `title` may be any text.
std::string html_of(const PageReport& report, const std::string& title);

}  // namespace xylem::tool::report
