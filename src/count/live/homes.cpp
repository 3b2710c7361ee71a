// Owns: the engines' questions to memory. See homes.hpp.
#include "count/live/homes.hpp"

#include <algorithm>
#include <cstddef>

#include "mem/map/memory.hpp"
#include "mem/move/huge_pages.hpp"
#include "mem/move/range_moves.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"

namespace xylem::count {

namespace {

// Pages that are not far apart are asked for in one call.
constexpr uint64_t most_gap = 16;

void* address_of(uint64_t page) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(page) * os::page_size());
}

// Cells [begin, end) with the pages of one call.
std::size_t end_of_run(std::span<const Cell> cells, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < cells.size() && cells[end].row - cells[end - 1].row <= most_gap) ++end;
  return end;
}

void add_homes(std::span<const Cell> cells, std::vector<PageHome>& homes) {
  const uint64_t first = cells.front().row;
  std::vector<int> nodes(static_cast<std::size_t>(cells.back().row - first) + 1);
  mem::locate(address_of(first), nodes.size() * os::page_size(), nodes);
  for (const Cell& cell : cells) {
    const int node = nodes[static_cast<std::size_t>(cell.row - first)];
    const bool again = !homes.empty() && homes.back().page == cell.row;
    if (node >= 0 && !again) homes.push_back({cell.row, node});
  }
}

}  // namespace

std::vector<PageHome> homes_of(std::span<const Cell> cells) {
  std::vector<PageHome> homes;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    end = end_of_run(cells, begin);
    add_homes(cells.subspan(begin, end - begin), homes);
  }
  return homes;
}

void book_synthetic_homes(std::span<const ProgramArray> arrays) {
  if (!mem::nodes_are_synthetic()) return;
  for (const ProgramArray& array : arrays) {
    auto* start = reinterpret_cast<void*>(array.start);
    std::vector<int> nodes(mem::pages_in(start, array.bytes));
    mem::locate(start, array.bytes, nodes);
    if (std::ranges::all_of(nodes, [](int node) { return node < 0; }))
      mem::place_range(start, array.bytes, {.placement = mem::Placement::interleaved}, true);
  }
}

std::vector<int64_t> free_pages() {
  std::vector<int64_t> room = mem::room_bytes();
  for (int64_t& of_node : room) of_node /= static_cast<int64_t>(os::page_size());
  return room;
}

namespace {

// The moves of an array's pages.
std::span<const PageMove> moves_in(const ProgramArray& array, std::span<const PageMove> moves) {
  const auto first =
      std::ranges::lower_bound(moves, array.start / os::page_size(), {}, &PageMove::page);
  const auto end = std::ranges::upper_bound(
      moves, (array.start + array.bytes - 1) / os::page_size(), {}, &PageMove::page);
  return {first, end};
}

bool divide_huge_pages(std::span<const PageMove> moves) {
  std::vector<int> nodes;
  for (std::size_t begin = 0; begin < moves.size(); begin += nodes.size()) {
    const uint64_t huge_page = moves[begin].page / mem::pages_in_huge_page();
    nodes.clear();
    for (std::size_t i = begin; i < moves.size(); ++i) {
      if (moves[i].page / mem::pages_in_huge_page() != huge_page) break;
      nodes.push_back(moves[i].to);
    }
    if (mem::divides_huge_page(nodes)) return true;
  }
  return false;
}

}  // namespace

void refuse_huge_pages(uintptr_t start, std::size_t bytes) {
  const uintptr_t page = os::page_size(), first = start / page * page;
  const uintptr_t end = (start + bytes + page - 1) / page * page;
  os::advise_huge_pages(reinterpret_cast<void*>(first), end - first, false);
}

void keep_small_pages(std::span<const PageMove> moves) {
  if (moves.empty() || mem::nodes_are_synthetic()) return;
  for (const ProgramArray& array : program_arrays())
    if (divide_huge_pages(moves_in(array, moves))) refuse_huge_pages(array.start, array.bytes);
}

void make_moves(std::span<const PageMove> moves) {
  std::vector<int> nodes;
  for (std::size_t begin = 0, end = 0; begin < moves.size(); begin = end) {
    nodes.clear();
    for (end = begin; end < moves.size() && moves[end].page == moves[begin].page + (end - begin);
         ++end)
      nodes.push_back(moves[end].to);
    mem::move_each(address_of(moves[begin].page), nodes, nullptr);
  }
}

}  // namespace xylem::count
