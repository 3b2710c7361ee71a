// Owns: a matrix over ranks, and Cholesky's factorisation of it. Tile (row, column) is the rank's
// at the same place of a grid of ranks that is repeated over the matrix: two-dimensional and
// block-cyclic, so that each rank has a part of what is left to do at every step.
#pragma once

#include <memory>
#include <vector>
#include <xylem/codelet_mpi.hpp>

#include "kernels.hpp"

namespace tiles {

struct Grid {
  int rows, columns;
  int owner(int row, int column) const { return row % rows * columns + column % columns; }
};

// As square as the number of ranks allows.
inline Grid grid_of(int ranks) {
  int rows = 1;
  for (int r = 1; r * r <= ranks; ++r)
    if (ranks % r == 0) rows = r;
  return {rows, ranks / rows};
}

// The lower half of a square matrix of count * count tiles of `side` rows. A rank has memory for
// its own tiles; what it reads of others it gets when it needs it.
class RankedTiles {
 public:
  RankedTiles(std::size_t side, int count, Grid grid, int rank)
      : side_(side), count_(count), grid_(grid), rank_(rank) {
    for (int row = 0; row < count; ++row)
      for (int column = 0; column <= row; ++column) add(row, column);
  }
  RankedTiles(const RankedTiles&) = delete;
  RankedTiles& operator=(const RankedTiles&) = delete;
  // Collective.
  ~RankedTiles() {
    for (const Tile& tile : tiles_) xylem_mpi_forget(tile.data.get());
  }

  int count() const { return count_; }
  std::size_t side() const { return side_; }
  const Grid& grid() const { return grid_; }
  bool is_mine(int row, int column) const { return grid_.owner(row, column) == rank_; }
  const xylem::data<double>& operator()(int row, int column) const {
    return tiles_[place(row, column)].data;
  }

 private:
  struct Tile {
    std::vector<double> memory;
    xylem::data<double> data;
  };
  static std::size_t place(int row, int column) {
    return static_cast<std::size_t>(row * (row + 1) / 2 + column);
  }
  void add(int row, int column) {
    std::vector<double> memory(is_mine(row, column) ? side_ * side_ : 0);
    xylem::data<double> data = memory.empty()
                                   ? xylem::new_matrix<double>(side_, side_)
                                   : xylem::matrix_data<double>(memory.data(), side_, side_, side_);
    xylem::detail::check(
        xylem_mpi_register(data.get(), grid_.owner(row, column), static_cast<int>(tiles_.size())));
    tiles_.push_back({std::move(memory), std::move(data)});
  }

  std::size_t side_;
  int count_;
  Grid grid_;
  int rank_;
  std::vector<Tile> tiles_;
};

// By all ranks: a = l, where a = l l^T.
inline void cholesky(const RankedTiles& a) {
  for (int k = 0; k < a.count(); ++k) {
    xylem::mpi::submit({.priority = 3}, Cholesky<double>{}, a(k, k).read_write());
    for (int i = k + 1; i < a.count(); ++i)
      xylem::mpi::submit({.priority = 2}, SolveTransposed<double>{}, a(k, k).read(),
                         a(i, k).read_write());
    for (int i = k + 1; i < a.count(); ++i)
      for (int j = k + 1; j < i; ++j)
        xylem::mpi::submit(SubtractTransposed<double>{}, a(i, k).read(), a(j, k).read(),
                           a(i, j).read_write());
    for (int i = k + 1; i < a.count(); ++i)
      xylem::mpi::submit({.priority = i == k + 1}, SubtractSquare<double>{}, a(i, k).read(),
                         a(i, i).read_write());
  }
}

// How many messages that is: each tile goes once to each other rank that has a tile which needs it.
inline unsigned long expected_messages(int count, const Grid& grid) {
  unsigned long messages = 0;
  for (int k = 0; k < count; ++k)
    for (int i = k; i < count; ++i) {
      std::vector<bool> needs(static_cast<std::size_t>(grid.rows * grid.columns));
      const auto need = [&](int row, int column) {
        needs[static_cast<std::size_t>(grid.owner(row, column))] = true;
      };
      for (int row = k + 1; i == k && row < count; ++row) need(row, k);
      for (int column = k + 1; i > k && column <= i; ++column) need(i, column);
      for (int row = i; i > k && row < count; ++row) need(row, i);
      needs[static_cast<std::size_t>(grid.owner(i, k))] = false;
      for (const bool needed : needs) messages += needed;
    }
  return messages;
}

}  // namespace tiles
