// Owns: this layer's lines of the table of fork() (base/fork_table.hpp).
#pragma once

#include "base/fork_table.hpp"
#include "mem/cost/costs.hpp"
#include "mem/heap/blocks.hpp"
#include "mem/heap/heap.hpp"
#include "mem/map/holds.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/regions.hpp"
#include "mem/map/synthetic_pages.hpp"
#include "mem/touch/next_touch.hpp"

namespace xylem::mem {

inline constexpr base::ForkLine fork_lines[] = {
    {{1, "the measurement of costs"}, nullptr, base::only_in_child<forget_measuring_in_child>},
    {heap_gate_rank, lock_heaps, unlock_heaps},
    {records_rank, lock_records, unlock_records},
    {markers_rank, before_fork_of_marks, after_fork_of_marks},
    {holds_rank, RangeHold::before_fork, RangeHold::after_fork},
    {regions_rank, lock_regions, unlock_regions},
    {synthetic_pages_rank, lock_synthetic_pages, unlock_synthetic_pages},
};

}  // namespace xylem::mem
