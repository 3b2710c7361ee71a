// Owns: handles' ends and views. See handle.hpp.
#include "hetero/tasks/handle.hpp"

#include <cstdlib>

namespace xylem::hetero {

Handle::~Handle() {
  if (piece.has_home()) forget_address(*this);
  for (Task* task : before.tasks) let_go(*task);
  for (Task* task : current.tasks) let_go(*task);
  for (Task* task : scratch.tasks) let_go(*task);
}

namespace {

template <typename Element>
Element* address(const Location& location) {
  return reinterpret_cast<Element*>(static_cast<std::byte*>(location.memory) + location.offset);
}

}  // namespace

xylem_view view_of(const Shape& shape, const Layout& layout) {
  xylem_view view{};
  view.kind = static_cast<xylem_kind>(shape.kind);
  view.data = address<void>(layout.arrays[0]);
  view.element_bytes = shape.element_bytes;
  view.x = shape.extents.x;
  view.y = shape.extents.y;
  view.z = shape.extents.z;
  view.row_step = layout.row_step;
  view.plane_step = layout.plane_step;
  if (shape.kind != Kind::csr) return view;
  view.columns = address<uint32_t>(layout.arrays[1]);
  view.row_starts = address<uint32_t>(layout.arrays[2]);
  view.entries = shape.csr.entries;
  view.rows = shape.csr.rows;
  view.first_entry = shape.csr.first_entry;
  return view;
}

xylem_view extents_of(const Shape& shape) {
  xylem_view view = view_of(shape, dense_layout(shape, nullptr));
  view.data = nullptr;
  view.columns = view.row_starts = nullptr;
  return view;
}

}  // namespace xylem::hetero
