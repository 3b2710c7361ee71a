// Owns: cutting data into parts and bringing parts together, as tasks between those that use them.
//
// The task that cuts writes the whole and all parts, and so does the one that gathers. So neither
// waits, and parts are cut again in the same way.
#include <cerrno>
#include <memory>

#include "hetero/run/codelets.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/tasks/acquire.hpp"
#include "hetero/tasks/data_order.hpp"

namespace xylem::hetero {

namespace {

using Parts = std::vector<std::unique_ptr<Handle>>;

// --- cutting -------------------------------------------------------------------------------------

// The whole comes to main memory, where the parts have it. Without a value it leaves them none.
int cut_step(Task& task) {
  Handle& whole = *task.uses[0].handle;
  const int error = whole.piece.acquire(main_memory, Access::read_write);
  if (error == 0) whole.piece.release(main_memory, Access::read_write);
  if (error != 0)
    for (const Use& part : task.all_uses().subspan(1)) part.handle->piece.invalidate();
  return error == ENODATA ? 0 : error;
}

int decide_cut(Task& task, void* raw) {
  Handle& whole = *task.uses[0].handle;
  if (!whole.is_open()) return EBUSY;
  auto& parts = *static_cast<Parts*>(raw);
  for (size_t i = 0; i < parts.size(); ++i) {
    Handle* part = parts[i].release();
    part->whole = &whole;
    whole.parts.push_back(part);
    task.uses[i + 1] = {part, xylem_write};
  }
  return 0;
}

int submit_cut(Handle& whole, Parts& parts) {
  Task* task = make_task(1 + static_cast<int>(parts.size()), nullptr, 0);
  if (!task) return ENOMEM;
  task->uses[0] = {&whole, xylem_read_write};
  task->step = cut_step;
  const int refused = enter_if(*task, decide_cut, &parts);
  if (refused != 0) let_go(*task);
  return refused;
}

// From here on the layout in main memory stays what it is. A box in the program's memory has always
// had it; other pieces are waited for until they are there.
int settle(Handle& whole) {
  if (whole.piece.has_home() && whole.piece.shape().kind != Kind::csr) return 0;
  int error = acquire(whole, xylem_read);
  const bool without_value = error == ENODATA;
  if (without_value) error = acquire(whole, xylem_write);
  if (error != 0) return error;
  release(whole, !without_value);
  return 0;
}

void add_part(Parts& parts, const Part& part) {
  parts.push_back(std::make_unique<Handle>(memories(), part.shape, part.layout));
}

Part part_of_view(const Shape& whole, const xylem_view& view) {
  Part part{whole, {}};
  part.shape.kind = static_cast<Kind>(view.kind);
  part.shape.element_bytes = view.element_bytes;
  part.shape.extents = {view.x, view.y, view.z};
  part.shape.csr = {view.entries, view.rows, view.first_entry};
  part.layout.arrays = {Location{view.data, 0}, {view.columns, 0}, {view.row_starts, 0}};
  part.layout.row_step = view.row_step;
  part.layout.plane_step = view.plane_step;
  return part;
}

// --- gathering -----------------------------------------------------------------------------------

int gather_step(Task& task) {
  Piece& whole = task.uses[0].handle->piece;
  int lost = 0;
  for (const Use& use : task.all_uses().subspan(1)) {
    if (const int error = use.handle->piece.prefetch(main_memory)) lost = error;
    delete use.handle;
  }
  if (lost != 0) {
    whole.invalidate();
    return lost == ENODATA ? 0 : lost;
  }
  const int error = whole.acquire(main_memory, Access::write);
  if (error == 0) whole.release(main_memory, Access::write);
  return error;
}

int decide_gather(Task& task, void*) {
  Handle& whole = *task.uses[0].handle;
  if (whole.parts.size() + 1 != task.all_uses().size()) return EINVAL;
  for (const Handle* part : whole.parts)
    if (!part->parts.empty()) return EBUSY;
  for (size_t i = 0; i < whole.parts.size(); ++i) {
    task.uses[i + 1] = {whole.parts[i], xylem_read_write};
    whole.parts[i]->ends = true;
  }
  whole.parts.clear();
  return 0;
}

}  // namespace

int partition(Handle& handle, const Cut& cut) {
  const Shape& shape = handle.piece.shape();
  if (!can_cut(shape, cut)) return EINVAL;
  if (const int error = settle(handle)) return error;
  Parts parts;
  for (int number = 0; number < cut.parts(); ++number)
    add_part(parts, part_of(shape, handle.piece.layout(main_memory), cut, number));
  return submit_cut(handle, parts);
}

int partition_by(Handle& handle, int count, int (*make)(const xylem_view*, int, xylem_view*, void*),
                 void* argument) {
  if (const int error = settle(handle)) return error;
  const Shape& shape = handle.piece.shape();
  const xylem_view whole = view_of(shape, handle.piece.layout(main_memory));
  Parts parts;
  for (int number = 0; number < count; ++number) {
    xylem_view view = whole;
    if (const int error = make(&whole, number, &view, argument)) return error;
    add_part(parts, part_of_view(shape, view));
  }
  return submit_cut(handle, parts);
}

int unpartition(Handle& handle) {
  const auto count = static_cast<int>(handle.parts.size());
  if (count == 0) return EINVAL;
  Task* task = make_task(1 + count, nullptr, 0);
  if (!task) return ENOMEM;
  task->uses[0] = {&handle, xylem_read_write};
  task->step = gather_step;
  const int refused = enter_if(*task, decide_gather, nullptr);
  if (refused != 0) let_go(*task);
  return refused;
}

}  // namespace xylem::hetero
