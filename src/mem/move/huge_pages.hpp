// Owns: the kernel's transparent huge pages that a move divides. The kernel moves a huge page
// whole, whichever of its pages it is asked for. So a huge page whose pages do not all go to one
// node is split before the move.
#pragma once

#include <cstddef>
#include <span>

#include "mem/map/layout.hpp"

namespace xylem::mem {

// As many pages as a huge page has, which are one where they begin with a multiple of it.
size_t pages_in_huge_page();

// How many of the `count` pages from page `first` on, both by number, lie in the huge page of the
// first one.
size_t pages_in_same_huge_page(uintptr_t first, size_t count);

// Of pages of one huge page: whether a move divides it. wanted[i] is the node of page i; -1: it
// stays.
bool divides_huge_page(std::span<const int> wanted);

// Splits the huge page around `pages`, which lie in it, if the move divides it and takes pages to
// other nodes than they are on. A huge page that the kernel does not split, as one in locked
// memory, moves whole.
void split_huge_page(const Pages& pages, std::span<const int> wanted);

}  // namespace xylem::mem
