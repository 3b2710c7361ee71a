// Owns: the progress of a doacross loop: `ordered(n)` with depend(source) and depend(sink).
//
// The outermost loop's iterations are cut into blocks, each run in order by one member. A block's
// cell holds the last iteration vector posted in it; a sink waits until that is not before its own
// in lexicographic order. Vectors are numbered row by row when the product of the sizes fits in 63
// bits, else compared element by element under the cell's lock.
#pragma once

#include <cstdint>

#include "omp/loops/loop_schedule.hpp"
#include "omp/loops/progress.hpp"

namespace xylem::omp {

// How the outermost loop is cut: by member (schedule(static) without chunk) or in equal blocks.
struct DoacrossBlocks {
  bool by_member = false;
  uint64_t size = 1;  // iterations of a block; unused with by_member
  int members = 1;
};

class Doacross {
 public:
  Doacross() = default;
  ~Doacross() {
    if (is_open()) [[unlikely]]
      release();
  }
  Doacross(const Doacross&) = delete;
  Doacross& operator=(const Doacross&) = delete;

  // sizes[0 .. depth-1] are the iteration counts of the nested loops; copied. Nobody uses it yet.
  void open(unsigned depth, const uint64_t* sizes, const DoacrossBlocks& blocks);
  // Gives the memory back.
  void release();
  bool is_open() const { return depth_ != 0; }
  unsigned depth() const { return depth_; }

  // depend(source): `vector` has depth() elements, each 0 .. size-1.
  void post(const uint64_t* vector);
  // Whoever waits for a post of these outermost iterations goes on without it (cancellation).
  void give_up(const Chunk& outer);
  // depend(sink: vector): returns when it was posted. May suspend the fiber.
  void wait(const uint64_t* vector);

 private:
  struct Cell;
  Cell& cell_of(uint64_t outer) const;
  uint64_t number_of(const uint64_t* vector) const;
  void post_vector(Cell& cell, const uint64_t* vector);
  void wait_vector(Cell& cell, const uint64_t* vector);
  bool vector_reached(Cell& cell, const uint64_t* vector);
  uint64_t* posted_vector(const Cell& cell) const;

  unsigned depth_ = 0;  // 0: not a doacross loop
  bool numbered_ = true;
  bool by_member_ = false;  // DoacrossBlocks, without its gaps
  int members_ = 1;
  uint64_t block_size_ = 1;
  uint64_t* sizes_ = nullptr;    // depth_ of them; owned
  void* cell_memory_ = nullptr;  // owned
  Cell* cells_ = nullptr;        // one a block, in cell_memory_
  uint64_t* vectors_ = nullptr;  // depth_ a cell, when not numbered; owned
};

}  // namespace xylem::omp
