// Analysis: all that is known of a factorisation before the numbers are: what is stored where, and
// in which order what is computed. All jobs share one.
//
// The matrix is cut into tiles by the blocks of a dissection; a tile is stored if it is not zero in
// the factors. Blocks are in levels by the elimination tree: those of one level do not depend on
// each other. A level is computed in three steps:
//
//     pivots   factor the diagonal tiles of the level's blocks
//     panels   solve for the tiles below and right of them
//     updates  subtract the panels' products from the tiles of later blocks
//
// The parts of a step may be done in any order by any thread, and the result has the same bits: an
// update is all that one tile gets in this level, in a fixed order.
#pragma once

#include "dissection.hpp"
#include "matrix.hpp"

namespace jobs {

struct Tile {
  long place = 0;  // of its first value in a job's memory
  int row = 0;     // block
  int column = 0;  // block
};

// tiles[target] -= tiles[left] * tiles[right]
struct Product {
  int target;
  int left;
  int right;
};

struct Level {
  std::vector<int> pivots;         // blocks
  std::vector<int> panels;         // tiles
  std::vector<Product> products;   // those of one target together
  std::vector<long> update_begin;  // update u is products[update_begin[u]] to [update_begin[u+1]-1]
  double operations = 0;           // of floating point
};

struct Analysis {
  Matrix matrix;                 // in the order of elimination
  std::vector<int> block_begin;  // of block b: the first row; one more at the end
  std::vector<Tile> tiles;       // by block: its pivot tile, those below it, those to its right
  std::vector<int> pivot_tile;   // of each block
  std::vector<std::vector<int>> below;  // of each block: the later blocks with a tile in its column
  std::vector<std::vector<int>>
      left_tiles;          // of each block: the tiles in its row left of the pivot
  std::vector<long> slot;  // of each entry of the matrix: its place in a job's memory
  std::vector<Level> levels;
  long memory = 0;  // values in a job's memory
  double operations = 0;

  int blocks() const { return static_cast<int>(block_begin.size()) - 1; }
  int width(int block) const { return block_begin[block + 1] - block_begin[block]; }
  // The tile to the right of the pivot of `block`, above the nth block of below[block].
  int right_tile(int block, int nth) const {
    return pivot_tile[block] + 1 + static_cast<int>(below[block].size()) + nth;
  }
  int below_tile(int block, int nth) const { return pivot_tile[block] + 1 + nth; }
};

Analysis analyse(const Matrix& matrix, int largest_block);

}  // namespace jobs
