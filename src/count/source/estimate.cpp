// Owns: the estimate. See estimate.hpp.
#include "count/source/estimate.hpp"

#include <algorithm>
#include <vector>

namespace xylem::count {

namespace {

// Cells of one page.
std::span<const Cell> first_page(std::span<const Cell> cells) {
  std::size_t end = 1;
  while (end < cells.size() && cells[end].row == cells[0].row) ++end;
  return cells.first(end);
}

void add_page(std::span<const Cell> touches, const EstimateRules& rules, Counts& accesses) {
  uint64_t all = 0;
  for (const Cell& cell : touches) all += cell.accesses();
  if (all == 0) return;
  for (const Cell& cell : touches) {
    const uint64_t share = rules.accesses_a_page * cell.accesses() / all;
    accesses.add(cell.row, cell.node, std::max<uint64_t>(share, 1), 0);
  }
}

bool share_an_array(uint64_t page, uint64_t later, std::span<const PageRange> arrays) {
  const auto next = std::ranges::upper_bound(arrays, page, {}, &PageRange::first);
  if (next == arrays.begin()) return false;
  const PageRange& array = *(next - 1);
  return later < array.first + array.count;
}

}  // namespace

Counts estimate(const Counts& touches, std::span<const PageRange> arrays, EstimateRules rules) {
  Counts accesses(Rows::pages_by_threads, touches.nodes(), touches.page_bytes());
  const std::vector<Cell> cells = touches.sorted();
  std::span<const Cell> rest(cells), before;
  while (!rest.empty()) {
    const std::span<const Cell> page = first_page(rest);
    rest = rest.subspan(page.size());
    add_page(page, rules, accesses);
    const bool alike = before.size() == 1 && page.size() == 1 && before[0].node == page[0].node &&
                       page[0].row - before[0].row <= rules.most_gap + 1 &&
                       share_an_array(before[0].row, page[0].row, arrays);
    for (uint64_t row = alike ? before[0].row + 1 : page[0].row; row < page[0].row; ++row)
      accesses.add(row, page[0].node, rules.accesses_a_page, 0);
    before = page;
  }
  return accesses;
}

Counts shared_by_all(const Counts& pages, std::span<const int> node_of, EstimateRules rules) {
  struct Share {
    int member = 0;
    uint64_t accesses = 0;
  };
  std::vector<Share> shares;
  for (int member = 0; member < static_cast<int>(node_of.size()); ++member) {
    const int node = node_of[static_cast<std::size_t>(member)];
    if (std::ranges::find(node_of, node) - node_of.begin() != member) continue;
    const auto there = static_cast<uint64_t>(std::ranges::count(node_of, node));
    shares.push_back(
        {member, std::max<uint64_t>(rules.accesses_a_page * there / node_of.size(), 1)});
  }
  Counts accesses(Rows::pages_by_threads, pages.nodes(), pages.page_bytes());
  for (const Cell& cell : pages.sorted())
    for (const Share& share : shares)
      accesses.add(cell.row, share.member, cell.writes == 0 ? share.accesses : 0,
                   cell.writes > 0 ? share.accesses : 0);
  return accesses;
}

Counts per_iteration(const Counts& samples, uint64_t iterations) {
  Counts accesses(samples.rows(), samples.nodes(), samples.page_bytes());
  for (const Cell& cell : samples.sorted()) {
    const uint64_t reads = cell.reads / iterations, writes = cell.writes / iterations;
    const bool is_rare = reads + writes == 0;
    accesses.add(cell.row, cell.node, is_rare && cell.reads > 0 ? 1 : reads,
                 is_rare && cell.reads == 0 ? 1 : writes);
  }
  return accesses;
}

}  // namespace xylem::count
