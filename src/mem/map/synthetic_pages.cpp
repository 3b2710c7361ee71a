// Owns: homes of pages on synthetic machines. See synthetic_pages.hpp.
#include "mem/map/synthetic_pages.hpp"

#include <new>
#include <utility>

namespace xylem::mem {

namespace {

constexpr size_t least_room = 1024;

// Pages that follow each other stay apart in the table.
size_t spread(uintptr_t page) { return (page * 0x9e3779b97f4a7c15ull) >> 20; }

}  // namespace

SyntheticPages::Entry* SyntheticPages::find(uintptr_t page) const {
  if (room_ == 0) return nullptr;
  for (size_t at = spread(page);; ++at) {
    Entry& entry = entries_[at & (room_ - 1)];
    if (entry.page == page || entry.page == 0) return &entry;
  }
}

// Entries without a home are left behind.
bool SyntheticPages::grow() {
  const size_t larger = room_ ? room_ * 2 : least_room;
  auto* made = new (std::nothrow) Entry[larger];
  if (!made) return false;
  const Entry* before = std::exchange(entries_, made);
  const size_t old_room = std::exchange(room_, larger);
  used_ = 0;
  for (size_t i = 0; i < old_room; ++i) {
    if (before[i].page == 0 || before[i].node == no_home) continue;
    *find(before[i].page) = before[i];
    ++used_;
  }
  delete[] before;
  return true;
}

void SyntheticPages::count(int node, int64_t pages) {
  if (node >= 0) by_node_[static_cast<size_t>(node)] += pages;
}

int SyntheticPages::home(uintptr_t page) const {
  base::Locked locked(lock_);
  const Entry* entry = find(page);
  return entry && entry->page == page ? entry->node : no_home;
}

int SyntheticPages::set_home(uintptr_t page, int node) {
  base::Locked locked(lock_);
  if (used_ * 2 >= room_ && !grow()) return no_home;
  Entry& entry = *find(page);
  if (entry.page == 0) {
    entry.page = page;
    ++used_;
  }
  const int before = std::exchange(entry.node, node);
  count(before, -1);
  count(node, 1);
  return before;
}

void SyntheticPages::forget(uintptr_t first_page, size_t count_of_pages) {
  base::Locked locked(lock_);
  for (size_t i = 0; i < count_of_pages; ++i) {
    Entry* entry = find(first_page + i);
    if (!entry || entry->page == 0) continue;
    count(entry->node, -1);
    entry->node = no_home;
  }
}

int64_t SyntheticPages::pages_on(int node) const {
  base::Locked locked(lock_);
  return node >= 0 && node < os::most_nodes ? by_node_[static_cast<size_t>(node)] : 0;
}

namespace {
constinit SyntheticPages the_synthetic_pages;
}
SyntheticPages& synthetic_pages() { return the_synthetic_pages; }

}  // namespace xylem::mem
