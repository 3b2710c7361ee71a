// Owns: sizes and layouts of pieces. See shape.hpp.
#include "hetero/data/shape.hpp"

namespace xylem::hetero {

namespace {

constexpr size_t boundary = 64;

size_t up_to_boundary(size_t bytes) { return (bytes + boundary - 1) / boundary * boundary; }

}  // namespace

std::array<size_t, 3> array_bytes(const Shape& shape) {
  if (shape.kind != Kind::csr) return {shape.extents.count() * shape.element_bytes, 0, 0};
  return {shape.csr.entries * shape.element_bytes, shape.csr.entries * sizeof(uint32_t),
          (size_t{shape.csr.rows} + 1) * sizeof(uint32_t)};
}

size_t dense_bytes(const Shape& shape) {
  size_t sum = 0;
  for (const size_t bytes : array_bytes(shape)) sum += up_to_boundary(bytes);
  return sum;
}

Layout dense_layout(const Shape& shape, void* memory) {
  Layout layout;
  size_t offset = 0;
  const std::array<size_t, 3> bytes = array_bytes(shape);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    layout.arrays[i] = {memory, offset};
    offset += up_to_boundary(bytes[i]);
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

}  // namespace xylem::hetero
