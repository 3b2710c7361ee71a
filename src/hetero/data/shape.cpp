// Owns: sizes and layouts of pieces. See shape.hpp.
#include "hetero/data/shape.hpp"

#include <algorithm>

namespace xylem::hetero {

namespace {

// Where an array may begin: a cache line, or, of several in one block, wherever a device lets a
// part of a block begin.
size_t up_to_boundary(Kind kind, size_t bytes) {
  const size_t boundary = kind == Kind::csr ? 512 : 64;
  return (bytes + boundary - 1) / boundary * boundary;
}

}  // namespace

std::array<size_t, 3> array_bytes(const Shape& shape) {
  if (shape.kind != Kind::csr) return {shape.extents.count() * shape.element_bytes, 0, 0};
  return {shape.csr.entries * shape.element_bytes, shape.csr.entries * sizeof(uint32_t),
          (size_t{shape.csr.rows} + 1) * sizeof(uint32_t)};
}

size_t dense_bytes(const Shape& shape) {
  size_t sum = 0;
  for (const size_t bytes : array_bytes(shape)) sum += up_to_boundary(shape.kind, bytes);
  return sum;
}

Layout dense_layout(const Shape& shape, void* memory) {
  Layout layout;
  size_t offset = 0;
  const std::array<size_t, 3> bytes = array_bytes(shape);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    layout.arrays[i] = {memory, offset};
    offset += up_to_boundary(shape.kind, bytes[i]);
  }
  layout.row_step = shape.extents.x;
  layout.plane_step = shape.extents.x * shape.extents.y;
  return layout;
}

bool is_dense(const Shape& shape, const Layout& layout) {
  if (!is_box(shape.kind)) return true;
  const Extents& extents = shape.extents;
  const bool rows_follow = extents.y == 1 || layout.row_step == extents.x;
  const bool planes_follow = extents.z == 1 || layout.plane_step == extents.x * extents.y;
  return rows_follow && planes_follow;
}

bool fits_kernels(const Shape& shape, const Layout& layout) {
  const auto aligned = [](const Location& at) {
    return (reinterpret_cast<uintptr_t>(at.memory) + at.offset) % kernel_alignment == 0;
  };
  return is_dense(shape, layout) &&
         std::all_of(layout.arrays.begin(), layout.arrays.end(), aligned);
}

size_t reach_of(const Shape& shape, const Layout& layout) {
  if (!is_box(shape.kind)) return array_bytes(shape)[0];
  const Extents& extents = shape.extents;
  if (extents.count() == 0) return 0;
  return ((extents.z - 1) * layout.plane_step + (extents.y - 1) * layout.row_step + extents.x) *
         shape.element_bytes;
}

namespace {

Side side_of(const Shape& shape, const Layout& layout) {
  return {layout.arrays[0], layout.row_step * shape.element_bytes,
          layout.plane_step * shape.element_bytes};
}

}  // namespace

Spans spans_of(const Shape& shape, const Layout& from, const Layout& to) {
  Spans spans;
  if (is_dense(shape, from) && is_dense(shape, to)) {
    const std::array<size_t, 3> bytes = array_bytes(shape);
    for (size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] > 0) spans.span[spans.count++] = {{from.arrays[i]}, {to.arrays[i]}, bytes[i]};
    return spans;
  }
  spans.span[spans.count++] = {side_of(shape, from), side_of(shape, to),
                               shape.extents.x * shape.element_bytes, shape.extents.y,
                               shape.extents.z};
  return spans;
}

}  // namespace xylem::hetero
