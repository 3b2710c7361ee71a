// Owns: layouts of placements. See layout.hpp.
#include "mem/map/layout.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "mem/map/nodes.hpp"
#include "mem/map/synthetic_pages.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

void* Pages::address(size_t index) const {
  return reinterpret_cast<void*>((first + index) * os::page_size());
}
size_t Pages::bytes() const { return count * os::page_size(); }

Pages pages_of(const void* start, size_t bytes) {
  if (bytes == 0) return {};
  const size_t page = os::page_size();
  const auto at = reinterpret_cast<uintptr_t>(start);
  return {at / page, (at + bytes - 1) / page - at / page + 1};
}

// As the kernel counts pages of private mappings, but that kernels differ in where they begin.
int Block::node_of(uintptr_t page) const { return nodes.empty() ? -1 : nodes[page % nodes.size()]; }

namespace {

os::PagePolicy policy_of(const Layout& layout) {
  switch (layout.placement) {
    case Placement::process:
      return os::PagePolicy::process;
    case Placement::first_touch:
      return os::PagePolicy::local;
    case Placement::interleaved:
      return os::PagePolicy::interleaved;
    case Placement::node:
    case Placement::least_loaded:
    case Placement::spread:
      break;
  }
  return os::PagePolicy::preferred;
}

bool are_nodes(std::span<const int> nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [](int node) { return node >= 0 && node < node_count(); });
}

// The order in which the kernel takes turns.
bool comes_first(int a, int b) {
  return std::pair(kernel_node(a), a) < std::pair(kernel_node(b), b);
}

}  // namespace

Block Layout::block(size_t index, size_t pages) const {
  const size_t first = pages * index / blocks();
  const size_t end = pages * (index + 1) / blocks();
  Block block{first, end - first, policy_of(*this), nodes};
  if (placement == Placement::spread) block.nodes = {nodes[index]};
  return block;
}

int settle(const How& how, Layout& layout) {
  layout.placement = how.placement;
  layout.huge = how.huge;
  switch (how.placement) {
    case Placement::process:
    case Placement::first_touch:
      return 0;
    case Placement::node:
      layout.nodes = {how.node};
      break;
    case Placement::least_loaded:
      layout.nodes = {least_loaded_node()};
      break;
    case Placement::interleaved:
      layout.nodes = usable_nodes();
      std::sort(layout.nodes.begin(), layout.nodes.end(), comes_first);
      break;
    case Placement::spread:
      layout.nodes.assign(how.part_nodes.begin(), how.part_nodes.end());
      break;
  }
  if (layout.nodes.empty()) return how.placement == Placement::spread ? -EINVAL : -ENOENT;
  return are_nodes(layout.nodes) ? 0 : -EINVAL;
}

namespace {

// Pages that are there stay where they are.
void record_homes(const Pages& pages, const Block& block) {
  std::array<uint8_t, pages_a_batch> present;
  for (size_t done = 0; done < block.count; done += present.size()) {
    const size_t count = std::min(present.size(), block.count - done);
    const Pages some{pages.first + block.first + done, count};
    os::pages_present(some.address(), {present.data(), count});
    for (size_t i = 0; i < count; ++i) {
      const uintptr_t page = some.first + i;
      if (!present[i] || synthetic_pages().home(page) == SyntheticPages::no_home)
        synthetic_pages().set_home(page, block.node_of(page));
    }
  }
}

int set_policy(const Pages& pages, const Block& block, const NodeList& nodes) {
  os::NodeSet set;
  for (const int node : nodes) set.add(kernel_node(node));
  return os::set_page_policy(pages.address(block.first), block.count * os::page_size(),
                             block.policy, set);
}

// A node without memory, which the kernel does not take, stands for the nearest that has some.
int apply(const Pages& pages, const Block& block) {
  if (block.count == 0) return 0;
  if (nodes_are_synthetic()) return record_homes(pages, block), 0;
  if (!kernel_places_pages()) return 0;
  int error = set_policy(pages, block, block.nodes);
  if (error == -EINVAL && block.policy == os::PagePolicy::preferred)
    error = set_policy(pages, block, {nearest_with_memory(block.nodes.front())});
  if (error && error != -EFAULT) record_refusal("place pages on nodes", error);
  return error;
}

}  // namespace

int apply_policies(const Pages& pages, const Layout& layout) {
  int first_error = 0;
  if (layout.placement == Placement::interleaved && !layout.huge && kernel_places_pages())
    os::advise_huge_pages(pages.address(), pages.bytes(), false);
  for (size_t i = 0; i < layout.blocks(); ++i) {
    const int error = apply(pages, layout.block(i, pages.count));
    if (!first_error) first_error = error;
  }
  return first_error;
}

}  // namespace xylem::mem
