// Owns: making arrays and placing their pages. See data.hpp.
#include "nas/data.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "nas/accounts.hpp"

#define XYLEM_WEAK
#include "xylem/memory.h"
#include "xylem/xylem.h"

// On other runtimes there is none.
extern "C" __attribute__((weak)) void xylem_iteration(void);

namespace nas {

namespace {

void place(void* start, std::size_t bytes, Placed placed, std::size_t extent, Slices slices) {
  int error = 0;
  if (placed == Placed::rest) std::memset(start, 0, bytes);  // what is there keeps its place
  const bool by_pages = placed == Placed::round_robin || placed == Placed::rest;
  if (by_pages && xylem_memory_bind != nullptr) {
    const xylem_memory_how how{xylem_place_interleaved, 0, 0, 0, 0};
    error = xylem_memory_bind(start, bytes, &how, placed == Placed::round_robin);
  } else if (placed == Placed::manual && xylem_distribute != nullptr) {
    const xylem_dimension dims[] = {
        {bytes / extent, xylem_dimension_whole, 0},
        {extent, slices == Slices::block ? xylem_dimension_block : xylem_dimension_cyclic, 0}};
    error = xylem_distribute(start, 1, dims, 2, omp_get_max_threads());
  }
  if (error != 0) std::fprintf(stderr, "nas: pages are not placed (error %d)\n", error);
}

}  // namespace

Data::Data(Placed placed, Accounts* accounts) : placed_(placed), accounts_(accounts) {}

Data::~Data() {
  for (const Block& block : blocks_) munmap(block.start, block.bytes);
}

void* Data::memory(std::size_t extent, std::size_t slice_bytes, Slices slices) {
  // Smaller blocks are no arrays to libxylem-arrays.so, so that no plan would
  // have them.
  constexpr std::size_t least = std::size_t{64} << 10;
  const std::size_t bytes = extent * slice_bytes, mapped = std::max(bytes, least);
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) {
    std::fprintf(stderr, "nas: no memory for an array of %zu bytes\n", bytes);
    std::exit(1);
  }
  blocks_.push_back({start, mapped});
  place(start, bytes, placed_, extent, slices);
  if (accounts_ != nullptr) accounts_->add_array(start, bytes);
  return start;
}

void Data::begin() {
  if (accounts_ != nullptr) accounts_->begin();
  if (xylem_iteration != nullptr) xylem_iteration();
}

void Data::iteration_ended() {
  if (accounts_ != nullptr) accounts_->iteration_ended();
  if (xylem_iteration != nullptr) xylem_iteration();
}

}  // namespace nas
