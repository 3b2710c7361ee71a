// Owns: what samples and touches say of a whole iteration. Pure functions.
//
// A touch says who came to a page next, not how often. So a page that was touched is taken to be
// read once from end to end in an iteration, by its touchers in the shares of their touches. Pages
// between two touched pages of one array, both of which the same thread alone touched, are taken to
// be that thread's too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "count/table/counts.hpp"

namespace xylem::count {

// Pages [first, first + count) of one array.
struct PageRange {
  uint64_t first = 0;
  uint64_t count = 0;
};

struct EstimateRules {
  uint64_t accesses_a_page = 64;  // cache lines of a page of 4 KiB
  uint64_t most_gap = 256;        // pages between two touched ones that are taken to be alike
};

// `touches` has pages by threads; `arrays` ascend and do not overlap. The result has pages by
// threads: accesses of one iteration.
Counts estimate(const Counts& touches, std::span<const PageRange> arrays, EstimateRules rules = {});

// Of pages that were accessed, nobody knows by whom: taken to be read, or written where they were,
// once from end to end by all members alike. Members run on these nodes, by number; the first on
// each node counts for all that are there.
Counts shared_by_all(const Counts& pages, std::span<const int> node_of, EstimateRules rules = {});

// The accesses of one iteration, from the sum of samples over so many (> 0): at least one where
// there was any.
Counts per_iteration(const Counts& samples, uint64_t iterations);

}  // namespace xylem::count
