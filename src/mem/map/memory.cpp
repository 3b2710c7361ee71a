// Owns: memory with pages of its own: mapping, placing and releasing it. See memory.hpp.
#include "mem/map/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <new>

#include "mem/map/holds.hpp"
#include "mem/map/layout.hpp"
#include "mem/map/moves.hpp"
#include "mem/map/regions.hpp"
#include "mem/map/synthetic_pages.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {

// Sums. relaxed: they guard no data.
constinit std::atomic<int64_t> mapped{0};
constinit std::array<std::atomic<int64_t>, os::most_nodes> placed{};
// Placement, and node above it. relaxed: one word that refers to nothing.
constinit std::atomic<uint64_t> default_word{static_cast<uint64_t>(Placement::process)};
constexpr int node_shift = 8;

size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct Mapping {
  char* start = nullptr;
  size_t bytes = 0;
};

// `alignment` is a multiple of the page size: what is too much at both ends goes back.
Mapping map_aligned(size_t bytes, size_t alignment) {
  const size_t more = alignment - os::page_size();
  if (bytes > SIZE_MAX - more) return {};
  char* start = os::map_memory(bytes + more);
  if (!start || more == 0) return {start, bytes};
  const auto at = reinterpret_cast<uintptr_t>(start);
  const size_t before = rounded(at, alignment) - at;
  if (before > 0) os::unmap_pages(start, before);
  if (more > before) os::unmap_pages(start + before + bytes, more - before);
  return {start + before, bytes};
}

// Reserved huge pages first. Not with `strict`: of these a node may have none, and a touch would
// end the program.
Mapping map_huge(size_t bytes, const How& how, size_t huge) {
  bytes = rounded(bytes, huge);
  if (!how.strict && how.alignment <= huge)
    if (char* start = os::map_huge_memory(bytes)) return {start, bytes};
  const Mapping mapping = map_aligned(bytes, std::max(how.alignment, huge));
  if (mapping.start) os::advise_huge_pages(mapping.start, bytes, true);
  return mapping;
}

Mapping map(size_t bytes, const How& how) {
  const size_t page = os::page_size();
  constexpr size_t most = SIZE_MAX / 4;  // so that rounding up stays in range
  if (bytes > most || how.alignment > most) return {};
  bytes = rounded(std::max<size_t>(bytes, 1), page);
  const size_t huge = how.huge ? os::huge_page_size() : 0;
  return huge > 0 ? map_huge(bytes, how, huge) : map_aligned(bytes, std::max(how.alignment, page));
}

// Each node's free memory is enough for the blocks that it gets.
bool have_room(const Layout& layout, size_t bytes) {
  for (const int node : layout.nodes) {
    const auto blocks = std::count(layout.nodes.begin(), layout.nodes.end(), node);
    const auto wanted = static_cast<size_t>(blocks) * (bytes / layout.nodes.size());
    const int64_t free = free_bytes(node);
    if (free >= 0 && static_cast<size_t>(free) < wanted) return false;
  }
  return true;
}

void touch_all(const Pages& pages) {
  for (size_t i = 0; i < pages.count; ++i) *static_cast<volatile char*>(pages.address(i)) = 0;
}

bool all_where_they_belong(const Pages& pages, const Layout& layout) {
  std::array<int, pages_a_batch> nodes;
  for (size_t index = 0; index < layout.blocks(); ++index) {
    const Block block = layout.block(index, pages.count);
    for (size_t done = 0; done < block.count; done += nodes.size()) {
      const Pages some{pages.first + block.first + done,
                       std::min(nodes.size(), block.count - done)};
      if (find_pages(some, nodes.data())) return false;
      for (size_t i = 0; i < some.count; ++i)
        if (nodes[i] != block.node_of(some.first + i)) return false;
    }
  }
  return true;
}

// The pages are made at once: a policy that allows no other node would end the program when the
// node is full at a later touch.
bool fill_strictly(const Pages& pages, const Layout& layout) {
  if (layout.nodes.empty()) return true;
  if (!have_room(layout, pages.bytes())) return false;
  if (!kernel_places_pages()) return true;
  const int error = os::populate_pages(pages.address(), pages.bytes());
  if (error == -EINVAL || error == -ENOSYS)
    touch_all(pages);
  else if (error)
    return false;
  return all_where_they_belong(pages, layout);
}

