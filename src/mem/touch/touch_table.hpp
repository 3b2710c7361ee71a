// Owns: what is marked for next touch: which pages of which ranges, and where their contents wait.
//
// A mark takes a range's pages away to a shadow, a range of our own. An extent is a range of the
// program's whose pages go to a shadow; the program's munmap, mremap and further marks cut extents.
// Laws: extents do not overlap and ascend; an extent's `left` is the number of its pages that are
// marked; a shadow's `extents` counts those that refer to it, and it is unmapped with the last one.
// A page's contents are in the shadow exactly as long as it is marked (and the extent not arming).
//
// Used by the serving thread alone (touch_server.hpp); nothing here calls malloc or takes a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::mem {

inline constexpr size_t touch_page = 4096;  // of the machines that os/raw_syscall.hpp knows

struct Shadow {
  uintptr_t base = 0;
  size_t pages = 0;
  size_t extents = 0;
  uint64_t* bits = nullptr;  // bit i: page i is marked; `few` up to 64 pages, else mapped
  uint64_t few = 0;
  Shadow* next_free = nullptr;
};

struct Extent {
  uintptr_t start = 0;
  size_t pages = 0;
  size_t left = 0;
  Shadow* shadow = nullptr;
  size_t first = 0;       // the shadow's page that belongs to the extent's first
  bool arming = false;    // the pages may still be in their places; no bit is cleared meanwhile
  bool doubtful = false;  // the program unmapped it, unless that event was late (touch_server.cpp)
  bool watched = false;   // a touch is told of, and the page goes back to where it was

  uintptr_t end() const { return start + pages * touch_page; }
  size_t index(uintptr_t address) const { return (address - start) / touch_page; }
  uintptr_t page(size_t i) const { return start + i * touch_page; }
  uintptr_t kept(size_t i) const { return shadow->base + (first + i) * touch_page; }
  bool marked(size_t i) const {
    return (shadow->bits[(first + i) / 64] >> ((first + i) % 64) & 1) != 0;
  }
};

// A stretch of addresses whose pages are all marked, or all not.
struct Stretch {
  uintptr_t start = 0;
  uintptr_t end = 0;
  bool marked = false;
};

class TouchTable {
 public:
  // Maps the tables; false without memory. close() gives them back, but no shadow: a child of
  // fork() has none, and may have something else in its place.
  bool open();
  void close();

  // The extent that holds the address, or null. Pointers hold until an extent is added, cut or
  // ended.
  Extent* at(uintptr_t address);
  // The first extent that ends above the address, or null.
  Extent* from(uintptr_t address);
  std::span<Extent> all() { return {extents_, count_}; }

  // A new extent that is arming, all its pages marked, with a shadow of reserved addresses. The
  // range meets no other extent. Null without memory.
  Extent* add(uintptr_t start, size_t pages, bool watched = false);
  // Cuts at both ends; what lies between, in whole extents. Ends the process without room.
  std::span<Extent> cut_out(uintptr_t start, uintptr_t end);
  // The page's mark ends. Returns the shadow's group of pages around it if none of them is marked
  // any more (its memory is to be given back), else an empty stretch.
  Stretch clear(Extent& extent, size_t i);
  // All marks of the extent end; their contents are given up.
  void clear_all(Extent& extent);
  // The extent, which has no marks, ends.
  void end(Extent& extent);
  // Extents between move with their shadows; nothing is there.
  void shift(uintptr_t start, uintptr_t end, uintptr_t to);

  // Pages that are marked for next touch; those that are only watched do not count.
  size_t marked(uintptr_t start, uintptr_t end);
  size_t total() const { return total_; }  // marked in all
  // What begins at `start`, up to `end` at most.
  Stretch stretch(uintptr_t start, uintptr_t end);
  // Walks all; null if every law holds, else which one does not.
  const char* check() const;

 private:
  Extent* insert(size_t at, const Extent& extent);
  void cut(uintptr_t address);
  size_t position(uintptr_t address) const;  // of the first extent that ends above it
  Shadow* take_shadow(size_t pages, uintptr_t like);
  void free_shadow(Shadow& shadow);

  Extent* extents_ = nullptr;
  size_t count_ = 0;
  size_t total_ = 0;
  Shadow* shadows_ = nullptr;
  size_t shadow_count_ = 0;  // that were ever used
  Shadow* free_ = nullptr;
};

}  // namespace xylem::mem
