// Owns: mapping and guarding pages for stacks.
#pragma once

#include <cstddef>

namespace xylem::os {

size_t page_size();

// Reserves readable, writable, lazily committed memory with no huge pages. nullptr on failure.
char* map_pages(size_t bytes);
void unmap_pages(char* start, size_t bytes);

// Makes [start, start + bytes) fault on access. `light` guards leave the mapping whole (kernel 6.13
// on); others split it in the kernel's books, where a process may have 65,530 pieces.
enum class Guard { light, split, none };
Guard guard_pages(char* start, size_t bytes, bool allow_split);

// Gives the pages' memory back; they read as zero afterwards. Guards inside stay.
void drop_pages(char* start, size_t bytes);

}  // namespace xylem::os
