// Owns: the progress of a doacross loop. See doacross.hpp.
#include "omp/loops/doacross.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/report.hpp"

namespace xylem::omp {

// On a cache line of its own. All zero is its initial state, so memory fresh from the system serves
// without being touched.
struct alignas(64) Doacross::Cell {
  Progress passed;  // numbered: 1 + the highest posted number. Else: posts so far
  base::SpinLock lock{{40, "Doacross::Cell::lock"}};  // guards the cell's vector
};

namespace {

constexpr uint64_t all_posted = ~uint64_t{0};

void* zeroed(uint64_t count, uint64_t size) {
  void* block = std::calloc(count != 0 ? count : 1, size);
  if (block == nullptr) base::fatal("out of memory for a doacross loop");
  return block;
}

bool before(const uint64_t* a, const uint64_t* b, unsigned depth) {
  return std::lexicographical_compare(a, a + depth, b, b + depth);
}

uint64_t block_count(const DoacrossBlocks& blocks, uint64_t outer) {
  if (blocks.by_member) return static_cast<uint64_t>(blocks.members);
  return outer == 0 ? 0 : (outer - 1) / blocks.size + 1;
}

// True if every vector's number, counted row by row from 1, fits.
bool can_number(const uint64_t* sizes, unsigned depth) {
  uint64_t product = 1;
  for (unsigned i = 0; i < depth; ++i)
    if (__builtin_mul_overflow(product, sizes[i], &product)) return false;
  return product < (uint64_t{1} << 63);
}

}  // namespace

void Doacross::open(unsigned depth, const uint64_t* sizes, const DoacrossBlocks& blocks) {
  release();
  depth_ = depth;
  by_member_ = blocks.by_member;
  members_ = blocks.members;
  block_size_ = blocks.size;
  numbered_ = can_number(sizes, depth);
  sizes_ = static_cast<uint64_t*>(zeroed(depth, sizeof(uint64_t)));
  std::copy(sizes, sizes + depth, sizes_);
  const uint64_t count = block_count(blocks, sizes[0]);
  cell_memory_ = zeroed(count + 1, sizeof(Cell));  // one more, to align
  const auto address = reinterpret_cast<uintptr_t>(cell_memory_);
  cells_ = reinterpret_cast<Cell*>((address + alignof(Cell) - 1) / alignof(Cell) * alignof(Cell));
  if (!numbered_) vectors_ = static_cast<uint64_t*>(zeroed(count, depth * sizeof(uint64_t)));
}

void Doacross::release() {
  std::free(sizes_);
  std::free(cell_memory_);
  std::free(vectors_);
  depth_ = 0;
  sizes_ = vectors_ = nullptr;
  cell_memory_ = nullptr;
  cells_ = nullptr;
}

void Doacross::post(const uint64_t* vector) {
  Cell& cell = cell_of(vector[0]);
  if (numbered_) {
    cell.passed.open(number_of(vector));
  } else {
    post_vector(cell, vector);
  }
}

void Doacross::wait(const uint64_t* vector) {
  Cell& cell = cell_of(vector[0]);
  if (numbered_) {
    cell.passed.wait(number_of(vector));
  } else {
    wait_vector(cell, vector);
  }
}

void Doacross::give_up(const Chunk& outer) {
  const uint64_t step = by_member_ ? outer.count : block_size_;
  for (uint64_t done = 0; done < outer.count; done += step) {
    Cell& cell = cell_of(outer.first + done);
    if (!numbered_) {
      base::Locked locked(cell.lock);
      std::fill_n(posted_vector(cell), depth_, all_posted);
    }
    cell.passed.open(all_posted);
  }
}

Doacross::Cell& Doacross::cell_of(uint64_t outer) const {
  if (!by_member_) return cells_[outer / block_size_];
  return cells_[static_block_owner(sizes_[0], members_, outer)];
}

uint64_t Doacross::number_of(const uint64_t* vector) const {
  uint64_t number = vector[0];
  for (unsigned i = 1; i < depth_; ++i) number = number * sizes_[i] + vector[i];
  return number + 1;
}

void Doacross::post_vector(Cell& cell, const uint64_t* vector) {
  {
    base::Locked locked(cell.lock);
    std::copy(vector, vector + depth_, posted_vector(cell));
  }
  cell.passed.open(cell.passed.value() + 1);
}

void Doacross::wait_vector(Cell& cell, const uint64_t* vector) {
  while (true) {
    const uint64_t posts = cell.passed.value();  // before the poll, so that no post is missed
    if (posts != 0 && vector_reached(cell, vector)) return;
    cell.passed.wait(posts + 1);
  }
}

bool Doacross::vector_reached(Cell& cell, const uint64_t* vector) {
  base::Locked locked(cell.lock);
  return !before(posted_vector(cell), vector, depth_);
}

uint64_t* Doacross::posted_vector(const Cell& cell) const {
  return vectors_ + static_cast<uint64_t>(&cell - cells_) * depth_;
}

}  // namespace xylem::omp
