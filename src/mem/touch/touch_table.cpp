// Owns: extents and shadows. See touch_table.hpp.
#include "mem/touch/touch_table.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/report.hpp"
#include "os/memory.hpp"
#include "os/user_faults.hpp"

namespace xylem::mem {

namespace {

// Each extent is a mapping of the process in the kernel's books, of which there are 65,530 unless
// the administrator allows more. Marks stop earlier than cuts, which cannot be refused.
constexpr size_t room = size_t{1} << 17;
constexpr size_t room_for_marks = room - 4096;

size_t bits_bytes(size_t pages) {
  return pages <= 64 ? 0 : ((pages + 63) / 64 * 8 + touch_page - 1) / touch_page * touch_page;
}

size_t count_marked(const Extent& extent, size_t first, size_t last) {
  size_t count = 0;
  for (size_t i = first; i < last; ++i) count += extent.marked(i) ? 1 : 0;
  return count;
}

}  // namespace

bool TouchTable::open() {
  extents_ = reinterpret_cast<Extent*>(os::map_table(room * sizeof(Extent)));
  shadows_ = reinterpret_cast<Shadow*>(os::map_table(room * sizeof(Shadow)));
  if (extents_ && shadows_) return true;
  close();
  return false;
}

void TouchTable::close() {
  if (extents_) os::unmap_range(reinterpret_cast<uintptr_t>(extents_), room * sizeof(Extent));
  if (shadows_) os::unmap_range(reinterpret_cast<uintptr_t>(shadows_), room * sizeof(Shadow));
  *this = TouchTable();
}

size_t TouchTable::position(uintptr_t address) const {
  const Extent* found = std::upper_bound(extents_, extents_ + count_, address,
                                         [](uintptr_t a, const Extent& p) { return a < p.end(); });
  return static_cast<size_t>(found - extents_);
}

Extent* TouchTable::from(uintptr_t address) {
  const size_t at = position(address);
  return at < count_ ? &extents_[at] : nullptr;
}

Extent* TouchTable::at(uintptr_t address) {
  Extent* extent = from(address);
  return extent && extent->start <= address ? extent : nullptr;
}

Extent* TouchTable::insert(size_t at, const Extent& extent) {
  if (count_ == room)
    base::fatal("next touch: more than %zu ranges are marked; mark fewer, larger ones", room);
  std::copy_backward(extents_ + at, extents_ + count_, extents_ + count_ + 1);
  ++count_;
  extents_[at] = extent;
  return &extents_[at];
}

Extent* TouchTable::add(uintptr_t start, size_t pages, bool watched) {
  if (count_ >= room_for_marks) return nullptr;
  Shadow* shadow = take_shadow(pages, start);
  if (!shadow) return nullptr;
  Extent extent;
  extent.start = start;
  extent.pages = extent.left = pages;
  extent.shadow = shadow;
  extent.arming = true;
  extent.watched = watched;
  total_ += pages;
  return insert(position(start), extent);
}

void TouchTable::cut(uintptr_t address) {
  Extent* extent = at(address);
  if (!extent || extent->start == address) return;
  Extent after = *extent;
  const size_t before = extent->index(address);
  after.start = address;
  after.first += before;
  after.pages -= before;
  extent->pages = before;
  after.left = extent->left == 0 ? 0 : count_marked(after, 0, after.pages);
  extent->left -= after.left;
  ++extent->shadow->extents;
  insert(static_cast<size_t>(extent - extents_) + 1, after);
}

std::span<Extent> TouchTable::cut_out(uintptr_t start, uintptr_t end) {
  cut(start);
  cut(end);
  const size_t first = position(start);
  size_t last = first;
  while (last < count_ && extents_[last].start < end) ++last;
  return {extents_ + first, last - first};
}

Stretch TouchTable::clear(Extent& extent, size_t i) {
  const size_t at = extent.first + i;
  uint64_t& word = extent.shadow->bits[at / 64];
  word &= ~(uint64_t{1} << (at % 64));
  --extent.left;
  --total_;
  if (word != 0) return {};
  const uintptr_t group = extent.shadow->base + at / 64 * 64 * touch_page;
  const uintptr_t end = extent.shadow->base + extent.shadow->pages * touch_page;
  return {group, std::min(group + 64 * touch_page, end), false};
}

void TouchTable::clear_all(Extent& extent) {
  for (size_t i = 0; i < extent.pages && extent.left > 0; ++i)
    if (extent.marked(i)) clear(extent, i);
  os::drop_pages(reinterpret_cast<char*>(extent.kept(0)), extent.pages * touch_page);
}

void TouchTable::end(Extent& extent) {
  if (--extent.shadow->extents == 0) free_shadow(*extent.shadow);
  std::copy(&extent + 1, extents_ + count_, &extent);
  --count_;
}

void TouchTable::shift(uintptr_t start, uintptr_t end, uintptr_t to) {
  const std::span<Extent> moving = cut_out(start, end);
  for (Extent& extent : moving) extent.start = extent.start - start + to;
  std::sort(extents_, extents_ + count_,
            [](const Extent& a, const Extent& b) { return a.start < b.start; });
}

size_t TouchTable::marked(uintptr_t start, uintptr_t end) {
  size_t count = 0;
  for (size_t at = position(start); at < count_ && extents_[at].start < end; ++at) {
    const Extent& extent = extents_[at];
    if (extent.watched) continue;
    const size_t first = extent.start < start ? extent.index(start) : 0;
    const size_t last = extent.end() > end ? extent.index(end) : extent.pages;
    const bool whole = first == 0 && last == extent.pages;
    count += whole ? extent.left : count_marked(extent, first, last);
  }
  return count;
}

Stretch TouchTable::stretch(uintptr_t start, uintptr_t end) {
  Stretch all{start, start, false};
  while (all.end < end) {
    const Extent* extent = from(all.end);
    const bool outside = !extent || extent->start > all.end;
    const bool marked = !outside && extent->marked(extent->index(all.end));
    if (all.end == start) all.marked = marked;
    if (marked != all.marked) break;
    if (outside) {
      all.end = extent ? std::min(extent->start, end) : end;
      continue;
    }
    size_t i = extent->index(all.end);
    while (i < extent->pages && extent->page(i) < end && extent->marked(i) == marked) ++i;
    all.end = extent->page(i);
  }
  return all;
}

Shadow* TouchTable::take_shadow(size_t pages, uintptr_t like) {
  if (!free_ && shadow_count_ == room) return nullptr;
  uint64_t* bits = nullptr;
  if (pages > 64) {
    bits = reinterpret_cast<uint64_t*>(os::map_table(bits_bytes(pages)));
    if (!bits) return nullptr;
  }
  const uintptr_t base = os::reserve_addresses(pages * touch_page, like);
  if (base == 0) {
    if (bits) os::unmap_range(reinterpret_cast<uintptr_t>(bits), bits_bytes(pages));
    return nullptr;
  }
  Shadow* shadow = free_ ? free_ : &shadows_[shadow_count_++];
  if (free_) free_ = free_->next_free;
  *shadow = {base, pages, 1, bits ? bits : &shadow->few, 0, nullptr};
  for (size_t i = 0; i < pages; ++i) shadow->bits[i / 64] |= uint64_t{1} << (i % 64);
  return shadow;
}

void TouchTable::free_shadow(Shadow& shadow) {
  os::unmap_range(shadow.base, shadow.pages * touch_page);
  if (shadow.bits != &shadow.few)
    os::unmap_range(reinterpret_cast<uintptr_t>(shadow.bits), bits_bytes(shadow.pages));
  shadow = {};
  shadow.next_free = free_;
  free_ = &shadow;
}

const char* TouchTable::check() const {
  size_t left = 0;
  for (size_t i = 0; i < count_; ++i) left += extents_[i].left;
  if (left != total_) return "the count of marked pages is wrong";
  for (size_t i = 0; i < count_; ++i) {
    const Extent& extent = extents_[i];
    if (extent.pages == 0) return "an extent has no pages";
    if (i > 0 && extents_[i - 1].end() > extent.start) return "two extents overlap";
    if (extent.first + extent.pages > extent.shadow->pages) return "an extent leaves its shadow";
    if (count_marked(extent, 0, extent.pages) != extent.left) return "an extent's count is wrong";
  }
  for (size_t s = 0; s < shadow_count_; ++s) {
    size_t extents = 0;
    for (size_t i = 0; i < count_; ++i) extents += extents_[i].shadow == &shadows_[s] ? 1 : 0;
    if (extents != shadows_[s].extents) return "a shadow's count of extents is wrong";
  }
  return nullptr;
}

}  // namespace xylem::mem
