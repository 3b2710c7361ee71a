// Owns: what is done to tiles, for processors, OpenCL and CUDA devices. A matrix is stored by rows;
// a tile is a part of one. Each class is a codelet (xylem/codelet.hpp).
#pragma once

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <xylem/codelet.hpp>

namespace tiles {

// A thread for each element, row or column of the result; or one for all. What is OpenCL C is CUDA
// C++ with a few words before it; there blocks are whole, so that threads run beyond the extents.
inline constexpr const char* kernels_source = R"(
#ifndef __OPENCL_VERSION__
typedef unsigned long ulong;
#define __kernel extern "C" __global__
#define __global
__device__ inline size_t get_global_id(int dimension) {
  return dimension == 0 ? (size_t)blockIdx.x * blockDim.x + threadIdx.x
                        : (size_t)blockIdx.y * blockDim.y + threadIdx.y;
}
#endif
#define AT(m, row, column) m[(row) * m##_x + (column)]
#define MATRIX(type, m) __global type *m, ulong m##_x, ulong m##_y

__kernel void scale(__global REAL* x, ulong n, REAL factor) {
  size_t i = get_global_id(0);
  if (i < n) x[i] *= factor;
}

__kernel void multiply(MATRIX(const REAL, a), MATRIX(const REAL, b), MATRIX(REAL, c), REAL sign) {
  size_t column = get_global_id(0), row = get_global_id(1);
  if (column >= c_x || row >= c_y) return;
  REAL sum = 0;
  for (ulong k = 0; k < a_x; ++k) sum += AT(a, row, k) * AT(b, k, column);
  AT(c, row, column) += sign * sum;
}
__kernel void subtract_transposed(MATRIX(const REAL, a), MATRIX(const REAL, b), MATRIX(REAL, c)) {
  size_t column = get_global_id(0), row = get_global_id(1);
  if (column >= c_x || row >= c_y) return;
  REAL sum = 0;
  for (ulong k = 0; k < a_x; ++k) sum += AT(a, row, k) * AT(b, column, k);
  AT(c, row, column) -= sum;
}
__kernel void subtract_square(MATRIX(const REAL, a), MATRIX(REAL, c)) {
  size_t column = get_global_id(0), row = get_global_id(1);
  if (column > row || row >= c_y) return;
  REAL sum = 0;
  for (ulong k = 0; k < a_x; ++k) sum += AT(a, row, k) * AT(a, column, k);
  AT(c, row, column) -= sum;
}
__kernel void cholesky(MATRIX(REAL, a)) {
  for (ulong j = 0; j < a_x; ++j) {
    REAL sum = AT(a, j, j);
    for (ulong k = 0; k < j; ++k) sum -= AT(a, j, k) * AT(a, j, k);
    const REAL root = sqrt(sum);
    AT(a, j, j) = root;
    for (ulong i = j + 1; i < a_y; ++i) {
      REAL below = AT(a, i, j);
      for (ulong k = 0; k < j; ++k) below -= AT(a, i, k) * AT(a, j, k);
      AT(a, i, j) = below / root;
    }
  }
}
__kernel void solve_transposed(MATRIX(const REAL, l), MATRIX(REAL, a)) {
  size_t row = get_global_id(0);
  if (row >= a_y) return;
  for (ulong j = 0; j < a_x; ++j) {
    REAL sum = AT(a, row, j);
    for (ulong k = 0; k < j; ++k) sum -= AT(a, row, k) * AT(l, j, k);
    AT(a, row, j) = sum / AT(l, j, j);
  }
}
__kernel void lu(MATRIX(REAL, a)) {
  for (ulong k = 0; k < a_x; ++k)
    for (ulong i = k + 1; i < a_y; ++i) {
      const REAL factor = AT(a, i, k) / AT(a, k, k);
      AT(a, i, k) = factor;
      for (ulong j = k + 1; j < a_x; ++j) AT(a, i, j) -= factor * AT(a, k, j);
    }
}
__kernel void solve_lower(MATRIX(const REAL, l), MATRIX(REAL, a)) {
  size_t column = get_global_id(0);
  if (column >= a_x) return;
  for (ulong i = 1; i < a_y; ++i) {
    REAL sum = AT(a, i, column);
    for (ulong k = 0; k < i; ++k) sum -= AT(l, i, k) * AT(a, k, column);
    AT(a, i, column) = sum;
  }
}
__kernel void solve_upper(MATRIX(const REAL, u), MATRIX(REAL, a)) {
  size_t row = get_global_id(0);
  if (row >= a_y) return;
  for (ulong j = 0; j < a_x; ++j) {
    REAL sum = AT(a, row, j);
    for (ulong k = 0; k < j; ++k) sum -= AT(a, row, k) * AT(u, k, j);
    AT(a, row, j) = sum / AT(u, j, j);
  }
}
)";

// Of the last data, which each kernel here writes.
enum class Threads { all_elements, rows, columns, one };

template <Threads threads, int data>
void range(const xylem_view* views, const void*, std::size_t global[3], std::size_t*) {
  const xylem_view& written = views[data];
  global[0] = threads == Threads::rows ? written.y : threads == Threads::one ? 1 : written.x;
  global[1] = threads == Threads::all_elements ? written.y : 1;
}

template <typename T>
constexpr const char* real = std::is_same_v<T, float> ? "-DREAL=float" : "-DREAL=double";

// A kernel for devices of both kinds.
template <typename T, Threads threads, int data>
struct Kernel {
  static constexpr xylem_opencl opencl(const char* name) {
    return {kernels_source, name, real<T>, range<threads, data>};
  }
  static constexpr xylem_cuda cuda(const char* name) {
    xylem_cuda made{};
    made.source = kernels_source;
    made.kernel = name;
    made.options = real<T>;
    made.range = range<threads, data>;
    return made;
  }
};

