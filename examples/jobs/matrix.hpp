// Matrix: a square sparse matrix by rows. Invariant: the columns of a row are in ascending order,
// no column twice, and the diagonal is always among them.
#pragma once

#include <cstdint>
#include <vector>

namespace jobs {

struct Entry {
  int row;
  int column;
  double value;
};

struct Matrix {
  int size = 0;
  std::vector<long> row_begin;  // size + 1 positions in the next two
  std::vector<int> column;
  std::vector<double> value;
};

// Entries of the same place are added up; missing diagonals become 0.
Matrix matrix_from_entries(int size, std::vector<Entry> entries);

// Convection and diffusion on a grid of side^dimensions points, dimensions 2 or 3, discretised with
// the 5- or 7-point stencil; the conductivity between neighbours is random. Not symmetric.
Matrix grid_matrix(int side, int dimensions, std::uint64_t seed);

// Row and column order[i] become i.
Matrix permuted(const Matrix& matrix, const std::vector<int>& order);

// The neighbours of each row or column in the pattern of A + transposed(A), without itself.
struct Graph {
  std::vector<long> begin;
  std::vector<int> neighbour;
};
Graph graph_of(const Matrix& matrix);

// In [0, 1), a function of its arguments alone.
double random_number(std::uint64_t seed, std::uint64_t a, std::uint64_t b);

}  // namespace jobs
