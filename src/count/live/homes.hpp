// Owns: what the engines ask of memory, and have done by it: where pages are, how much room nodes
// have, and moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "count/engine/pages.hpp"
#include "count/source/program_arrays.hpp"

namespace xylem::count {

// The homes of the pages of the cells, which are sorted; pages that lie nowhere are left out.
std::vector<PageHome> homes_of(std::span<const Cell> cells);

// On a synthetic machine, where nobody says where a program's pages are that knows nothing of
// Xylem: pages of an array that lies nowhere are taken to be dealt out round robin, as paper 001
// ran its programs without distribution. Elsewhere: nothing.
void book_synthetic_homes(std::span<const ProgramArray> arrays);

// Free pages by node; empty where that is not known.
std::vector<int64_t> free_pages();

// Keeps the kernel from making huge pages in a block of memory; those that there are stay.
void refuse_huge_pages(uintptr_t start, std::size_t bytes);
// Does so in arrays in which moves, which are by page, divide huge pages: the kernel would put them
// together again, each on one node.
void keep_small_pages(std::span<const PageMove> moves);

// Moves are by page. What does not come is seen at the next homes_of().
void make_moves(std::span<const PageMove> moves);

}  // namespace xylem::count
