// Owns: dependences between the children of one task (depend clauses).
//
// For each address there are two generations of tasks that are not complete: `current`, whose
// members have no order among each other (one writer, or a set), and `previous`, for which each of
// `current` waits. A new task joins `current` or starts the next generation.
//
// The tasks of a mutexinoutset run in any order, but one at a time: when nothing else blocks such a
// task it takes all its addresses at once and keeps them until it is complete; if one is taken, it
// waits for the task that holds it, and tries anew. So at most one task is ready or running of each
// set, and who holds an address waits for nothing.
//
// A task that depends on all memory stands in no address's generations: it waits for all tasks in
// them, and tasks that are entered later wait for it (`all_memory_`) besides the others.
//
// Everything here is under the lock of the table, which the children of one task share.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"

namespace xylem::hetero {
struct Task;
}

namespace xylem::omp {

namespace tool {
class Sources;
}

struct DependEntry;
struct ExplicitTask;

// all_memory: inout of everything; the address is null. Alone in its list.
enum class DependKind : uint8_t { in, out, inout, mutexinoutset, inoutset, all_memory };

// One list item of a depend clause.
struct Dependence {
  const void* address;
  DependKind kind;
};

// All of one task. Whoever makes the span keeps what it points to until the call returns.
using DependList = std::span<const Dependence>;

// What waits for tasks: a blocked task, or (task == null) a parent that will look at `unmet`.
struct Blocked {
  int unmet = 0;
  ExplicitTask* task = nullptr;
  tool::Sources* sources = nullptr;  // takes the tasks that are waited for; null: no tool is told
};

// One dependence of one task. Lies in the task's block.
struct DependNode {
  ExplicitTask* task = nullptr;
  DependEntry* entry = nullptr;  // null: all memory
  DependNode* next = nullptr;
  DependNode** link = nullptr;  // what points to it; null: none any more
  // Of a mutexinoutset. Then `entry` stands until the task is complete, even when the node is in no
  // generation any more: later ones wait for the task.
  bool exclusive = false;
};

// What a task with a depend clause has besides. Lies in the task's block or in one of its own, the
// nodes behind it.
struct Dependences {
  static constexpr size_t bytes_for(size_t nodes) {
    return sizeof(Dependences) + nodes * sizeof(DependNode);
  }
  // `place` has room for so many bytes.
  static Dependences* make(void* place, ExplicitTask& task, size_t count) {
    auto* all = new (place) Dependences(task);
    all->nodes = reinterpret_cast<DependNode*>(all + 1);
    all->count = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count; ++i) new (all->nodes + i) DependNode;
    return all;
  }
  explicit Dependences(ExplicitTask& task) { blocked.task = &task; }

  uint32_t count = 0;      // of nodes
  bool exclusive = false;  // in a mutexinoutset
  DependNode* nodes = nullptr;
  Blocked blocked;  // on tasks before it
  // Who waits for it. Most have few; malloc would be asked for them by one thread, and the memory
  // be freed by another.
  boost::container::small_vector<Blocked*, 2> dependents;
  hetero::Task* data = nullptr;  // its access to data of codelets; null: none
  size_t own_block = 0;          // its size; 0: it lies in the task's
};

class DependTable {
 public:
  DependTable();
  ~DependTable();
  DependTable(const DependTable&) = delete;
  DependTable& operator=(const DependTable&) = delete;

  base::SpinLock lock{{40, "DependTable::lock"}};

  // Enters the task's dependences, by its nodes, one for each, and sets its blocked.unmet.
  void enter(ExplicitTask& task, DependList dependences) XYLEM_REQUIRES(lock);
  // For a task with unmet == 0: true if it may run, and holds its mutexinoutset addresses; else it
  // waits for one more task.
  bool acquire(ExplicitTask& task) XYLEM_REQUIRES(lock);
  // Makes `blocked` wait for the tasks that a new one with these dependences would wait for, with
  // mutexinoutset taken for inout.
  void block(Blocked& blocked, DependList dependences) XYLEM_REQUIRES(lock);
  // The same question without waiting.
  bool must_wait(DependList dependences) const XYLEM_REQUIRES(lock);
  // The task is complete: it leaves all generations.
  void leave(ExplicitTask& task) XYLEM_REQUIRES(lock);

 private:
  DependEntry* find(const void* address) const;
  DependEntry& find_or_make(const void* address);
  void enter_all_memory(ExplicitTask& task, DependNode& node);
  void block_by_all(Blocked& blocked) const;
  void enter_one(ExplicitTask& task, DependNode& node, const void* address, DependKind kind);
  void erase(DependEntry& entry);
  void grow();
  size_t bucket_of(const void* address) const;

  std::vector<DependEntry*> buckets_;
  size_t count_ = 0;
  DependEntry* spare_ = nullptr;
  DependNode* all_memory_ = nullptr;  // of the last such task, until it is complete
};

}  // namespace xylem::omp
