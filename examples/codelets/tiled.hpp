// Owns: the algorithms: which task on which tiles, in the order of a serial program. What may run
// at once follows from the data. A priority says how near a task is to the longest chain.
#pragma once

#include <vector>

#include "kernels.hpp"

namespace tiles {

// A square matrix of n rows in the program's memory, cut into count * count tiles; extents that do
// not divide leave the first tiles one larger. At its end the memory has the result.
template <typename T>
class Tiled {
 public:
  Tiled(std::vector<T>& elements, std::size_t n, int count)
      : whole_(xylem::matrix_data(elements.data(), n, n, n)), count_(count) {
    whole_.partition(count, count);
  }
  Tiled(const Tiled&) = delete;
  Tiled& operator=(const Tiled&) = delete;
  ~Tiled() { whole_.unpartition(); }

  int count() const { return count_; }
  xylem::handle<T> operator()(int row, int column) const {
    return whole_.part(row * count_ + column);
  }

 private:
  xylem::data<T> whole_;
  int count_;
};

template <typename T>
void scale(const xylem::data<T>& x, int parts, T factor) {
  x.partition(parts);
  for (int i = 0; i < parts; ++i) xylem::submit(Scale<T>{factor}, x.part(i).read_write());
  x.unpartition();
}

// c += a b
template <typename T>
void multiply(const Tiled<T>& a, const Tiled<T>& b, const Tiled<T>& c) {
  for (int i = 0; i < c.count(); ++i)
    for (int j = 0; j < c.count(); ++j)
      for (int k = 0; k < c.count(); ++k)
        xylem::submit(Multiply<T>{1}, a(i, k).read(), b(k, j).read(), c(i, j).read_write());
}

// The lower half of a = l, where a = l l^T
template <typename T>
void cholesky(const Tiled<T>& a) {
  for (int k = 0; k < a.count(); ++k) {
    xylem::submit({.priority = 3}, Cholesky<T>{}, a(k, k).read_write());
    for (int i = k + 1; i < a.count(); ++i)
      xylem::submit({.priority = 2}, SolveTransposed<T>{}, a(k, k).read(), a(i, k).read_write());
    for (int i = k + 1; i < a.count(); ++i) {
      const int urgent = i == k + 1;
      xylem::submit({.priority = urgent}, SubtractSquare<T>{}, a(i, k).read(),
                    a(i, i).read_write());
      for (int j = k + 1; j < i; ++j)
        xylem::submit(SubtractTransposed<T>{}, a(i, k).read(), a(j, k).read(),
                      a(i, j).read_write());
    }
  }
}

// a = l and u, where a = l u and l has ones on the diagonal, which are not stored; rows keep their
// places.
template <typename T>
void lu(const Tiled<T>& a) {
  for (int k = 0; k < a.count(); ++k) {
    xylem::submit({.priority = 3}, Lu<T>{}, a(k, k).read_write());
    for (int j = k + 1; j < a.count(); ++j) {
      xylem::submit({.priority = 2}, SolveLower<T>{}, a(k, k).read(), a(k, j).read_write());
      xylem::submit({.priority = 2}, SolveUpper<T>{}, a(k, k).read(), a(j, k).read_write());
    }
    for (int i = k + 1; i < a.count(); ++i)
      for (int j = k + 1; j < a.count(); ++j)
        xylem::submit(Multiply<T>{-1}, a(i, k).read(), a(k, j).read(), a(i, j).read_write());
  }
}

}  // namespace tiles
