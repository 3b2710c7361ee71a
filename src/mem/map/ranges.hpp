// Owns: what the program says of ranges: that they exist, that they fall into parts, and whose they
// are (paper 000, table 2: register, attach; MaMI's split). Results are 0 or a negative errno.
#pragma once

#include <cstddef>

#include "mem/map/regions.hpp"

namespace xylem::mem {

// -EINVAL for a range that cannot be, -EEXIST if it overlaps a known one, -ENOMEM.
int register_range(void* start, std::size_t bytes);
// -ENOENT unless a registered range begins there, -EINVAL for a block of map_placed().
int forget_range(void* start);
// Cuts the known range that begins at `start`, itself perhaps a part, into `parts` on page
// boundaries; starts[i], may be null, is where part i begins. -EINVAL where it has fewer pages.
int split_range(void* start, int parts, void** starts);
// OwnerKind::none: it has no owner any more. -ENOENT if no known range begins there.
int set_owner(void* start, const Owner& owner);

}  // namespace xylem::mem
