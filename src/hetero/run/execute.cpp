// Owns: running tasks. See execute.hpp.
#include "hetero/run/execute.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "hetero/run/crew.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/measured.hpp"
#include "hetero/run/team_threads.hpp"
#include "hetero/tasks/commute.hpp"
#include "hetero/tasks/handle.hpp"
#include "hetero/tracing.hpp"
#include "os/clock.hpp"

namespace xylem::hetero {

bool writes(xylem_mode mode) {
  return mode == xylem_write || mode == xylem_read_write || mode == xylem_commute;
}

bool brings(xylem_mode mode) {
  return mode == xylem_read || mode == xylem_read_write || mode == xylem_commute;
}

Access access_of(xylem_mode mode) {
  if (mode == xylem_read) return Access::read;
  return mode == xylem_write || mode == xylem_scratch ? Access::write : Access::read_write;
}

namespace {

void* new_copy(const Shape& shape) {
  return std::aligned_alloc(64, std::max<size_t>((dense_bytes(shape) + 63) / 64 * 64, 64));
}

xylem_view view_of_copy(const Handle& handle, void* memory) {
  const Shape& shape = handle.piece.shape();
  return view_of(shape, dense_layout(shape, memory));
}

// --- what a codelet works on ---------------------------------------------------------------------

int take_scratch(const Use& use, xylem_view& view) {
  void* memory = new_copy(use.handle->piece.shape());
  if (!memory) return ENOMEM;
  view = view_of_copy(*use.handle, memory);
  return 0;
}

// `node`: the memory node on which it is taken, for give_back().
int take(const Use& use, Runner runner, xylem_view& view, int& node) {
  if (use.mode == xylem_scratch) return take_scratch(use, view);
  if (use.mode == xylem_reduce)
    if (const int error = begin_copy(*use.handle, runner.seat)) return error;
  Piece& piece = piece_of(use, runner.seat);
  if (const int error = piece.acquire_near(access_of(use.mode), node)) return error;
  view = view_of(piece.shape(), piece.layout(node));
  return 0;
}

// `failed`: what the task was to write has no value now.
void give_back(const Use& use, Runner runner, const xylem_view& view, int node, bool failed) {
  if (use.mode == xylem_scratch) return std::free(view.data);
  Piece& piece = piece_of(use, runner.seat);
  if (!failed) return piece.release(node, access_of(use.mode));
  piece.give_up(node);
  if (writes(use.mode)) piece.invalidate();
}

int call_function(const Task& task, const xylem_view* views, int threads) {
  const bool is_team = task.codelet->most_threads > 1;
  return call_on_processor(*task.codelet, is_team ? threads : 0, views, task.argument);
}

// What the function takes alone, without its data's way.
int call_measured(Task& task, int executor, const xylem_view* views, bool measured) {
  const TeamThreads threads(task, measured);
  if (!measured) return call_function(task, views, threads.count());
  const int64_t began = os::now_ns();
  const int error = call_function(task, views, threads.count());
  const auto took = static_cast<double>(os::now_ns() - began);
  if (error == 0) record_time(task, executor, took, threads.count());
  return error;
}

int call(Task& task, int executor, const xylem_view* views, bool measured) {
  trace::emit<traced::codelet_begin>(executor, *task.codelet);
  const int error = call_measured(task, executor, views, measured);
  trace::emit<traced::codelet_end>(executor);
  return error;
}

int run_codelet(Task& task, Runner runner, bool measured) {
  // Its device has gone since it was submitted.
  if (!task.codelet->cpu) return lose_written(task), ENODEV;
  std::array<xylem_view, xylem_most_accesses> views;
  std::array<int, xylem_most_accesses> nodes;
  int error = 0;
  int taken = 0;
  while (taken < task.use_count && error == 0) {
    const auto i = static_cast<size_t>(taken);
    error = take(task.uses[taken], runner, views[i], nodes[i]);
    if (error == 0) ++taken;
  }
  if (error == 0) error = call(task, runner.executor, views.data(), measured);
  for (int i = 0; i < taken; ++i)
    give_back(task.uses[i], runner, views[static_cast<size_t>(i)], nodes[static_cast<size_t>(i)],
              error != 0);
  for (int i = taken; i < task.use_count; ++i)  // what it was to write and did not come to
    if (writes(task.uses[i].mode)) task.uses[i].handle->piece.invalidate();
  return error;
}

void let_others_commute(Task& task) {
  Task* waiting = give_commuting_up(task);
  while (waiting) {
    Task* next = waiting->next_waiting;
    waiting->next_waiting = nullptr;
    deal(*waiting);
    waiting = next;
  }
}

}  // namespace

void lose_written(Task& task) {
  for (const Use& use : task.all_uses())
    if (writes(use.mode)) use.handle->piece.invalidate();
}

void finish_task(Task& task, int error) {
  task.error = error;
  if (task.commutes) let_others_commute(task);
  end(task);
}

void execute(Task& task, Runner runner, bool measured) {
  const double expected_ns = task.expected_ns;  // a step's task may be gone after it
  const int result = task.codelet ? run_codelet(task, runner, measured) : task.step(task);
  tell_ended(runner.executor, expected_ns);
  if (result == EINPROGRESS) return;  // whoever the step told ends the task, or has
  finish_task(task, result);
}

int begin_copy(Handle& handle, int seat) {
  std::unique_ptr<Piece>& copy = handle.reduction.copies[static_cast<size_t>(seat)];
  if (copy) return 0;
  auto made = std::make_unique<Piece>(memories(), handle.piece.shape());
  if (const int error = made->acquire(main_memory, Access::write)) return error;
  const xylem_view view = view_of(made->shape(), made->layout(main_memory));
  handle.reduction.begin(&view);
  made->release(main_memory, Access::write);
  copy = std::move(made);
  return 0;
}

Piece& piece_of(const Use& use, int seat) {
  if (use.mode != xylem_reduce) return use.handle->piece;
  return *use.handle->reduction.copies[static_cast<size_t>(seat)];
}

namespace {

// A copy that was on a device comes to main memory before.
int combine(const Handle& handle, const xylem_view& whole, Piece& copy) {
  if (const int error = copy.acquire(main_memory, Access::read)) return error;
  const xylem_view part = view_of(copy.shape(), copy.layout(main_memory));
  handle.reduction.combine(&whole, &part);
  copy.give_up(main_memory);
  return 0;
}

}  // namespace

int combine_copies(Task& task) {
  Handle& handle = *task.uses[0].handle;
  Access access = Access::read_write;
  int error = handle.piece.acquire(main_memory, access);
  const bool begins = error == ENODATA;
  if (begins) {
    access = Access::write;
    error = handle.piece.acquire(main_memory, access);
  }
  if (error != 0) return error;
  const xylem_view whole = view_of(handle.piece.shape(), handle.piece.layout(main_memory));
  if (begins) handle.reduction.begin(&whole);
  for (std::unique_ptr<Piece>& copy : handle.reduction.copies) {
    if (copy && error == 0) error = combine(handle, whole, *copy);
    copy.reset();
  }
  handle.piece.release(main_memory, access);
  if (error != 0) handle.piece.lose();
  return error;
}

}  // namespace xylem::hetero