// x *= factor
template <typename T>
struct Scale {
  static constexpr const char* name = "scale";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::columns, 0>::opencl("scale");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::columns, 0>::cuda("scale");
  T factor;
  void operator()(xylem::view<T> x) const {
    for (std::size_t i = 0; i < x.x(); ++i) x[i] *= factor;
  }
};

// c += sign a b
template <typename T>
struct Multiply {
  static constexpr const char* name = "multiply";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::all_elements, 2>::opencl("multiply");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::all_elements, 2>::cuda("multiply");
  T sign;
  void operator()(xylem::view<const T> a, xylem::view<const T> b, xylem::view<T> c) const {
    for (std::size_t i = 0; i < c.y(); ++i)
      for (std::size_t k = 0; k < a.x(); ++k) {
        const T factor = sign * a(i, k);
        const T* from = b.row(k);
        T* to = c.row(i);
        for (std::size_t j = 0; j < c.x(); ++j) to[j] += factor * from[j];
      }
  }
};

template <typename T>
T dot(const T* one, const T* other, std::size_t count) {
  T sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += one[i] * other[i];
  return sum;
}

// c -= a b^T
template <typename T>
struct SubtractTransposed {
  static constexpr const char* name = "subtract_transposed";
  static constexpr xylem_opencl opencl =
      Kernel<T, Threads::all_elements, 2>::opencl("subtract_transposed");
  static constexpr xylem_cuda cuda =
      Kernel<T, Threads::all_elements, 2>::cuda("subtract_transposed");
  void operator()(xylem::view<const T> a, xylem::view<const T> b, xylem::view<T> c) const {
    for (std::size_t i = 0; i < c.y(); ++i)
      for (std::size_t j = 0; j < c.x(); ++j) c(i, j) -= dot(a.row(i), b.row(j), a.x());
  }
};

// The lower half of c -= a a^T
template <typename T>
struct SubtractSquare {
  static constexpr const char* name = "subtract_square";
  static constexpr xylem_opencl opencl =
      Kernel<T, Threads::all_elements, 1>::opencl("subtract_square");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::all_elements, 1>::cuda("subtract_square");
  void operator()(xylem::view<const T> a, xylem::view<T> c) const {
    for (std::size_t i = 0; i < c.y(); ++i)
      for (std::size_t j = 0; j <= i; ++j) c(i, j) -= dot(a.row(i), a.row(j), a.x());
  }
};

// a = l, where a = l l^T; what is above the diagonal stays. EDOM: a is not positive definite.
template <typename T>
struct Cholesky {
  static constexpr const char* name = "cholesky";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::one, 0>::opencl("cholesky");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::one, 0>::cuda("cholesky");
  int operator()(xylem::view<T> a) const {
    for (std::size_t j = 0; j < a.x(); ++j) {
      const T square = a(j, j) - dot(a.row(j), a.row(j), j);
      if (!(square > 0)) return EDOM;
      const T root = a(j, j) = std::sqrt(square);
      for (std::size_t i = j + 1; i < a.y(); ++i)
        a(i, j) = (a(i, j) - dot(a.row(i), a.row(j), j)) / root;
    }
    return 0;
  }
};

// a = a l^-T
template <typename T>
struct SolveTransposed {
  static constexpr const char* name = "solve_transposed";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::rows, 1>::opencl("solve_transposed");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::rows, 1>::cuda("solve_transposed");
  void operator()(xylem::view<const T> l, xylem::view<T> a) const {
    for (std::size_t i = 0; i < a.y(); ++i)
      for (std::size_t j = 0; j < a.x(); ++j)
        a(i, j) = (a(i, j) - dot(a.row(i), l.row(j), j)) / l(j, j);
  }
};

// a = l below the diagonal and u from there on, where a = l u and l has ones on the diagonal.
template <typename T>
struct Lu {
  static constexpr const char* name = "lu";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::one, 0>::opencl("lu");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::one, 0>::cuda("lu");
  void operator()(xylem::view<T> a) const {
    for (std::size_t k = 0; k < a.x(); ++k)
      for (std::size_t i = k + 1; i < a.y(); ++i) {
        const T factor = a(i, k) /= a(k, k);
        for (std::size_t j = k + 1; j < a.x(); ++j) a(i, j) -= factor * a(k, j);
      }
  }
};

// a = l^-1 a, with the l that Lu leaves
template <typename T>
struct SolveLower {
  static constexpr const char* name = "solve_lower";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::columns, 1>::opencl("solve_lower");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::columns, 1>::cuda("solve_lower");
  void operator()(xylem::view<const T> l, xylem::view<T> a) const {
    for (std::size_t i = 1; i < a.y(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        for (std::size_t j = 0; j < a.x(); ++j) a(i, j) -= l(i, k) * a(k, j);
  }
};

// a = a u^-1, with the u that Lu leaves
template <typename T>
struct SolveUpper {
  static constexpr const char* name = "solve_upper";
  static constexpr xylem_opencl opencl = Kernel<T, Threads::rows, 1>::opencl("solve_upper");
  static constexpr xylem_cuda cuda = Kernel<T, Threads::rows, 1>::cuda("solve_upper");
  void operator()(xylem::view<const T> u, xylem::view<T> a) const {
    for (std::size_t i = 0; i < a.y(); ++i)
      for (std::size_t j = 0; j < a.x(); ++j) {
        T sum = a(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= a(i, k) * u(k, j);
        a(i, j) = sum / u(j, j);
      }
  }
};

}  // namespace tiles