bool place_new(const Pages& pages, const Layout& layout, const How& how) {
  if (nodes_are_synthetic()) synthetic_pages().forget(pages.first, pages.count);
  if (how.strict && !have_room(layout, pages.bytes())) return false;
  if (layout.placement == Placement::process) return true;  // as it is
  const int error = apply_policies(pages, layout);
  return !how.strict || (!error && fill_strictly(pages, layout));
}

void count_placed(const Region& region, int sign) {
  if (!region.placed) return;
  const size_t nodes = region.placed->size();
  for (size_t i = 0; i < nodes; ++i) {
    const size_t bytes = region.bytes * (i + 1) / nodes - region.bytes * i / nodes;
    placed[static_cast<size_t>((*region.placed)[i])].fetch_add(sign * static_cast<int64_t>(bytes),
                                                               std::memory_order_relaxed);
  }
}

bool enter(const Mapping& mapping, const Layout& layout) {
  Region region;
  region.start = reinterpret_cast<uintptr_t>(mapping.start);
  region.bytes = mapping.bytes;
  region.origin = Origin::mapped;
  if (!layout.nodes.empty()) region.placed = new (std::nothrow) NodeList(layout.nodes);
  if (regions().add_in_place(region) != 0) {
    delete region.placed;
    return false;
  }
  count_placed(region, 1);
  mapped.fetch_add(static_cast<int64_t>(region.bytes), std::memory_order_relaxed);
  return true;
}

}  // namespace

void set_default_placement(Placement placement, int node) {
  const auto word = static_cast<uint64_t>(static_cast<uint32_t>(node)) << node_shift;
  default_word.store(word | static_cast<uint64_t>(placement), std::memory_order_relaxed);
}
How default_placement() {
  const uint64_t word = default_word.load(std::memory_order_relaxed);
  How how;
  how.placement = static_cast<Placement>(word & ((1u << node_shift) - 1));
  how.node = static_cast<int>(static_cast<uint32_t>(word >> node_shift));
  return how;
}

void* map_placed(size_t bytes, const How& how) {
  Layout layout;
  if (settle(how, layout)) return nullptr;
  const Mapping mapping = map(bytes, how);
  if (!mapping.start) return nullptr;
  const Pages pages = pages_of(mapping.start, mapping.bytes);
  if (place_new(pages, layout, how) && enter(mapping, layout)) return mapping.start;
  if (nodes_are_synthetic()) synthetic_pages().forget(pages.first, pages.count);
  os::unmap_pages(mapping.start, mapping.bytes);
  return nullptr;
}

void release_pages(void* start) {
  const auto at = reinterpret_cast<uintptr_t>(start);
  const RangeHold hold(start, mapped_bytes(start));
  Region whole;
  if (!regions().take(at, Origin::mapped, whole)) return;
  count_placed(whole, -1);
  delete whole.placed;
  mapped.fetch_sub(static_cast<int64_t>(whole.bytes), std::memory_order_relaxed);
  const Pages pages = pages_of(start, whole.bytes);
  if (nodes_are_synthetic()) synthetic_pages().forget(pages.first, pages.count);
  os::unmap_pages(static_cast<char*>(start), whole.bytes);
}

size_t mapped_bytes(const void* start) {
  return regions().whole_bytes(reinterpret_cast<uintptr_t>(start), Origin::mapped);
}

int64_t placed_bytes(int node) {
  if (node < 0 || node >= os::most_nodes) return 0;
  return placed[static_cast<size_t>(node)].load(std::memory_order_relaxed);
}

Statistics statistics() {
  Statistics sums = move_statistics();
  sums.mapped_bytes = mapped.load(std::memory_order_relaxed);
  return sums;
}

void lock_regions() XYLEM_NO_THREAD_ANALYSIS { regions().before_fork(); }
void unlock_regions(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { regions().after_fork(); }
void lock_synthetic_pages() XYLEM_NO_THREAD_ANALYSIS { synthetic_pages().before_fork(); }
void unlock_synthetic_pages(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS {
  synthetic_pages().after_fork();
}

}  // namespace xylem::mem
