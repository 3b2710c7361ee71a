// Owns: pieces and shadows. See touch_table.hpp.
#include "mem/touch/touch_table.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/report.hpp"
#include "os/memory.hpp"
#include "os/user_faults.hpp"

namespace xylem::mem {

namespace {

// Each piece is a mapping of the process in the kernel's books, of which there are 65,530 unless
// the administrator allows more. Marks stop earlier than cuts, which cannot be refused.
constexpr size_t room = size_t{1} << 17;
constexpr size_t room_for_marks = room - 4096;

size_t bits_bytes(size_t pages) {
  return pages <= 64 ? 0 : ((pages + 63) / 64 * 8 + touch_page - 1) / touch_page * touch_page;
}

size_t count_marked(const Piece& piece, size_t first, size_t last) {
  size_t count = 0;
  for (size_t i = first; i < last; ++i) count += piece.marked(i) ? 1 : 0;
  return count;
}

}  // namespace

bool TouchTable::open() {
  pieces_ = reinterpret_cast<Piece*>(os::map_table(room * sizeof(Piece)));
  shadows_ = reinterpret_cast<Shadow*>(os::map_table(room * sizeof(Shadow)));
  if (pieces_ && shadows_) return true;
  close();
  return false;
}

void TouchTable::close() {
  if (pieces_) os::unmap_range(reinterpret_cast<uintptr_t>(pieces_), room * sizeof(Piece));
  if (shadows_) os::unmap_range(reinterpret_cast<uintptr_t>(shadows_), room * sizeof(Shadow));
  *this = TouchTable();
}

size_t TouchTable::position(uintptr_t address) const {
  const Piece* found = std::upper_bound(pieces_, pieces_ + count_, address,
                                        [](uintptr_t a, const Piece& p) { return a < p.end(); });
  return static_cast<size_t>(found - pieces_);
}

Piece* TouchTable::from(uintptr_t address) {
  const size_t at = position(address);
  return at < count_ ? &pieces_[at] : nullptr;
}

Piece* TouchTable::at(uintptr_t address) {
  Piece* piece = from(address);
  return piece && piece->start <= address ? piece : nullptr;
}

Piece* TouchTable::insert(size_t at, const Piece& piece) {
  if (count_ == room)
    base::fatal("next touch: more than %zu ranges are marked; mark fewer, larger ones", room);
  std::copy_backward(pieces_ + at, pieces_ + count_, pieces_ + count_ + 1);
  ++count_;
  pieces_[at] = piece;
  return &pieces_[at];
}

Piece* TouchTable::add(uintptr_t start, size_t pages) {
  if (count_ >= room_for_marks) return nullptr;
  Shadow* shadow = take_shadow(pages, start);
  if (!shadow) return nullptr;
  Piece piece;
  piece.start = start;
  piece.pages = piece.left = pages;
  piece.shadow = shadow;
  piece.arming = true;
  total_ += pages;
  return insert(position(start), piece);
}

void TouchTable::cut(uintptr_t address) {
  Piece* piece = at(address);
  if (!piece || piece->start == address) return;
  Piece after = *piece;
  const size_t before = piece->index(address);
  after.start = address;
  after.first += before;
  after.pages -= before;
  piece->pages = before;
  after.left = piece->left == 0 ? 0 : count_marked(after, 0, after.pages);
  piece->left -= after.left;
  ++piece->shadow->pieces;
  insert(static_cast<size_t>(piece - pieces_) + 1, after);
}

std::span<Piece> TouchTable::cut_out(uintptr_t start, uintptr_t end) {
  cut(start);
  cut(end);
  const size_t first = position(start);
  size_t last = first;
  while (last < count_ && pieces_[last].start < end) ++last;
  return {pieces_ + first, last - first};
}

Stretch TouchTable::clear(Piece& piece, size_t i) {
  const size_t at = piece.first + i;
  uint64_t& word = piece.shadow->bits[at / 64];
  word &= ~(uint64_t{1} << (at % 64));
  --piece.left;
  --total_;
  if (word != 0) return {};
  const uintptr_t group = piece.shadow->base + at / 64 * 64 * touch_page;
  const uintptr_t end = piece.shadow->base + piece.shadow->pages * touch_page;
  return {group, std::min(group + 64 * touch_page, end), false};
}

void TouchTable::clear_all(Piece& piece) {
  for (size_t i = 0; i < piece.pages && piece.left > 0; ++i)
    if (piece.marked(i)) clear(piece, i);
  os::drop_pages(reinterpret_cast<char*>(piece.kept(0)), piece.pages * touch_page);
}

void TouchTable::end(Piece& piece) {
  if (--piece.shadow->pieces == 0) free_shadow(*piece.shadow);
  std::copy(&piece + 1, pieces_ + count_, &piece);
  --count_;
}

void TouchTable::shift(uintptr_t start, uintptr_t end, uintptr_t to) {
  const std::span<Piece> moving = cut_out(start, end);
  for (Piece& piece : moving) piece.start = piece.start - start + to;
  std::sort(pieces_, pieces_ + count_,
            [](const Piece& a, const Piece& b) { return a.start < b.start; });
}

size_t TouchTable::marked(uintptr_t start, uintptr_t end) {
  size_t count = 0;
  for (size_t at = position(start); at < count_ && pieces_[at].start < end; ++at) {
    const Piece& piece = pieces_[at];
    const size_t first = piece.start < start ? piece.index(start) : 0;
    const size_t last = piece.end() > end ? piece.index(end) : piece.pages;
    const bool whole = first == 0 && last == piece.pages;
    count += whole ? piece.left : count_marked(piece, first, last);
  }
  return count;
}

Stretch TouchTable::stretch(uintptr_t start, uintptr_t end) {
  Stretch all{start, start, false};
  while (all.end < end) {
    const Piece* piece = from(all.end);
    const bool outside = !piece || piece->start > all.end;
    const bool marked = !outside && piece->marked(piece->index(all.end));
    if (all.end == start) all.marked = marked;
    if (marked != all.marked) break;
    if (outside) {
      all.end = piece ? std::min(piece->start, end) : end;
      continue;
    }
    size_t i = piece->index(all.end);
    while (i < piece->pages && piece->page(i) < end && piece->marked(i) == marked) ++i;
    all.end = piece->page(i);
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
  for (size_t i = 0; i < count_; ++i) left += pieces_[i].left;
  if (left != total_) return "the count of marked pages is wrong";
  for (size_t i = 0; i < count_; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.pages == 0) return "a piece has no pages";
    if (i > 0 && pieces_[i - 1].end() > piece.start) return "two pieces overlap";
    if (piece.first + piece.pages > piece.shadow->pages) return "a piece leaves its shadow";
    if (count_marked(piece, 0, piece.pages) != piece.left) return "a piece's count is wrong";
  }
  for (size_t s = 0; s < shadow_count_; ++s) {
    size_t pieces = 0;
    for (size_t i = 0; i < count_; ++i) pieces += pieces_[i].shadow == &shadows_[s] ? 1 : 0;
    if (pieces != shadows_[s].pieces) return "a shadow's count of pieces is wrong";
  }
  return nullptr;
}

}  // namespace xylem::mem
