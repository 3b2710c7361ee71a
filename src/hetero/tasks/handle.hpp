// Owns: a piece of data as tasks know it: its copies, which tasks use it in which order, its parts.
#pragma once

#include <memory>
#include <vector>

#include "hetero/data/piece.hpp"
#include "hetero/tasks/addresses.hpp"
#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

// Tasks that may run at the same time as far as one piece is concerned. Each is held.
struct Generation {
  xylem_mode mode = xylem_read;
  std::vector<Task*> tasks;
  size_t prune_at = 64;  // so many tasks: those that have ended are let go
};

struct Reduction {
  void (*begin)(const xylem_view* copy) = nullptr;
  void (*combine)(const xylem_view* into, const xylem_view* from) = nullptr;
  // By the crew's member that runs tasks: its copy; null: it has made none. By that member, and by
  // the task that combines them, which comes after all that reduce.
  std::vector<std::unique_ptr<Piece>> copies;
};

class Handle {
 public:
  template <typename... Arguments>
  explicit Handle(Arguments&&... arguments) : piece(arguments...) {
    if (piece.has_home()) record_address(*this);
  }
  // No task uses it.
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  Piece piece;
  Reduction reduction;

  // Under the lock of the order of tasks (data_order.hpp).
  Generation before;   // what tasks of `current` come after
  Generation current;  // the tasks submitted last
  Generation scratch;  // those for which it is scratch: its end comes after them
  bool ends = false;   // its end was submitted
  Handle* whole = nullptr;
  std::vector<Handle*> parts;  // which end with their gathering; empty: it is not cut
  // Further tasks may use it.
  bool is_open() const { return parts.empty() && !ends; }

  AddressHook by_address;  // see addresses.hpp
  int forks = 0;           // likewise

  Task* acquired = nullptr;  // the program's accesses, by next_waiting; under acquired_lock

  // Under the lock of those that commute (commute.hpp).
  Task* holder = nullptr;
  Task* first_waiting = nullptr;
  Task* last_waiting = nullptr;
};

// What a codelet sees of a piece in a layout in main memory.
xylem_view view_of(const Shape& shape, const Layout& layout);
// The same of a dense piece, without addresses.
xylem_view extents_of(const Shape& shape);

}  // namespace xylem::hetero
