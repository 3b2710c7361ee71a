// Counts the allocations of this test program. A file of its own, so that nothing is inlined.
#pragma once

#include <cstddef>

std::size_t allocations_so_far();
