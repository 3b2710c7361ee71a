// Owns: cutting pieces. See filter.hpp.
#include "hetero/data/filter.hpp"

#include <algorithm>

namespace xylem::hetero {

namespace {

Part box_part(const Shape& shape, const Layout& layout, const Cut& cut, int number) {
  const Run x = run_of(shape.extents.x, cut.x, number % cut.x);
  const Run y = run_of(shape.extents.y, cut.y, number / cut.x % cut.y);
  const Run z = run_of(shape.extents.z, cut.z, number / cut.x / cut.y);
  Part part{shape, layout};
  part.shape.extents = {x.count, y.count, z.count};
  const size_t elements = x.first + y.first * layout.row_step + z.first * layout.plane_step;
  part.layout.arrays[0].offset += elements * shape.element_bytes;
  return part;
}

// Reads the row starts, which lie in main memory.
Part csr_part(const Shape& shape, const Layout& layout, const Cut& cut, int number) {
  const Location& starts = layout.arrays[2];
  const auto* row_starts = reinterpret_cast<const uint32_t*>(
      static_cast<const std::byte*>(starts.memory) + starts.offset);
  const Run rows = run_of(shape.csr.rows, cut.y, number);
  const uint32_t first = row_starts[rows.first];
  const uint32_t end = row_starts[rows.first + rows.count];
  Part part{shape, layout};
  part.shape.csr = {end - first, static_cast<uint32_t>(rows.count), first};
  const size_t before = first - shape.csr.first_entry;
  part.layout.arrays[0].offset += before * shape.element_bytes;
  part.layout.arrays[1].offset += before * sizeof(uint32_t);
  part.layout.arrays[2].offset += rows.first * sizeof(uint32_t);
  return part;
}

}  // namespace

Run run_of(size_t extent, int parts, int number) {
  const auto n = static_cast<size_t>(parts);
  const auto i = static_cast<size_t>(number);
  const size_t larger = extent % n;  // so many parts have one more
  return {i * (extent / n) + std::min(i, larger), extent / n + (i < larger ? 1 : 0)};
}

bool can_cut(const Shape& shape, const Cut& cut) {
  if (cut.x < 1 || cut.y < 1 || cut.z < 1) return false;
  const auto fits = [](size_t extent, int parts) { return static_cast<size_t>(parts) <= extent; };
  if (shape.kind == Kind::user) return false;
  if (shape.kind == Kind::csr) return cut.x == 1 && cut.z == 1 && fits(shape.csr.rows, cut.y);
  return fits(shape.extents.x, cut.x) && fits(shape.extents.y, cut.y) &&
         fits(shape.extents.z, cut.z);
}

Part part_of(const Shape& shape, const Layout& layout, const Cut& cut, int number) {
  return shape.kind == Kind::csr ? csr_part(shape, layout, cut, number)
                                 : box_part(shape, layout, cut, number);
}

}  // namespace xylem::hetero
