// Owns: keeping pages in memory. Locks do not nest: pages belong to one owner.
#pragma once

#include <cstddef>

namespace xylem::os {

// Start must be on a page, bytes a multiple of pages. Returns 0 or -errno.
int pin_pages(void* start, std::size_t bytes);
void unpin_pages(void* start, std::size_t bytes);

}  // namespace xylem::os
