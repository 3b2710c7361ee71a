// Owns: whole ranges that are placed and moved. See range_moves.hpp.
#include "mem/move/range_moves.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "mem/map/holds.hpp"
#include "mem/map/layout.hpp"
#include "mem/map/moves.hpp"
#include "mem/move/huge_pages.hpp"
#include "mem/touch/next_touch.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {

// What becomes of huge pages that a move divides.
enum class HugePages : uint8_t { whole, split };

int move_in_batches(const Pages& pages, std::span<const int> wanted, Moved& counts) {
  int error = 0;
  for (size_t done = 0; done < pages.count && !error; done += pages_a_batch) {
    const Pages some{pages.first + done, std::min(pages_a_batch, pages.count - done)};
    error = move_pages(some, wanted.data() + done, counts);
  }
  return error;
}

// Where page i of a range belongs is asked for a huge page at a time.
template <typename Wanted>
int move_all(const Pages& pages, Wanted wanted_node, HugePages huge, size_t* moved) {
  Moved counts;
  int error = 0;
  std::vector<int> wanted(std::min(pages.count, pages_in_huge_page()));
  for (size_t done = 0; done < pages.count && !error; done += wanted.size()) {
    const uintptr_t first = pages.first + done;
    wanted.resize(pages_in_same_huge_page(first, pages.count - done));
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted_node(done + i);
    const Pages some{first, wanted.size()};
    if (huge == HugePages::split) split_huge_page(some, wanted);
    error = move_in_batches(some, wanted, counts);
  }
  if (moved) *moved = counts.moved;
  return error ? error : counts.stuck > 0 ? -EBUSY : 0;
}

int move_by_layout(const Pages& pages, const Layout& layout, size_t* moved) {
  size_t index = 0;
  Block block = layout.block(0, pages.count);
  return move_all(
      pages,
      [&](size_t page) {
        while (page >= block.first + block.count) block = layout.block(++index, pages.count);
        return block.node_of(pages.first + page);
      },
      layout.huge ? HugePages::whole : HugePages::split, moved);
}

int place_held(const Pages& pages, const Layout& layout, bool move, size_t* moved) {
  const int error = apply_policies(pages, layout);
  if (!move || layout.nodes.empty()) return error;
  const int move_error = move_by_layout(pages, layout, moved);
  return error ? error : move_error;
}

}  // namespace

// A page that is marked for next touch is not in its place: what is to move now is unmarked first.

int place_range(void* start, size_t bytes, const How& how, bool move) {
  Layout layout;
  if (const int error = settle(how, layout)) return error;
  if (move) forget_next_touch(start, bytes);
  const Pages pages = pages_of(start, bytes);
  const RangeHold hold(pages.address(), pages.bytes());
  return place_held(pages, layout, move, nullptr);
}

int move_range(void* start, size_t bytes, int node, size_t* moved) {
  if (moved) *moved = 0;
  How how;
  how.placement = Placement::node;
  how.node = node;
  Layout layout;
  if (const int error = settle(how, layout)) return error;
  forget_next_touch(start, bytes);
  const Pages pages = pages_of(start, bytes);
  const RangeHold hold(pages.address(), pages.bytes());
  return place_held(pages, layout, true, moved);
}

int move_each(void* start, std::span<const int> nodes, size_t* moved) {
  if (moved) *moved = 0;
  const size_t bytes = nodes.size() * os::page_size();
  forget_next_touch(start, bytes);
  const Pages pages = pages_of(start, bytes);
  const RangeHold hold(pages.address(), pages.bytes());
  return move_all(
      pages, [nodes](size_t page) { return nodes[page]; }, HugePages::split, moved);
}

}  // namespace xylem::mem
