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

// Bytes of each array where the piece is dense; 0: there is no such array.
std::array<size_t, 3> array_bytes(const Shape& shape);
// Bytes that the piece takes where it is dense, each array on a boundary of 64.
size_t dense_bytes(const Shape& shape);
// The layout of a dense piece in one block of dense_bytes().
Layout dense_layout(const Shape& shape, void* memory);

// One copy of consecutive bytes.
struct Span {
  Location from;
  Location to;
  size_t bytes = 0;
};

// Calls visit(span) for each run of bytes that a copy of the piece moves: one if both sides are
// dense, else one a row.
template <typename Visit>
void each_span(const Shape& shape, const Layout& from, const Layout& to, Visit visit);

// Bytes that a piece takes in a layout, for what can be copied as a whole; false: it has gaps.
bool is_dense(const Shape& shape, const Layout& layout);

inline bool is_box(Kind kind) { return kind <= Kind::block; }

template <typename Visit>
void each_span(const Shape& shape, const Layout& from, const Layout& to, Visit visit) {
  if (!is_box(shape.kind) || (is_dense(shape, from) && is_dense(shape, to))) {
    const std::array<size_t, 3> bytes = array_bytes(shape);
    for (size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] > 0) visit(Span{from.arrays[i], to.arrays[i], bytes[i]});
    return;
  }
  const auto at = [&](const Layout& layout, size_t y, size_t z) {
    const size_t elements = y * layout.row_step + z * layout.plane_step;
    const Location& box = layout.arrays[0];
    return Location{box.memory, box.offset + elements * shape.element_bytes};
  };
  for (size_t z = 0; z < shape.extents.z; ++z)
    for (size_t y = 0; y < shape.extents.y; ++y)
      visit(Span{at(from, y, z), at(to, y, z), shape.extents.x * shape.element_bytes});
}

}  // namespace xylem::hetero
