// Owns: the loop nest of a doacross loop as LLVM's entry points describe it, and what omp/ makes of
// it. Pure functions.
//
// The nest is told before its loop starts, with bounds that are part of it, and vectors hold the
// loop variables' values. omp/ counts iterations from 0 and wants to know whose they are: the loop
// that is shared out may be several loops of the nest in one (collapse), which are joined here into
// the outermost of what omp/ sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "abi/kmp/loop_bounds.hpp"

namespace xylem::abi::kmp {

// One loop of the nest, as the compiled code tells it.
struct DoacrossDim {
  int64_t lower;
  int64_t upper;
  int64_t step;
};

struct NestLoop {
  uint64_t first;
  uint64_t step;
  uint64_t count;
};

// In one block of memory with its loops behind it; the same for all members of the team.
struct DoacrossNest {
  unsigned depth;
  unsigned joined;  // outer loops whose iterations are shared out together; 0: not known yet

  static size_t bytes(unsigned depth) { return sizeof(DoacrossNest) + depth * sizeof(NestLoop); }
  std::span<NestLoop> loops() { return {reinterpret_cast<NestLoop*>(this + 1), depth}; }
  std::span<const NestLoop> loops() const {
    return {reinterpret_cast<const NestLoop*>(this + 1), depth};
  }
  unsigned depth_seen() const { return depth - joined + 1; }
};

inline DoacrossNest* make_nest(void* memory, std::span<const DoacrossDim> dims) {
  auto* nest = new (memory) DoacrossNest{static_cast<unsigned>(dims.size()), 0};
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto space = space_of<int64_t>({dims[i].lower, dims[i].upper, dims[i].step});
    nest->loops()[i] = {space.first, space.step, space.count};
  }
  return nest;
}

// How many outer loops, each with `excess` iterations less than told, have `count` together; 0:
// none.
inline unsigned loops_with(const DoacrossNest& nest, uint64_t count, uint64_t excess) {
  uint64_t product = 1;
  for (unsigned i = 0; i < nest.depth; ++i) {
    const uint64_t told = nest.loops()[i].count;
    if (told <= excess || __builtin_mul_overflow(product, told - excess, &product)) return 0;
    if (product == count) return i + 1;
  }
  return 0;
}

// Clang counts all loops from 0 by 1, and tells as their upper bound how many iterations they have:
// one too many.
inline uint64_t excess_in(const DoacrossNest& nest, uint64_t count) {
  for (const NestLoop& loop : nest.loops())
    if (loop.first != 0 || loop.step != 1) return 0;
  return loops_with(nest, count, 1) != 0 ? 1 : 0;
}

// The loop that is shared out has `count` iterations. False: no outer loops of the nest have so
// many; then all are joined, and any member may run any of their iterations.
inline bool join_loops(DoacrossNest& nest, uint64_t count) {
  const uint64_t excess = excess_in(nest, count);
  const unsigned found = loops_with(nest, count, excess);
  nest.joined = found != 0 ? found : nest.depth;
  for (NestLoop& loop : nest.loops()) loop.count -= loop.count >= excess ? excess : 0;
  return found != 0;
}

// Iterations of each loop that omp/ sees, into sizes[0 .. depth_seen()-1]. After join_loops().
inline void sizes_of(const DoacrossNest& nest, uint64_t* sizes) {
  sizes[0] = 1;
  for (unsigned i = 0; i < nest.joined; ++i) sizes[0] *= nest.loops()[i].count;
  for (unsigned i = nest.joined; i < nest.depth; ++i)
    sizes[i - nest.joined + 1] = nest.loops()[i].count;
}

// The number of the iteration in which the loop's variable has the value; the loop's count or more
// when there is none.
inline uint64_t number_in(const NestLoop& loop, int64_t value) {
  const auto step = static_cast<int64_t>(loop.step);
  if (step == 0) return loop.count;  // no loop has this step
  const auto distance = static_cast<uint64_t>(value) - loop.first;
  const uint64_t number = step > 0 ? distance / loop.step : (0 - distance) / (0 - loop.step);
  return loop.first + number * loop.step == static_cast<uint64_t>(value) ? number : loop.count;
}

// Values of the loops' variables as omp/ numbers iterations, into seen[0 .. depth_seen()-1]. False
// if no iteration has them: OpenMP ignores a sink that does not exist. After join_loops().
inline bool number_vector(const DoacrossNest& nest, const int64_t* values, uint64_t* seen) {
  seen[0] = 0;
  for (unsigned i = 0; i < nest.depth; ++i) {
    const NestLoop& loop = nest.loops()[i];
    const uint64_t number = number_in(loop, values[i]);
    if (number >= loop.count) return false;
    if (i < nest.joined) {
      seen[0] = seen[0] * loop.count + number;
    } else {
      seen[i - nest.joined + 1] = number;
    }
  }
  return true;
}

}  // namespace xylem::abi::kmp
