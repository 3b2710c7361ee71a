#include "matrix.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace jobs {
namespace {

// The finaliser of splitmix64: every bit of the result depends on every bit of x.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// The link from a grid point to its neighbour in the positive direction, both ways.
void add_link(std::vector<Entry>& entries, int from, int to, std::uint64_t seed) {
  const double conductivity = 0.5 + random_number(seed, from, to);
  const double carried = 0.3 * conductivity;  // by a steady wind towards `to`
  entries.push_back({from, to, -conductivity + carried});
  entries.push_back({to, from, -conductivity - carried});
  entries.push_back({from, from, conductivity + carried});
  entries.push_back({to, to, conductivity - carried});
}

}  // namespace

double random_number(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t step = 0x9e3779b97f4a7c15U;
  const std::uint64_t bits = mixed(mixed(mixed(seed + step) + a + step) + b + step);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

Matrix matrix_from_entries(int size, std::vector<Entry> entries) {
  for (int i = 0; i < size; ++i) entries.push_back({i, i, 0});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  Matrix matrix;
  matrix.size = size;
  matrix.row_begin.assign(size + 1, 0);
  const Entry* last = nullptr;
  for (const Entry& entry : entries) {
    if (last != nullptr && last->row == entry.row && last->column == entry.column) {
      matrix.value.back() += entry.value;
    } else {
      matrix.column.push_back(entry.column);
      matrix.value.push_back(entry.value);
      ++matrix.row_begin[entry.row + 1];
    }
    last = &entry;
  }
  std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
  return matrix;
}

Matrix grid_matrix(int side, int dimensions, std::uint64_t seed) {
  const int deep = dimensions == 3 ? side : 1;
  std::vector<Entry> entries;
  for (int z = 0; z < deep; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int here = (z * side + y) * side + x;
        if (x + 1 < side) add_link(entries, here, here + 1, seed);
        if (y + 1 < side) add_link(entries, here, here + side, seed);
        if (z + 1 < deep) add_link(entries, here, here + side * side, seed);
        // Something is absorbed everywhere, more than the wind brings.
        entries.push_back({here, here, 1.0});
      }
  return matrix_from_entries(side * side * deep, std::move(entries));
}

Matrix permuted(const Matrix& matrix, const std::vector<int>& order) {
  std::vector<int> place(matrix.size);
  for (int i = 0; i < matrix.size; ++i) place[order[i]] = i;
  std::vector<Entry> entries;
  entries.reserve(matrix.value.size() + matrix.size);
  for (int row = 0; row < matrix.size; ++row)
    for (long p = matrix.row_begin[row]; p < matrix.row_begin[row + 1]; ++p)
      entries.push_back({place[row], place[matrix.column[p]], matrix.value[p]});
  return matrix_from_entries(matrix.size, std::move(entries));
}

Graph graph_of(const Matrix& matrix) {
  std::vector<std::vector<int>> rows(matrix.size);
  for (int row = 0; row < matrix.size; ++row)
    for (long p = matrix.row_begin[row]; p < matrix.row_begin[row + 1]; ++p)
      if (matrix.column[p] != row) {
        rows[row].push_back(matrix.column[p]);
        rows[matrix.column[p]].push_back(row);
      }
  Graph graph;
  graph.begin.push_back(0);
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.neighbour.insert(graph.neighbour.end(), row.begin(), row.end());
    graph.begin.push_back(static_cast<long>(graph.neighbour.size()));
  }
  return graph;
}

}  // namespace jobs
