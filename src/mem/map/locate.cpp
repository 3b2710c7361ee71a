// Owns: asking where the pages of ranges are. See memory.hpp.
#include <algorithm>
#include <array>
#include <cerrno>

#include "mem/map/layout.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/moves.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

size_t pages_in(const void* start, size_t bytes) { return pages_of(start, bytes).count; }

int locate(const void* start, size_t bytes, std::span<int> nodes) {
  const Pages pages = pages_of(start, bytes);
  if (nodes.size() < pages.count) return -EINVAL;
  int first_error = 0;
  for (size_t done = 0; done < pages.count; done += pages_a_batch) {
    const Pages some{pages.first + done, std::min(pages_a_batch, pages.count - done)};
    const int error = find_pages(some, nodes.data() + done);
    if (!first_error) first_error = error;
  }
  return first_error;
}

namespace {

// Bytes that the range has in page `index` of its pages.
size_t bytes_in_page(const Pages& pages, size_t index, uintptr_t start, size_t bytes) {
  const size_t page = os::page_size();
  const uintptr_t low = std::max(start, (pages.first + index) * page);
  const uintptr_t high = std::min(start + bytes, (pages.first + index + 1) * page);
  return high - low;
}

// What sample `index` of `samples` stands for.
size_t share_of(size_t bytes, size_t index, size_t samples) {
  const auto up_to = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned __int128>(bytes) * i / samples);
  };
  return up_to(index + 1) - up_to(index);
}

struct Sums {
  std::span<int64_t> by_node;
  size_t nowhere = 0;

  void add(int node, size_t bytes) {
    if (node >= 0 && static_cast<size_t>(node) < by_node.size())
      by_node[static_cast<size_t>(node)] += static_cast<int64_t>(bytes);
    else
      nowhere += bytes;
  }
};

void add_exactly(const Pages& pages, uintptr_t start, size_t bytes, Sums& sums) {
  std::array<int, pages_a_batch> nodes;
  for (size_t done = 0; done < pages.count; done += pages_a_batch) {
    const Pages some{pages.first + done, std::min(pages_a_batch, pages.count - done)};
    find_pages(some, nodes.data());
    for (size_t i = 0; i < some.count; ++i)
      sums.add(nodes[i], bytes_in_page(pages, done + i, start, bytes));
  }
}

// Each sample in the middle of what it stands for.
void add_samples(const Pages& pages, size_t bytes, size_t samples, Sums& sums) {
  for (size_t i = 0; i < samples; ++i) {
    const auto index = static_cast<size_t>(static_cast<unsigned __int128>(pages.count) *
                                           (2 * i + 1) / (2 * samples));
    int node = -ENOENT;
    find_pages({pages.first + index, 1}, &node);
    sums.add(node, share_of(bytes, i, samples));
  }
}

}  // namespace

size_t add_bytes_by_node(const void* start, size_t bytes, std::span<int64_t> bytes_by_node,
                         size_t most_pages) {
  const Pages pages = pages_of(start, bytes);
  Sums sums{bytes_by_node};
  if (pages.count <= most_pages)
    add_exactly(pages, reinterpret_cast<uintptr_t>(start), bytes, sums);
  else
    add_samples(pages, bytes, std::max<size_t>(most_pages, 1), sums);
  return sums.nowhere;
}

}  // namespace xylem::mem
