// Owns: what a piece of data looks like: its kind, its extents, and where its bytes are in one
// memory. Pure: nothing here reads or writes the data (paper 002, section 3.2.1).
//
// Variable, vector, matrix and block are one thing, a box of up to three dimensions: elements of a
// row follow each other, rows are `row_step` elements apart, planes `plane_step`. On a memory node
// that is not its home a piece is dense: no gaps between rows and planes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::hetero {

enum class Kind : uint8_t { variable, vector, matrix, block, csr, user };

// Extents in elements; 1 where the kind has fewer dimensions.
struct Extents {
  size_t x = 1;
  size_t y = 1;
  size_t z = 1;

  size_t count() const { return x * y * z; }
};

// A sparse matrix by rows: entries of row r are those from row_starts[r] to row_starts[r + 1], less
// `first_entry`, which is the number of the piece's first entry (as in row_starts[0]).
struct Csr {
  uint32_t entries = 0;
  uint32_t rows = 0;
  uint32_t first_entry = 0;
};

struct Shape {
  Kind kind = Kind::variable;
  size_t element_bytes = 0;  // of a user-made piece: all its bytes
  Extents extents;           // of a box; of what the user made: {1, 1, 1}
  Csr csr;
};

// An array of the piece in one memory: what the memory's driver knows it by (an address in main
// memory), and how many bytes behind that the array begins.
struct Location {
  void* memory = nullptr;
  size_t offset = 0;
};

// Where a piece is in one memory. A box has one array; CSR values, columns (uint32_t), row starts
// (uint32_t, rows + 1 of them); what the user made has one.
struct Layout {
  std::array<Location, 3> arrays;
  size_t row_step = 0;    // elements from a row of a box to the next
  size_t plane_step = 0;  // elements from a plane of a box to the next
};

// Kernels may load elements of OpenCL C's largest type, double16, at once.
constexpr size_t kernel_alignment = 128;

// Bytes of each array where the piece is dense; 0: there is no such array.
std::array<size_t, 3> array_bytes(const Shape& shape);
// Bytes that the piece takes where it is dense: each array on a boundary of 64, or, of several in
// one block, of 512.
size_t dense_bytes(const Shape& shape);
// The layout of a dense piece in one block of dense_bytes().
Layout dense_layout(const Shape& shape, void* memory);

// One side of a copy: where its first row begins, and the bytes from a row, or a plane, to the
// next.
struct Side {
  Location at;
  size_t row_step = 0;
  size_t plane_step = 0;
};

// One copy: planes of rows of consecutive bytes. Where all bytes follow each other it is one row.
struct Span {
  Side from;
  Side to;
  size_t bytes = 0;  // of a row
  size_t rows = 1;   // of a plane
  size_t planes = 1;

  size_t all_bytes() const { return bytes * rows * planes; }
  bool is_one_row() const { return rows == 1 && planes == 1; }
};

// The copies that move the piece, one for each of its arrays.
struct Spans {
  std::array<Span, 3> span;
  size_t count = 0;

  const Span* begin() const { return span.data(); }
  const Span* end() const { return span.data() + count; }
};
Spans spans_of(const Shape& shape, const Layout& from, const Layout& to);

// Bytes that a piece takes in a layout, for what can be copied as a whole; false: it has gaps.
bool is_dense(const Shape& shape, const Layout& layout);

// Whether kernels may work on the piece where it is: it is dense, and each array begins on a
// boundary of kernel_alignment.
bool fits_kernels(const Shape& shape, const Layout& layout);

// Bytes from the first of the first array to the last, gaps with them.
size_t reach_of(const Shape& shape, const Layout& layout);

inline bool is_box(Kind kind) { return kind <= Kind::block; }

}  // namespace xylem::hetero
