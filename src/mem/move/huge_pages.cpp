// Owns: splitting huge pages before moves. See huge_pages.hpp.
#include "mem/move/huge_pages.hpp"

#include <algorithm>
#include <array>

#include "mem/map/moves.hpp"
#include "mem/map/nodes.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

namespace {

// From the first to the last of the pages that are not where they are wanted.
Pages misplaced(const Pages& pages, std::span<const int> wanted) {
  Pages found{pages.first, 0};
  std::array<int, pages_a_batch> nodes;
  for (size_t done = 0; done < pages.count; done += nodes.size()) {
    const Pages some{pages.first + done, std::min(nodes.size(), pages.count - done)};
    if (find_pages(some, nodes.data()) != 0) return {};
    for (size_t i = 0; i < some.count; ++i) {
      if (wanted[done + i] < 0 || nodes[i] < 0 || nodes[i] == wanted[done + i]) continue;
      if (found.count == 0) found.first = some.first + i;
      found.count = some.first + i + 1 - found.first;
    }
  }
  return found;
}

}  // namespace

size_t pages_in_huge_page() { return os::transparent_huge_page / os::page_size(); }

size_t pages_in_same_huge_page(uintptr_t first, size_t count) {
  return std::min(count, pages_in_huge_page() - first % pages_in_huge_page());
}

bool divides_huge_page(std::span<const int> wanted) {
  const auto differs = [&](int node) { return node != wanted.front(); };
  if (wanted.size() == pages_in_huge_page() && std::ranges::none_of(wanted, differs)) return false;
  return std::ranges::any_of(wanted, [](int node) { return node >= 0; });
}

void split_huge_page(const Pages& pages, std::span<const int> wanted) {
  if (!kernel_places_pages() || !divides_huge_page(wanted)) return;
  Pages part = misplaced(pages, wanted);
  if (part.count == pages_in_huge_page()) --part.count;  // the kernel splits around parts alone
  if (part.count > 0) os::split_huge_pages(part.address(), part.bytes());
}

}  // namespace xylem::mem
