// Owns: the table behind depend clauses. See depend.hpp.
#include "omp/tasks/depend.hpp"

#include "base/check.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tool/tasks.hpp"

namespace xylem::omp {

struct DependEntry {
  const void* address = nullptr;
  DependKind kind = DependKind::in;  // of the current generation
  DependNode* current = nullptr;     // newest first
  DependNode* previous = nullptr;
  ExplicitTask* holder = nullptr;  // of a mutexinoutset in either generation: who may run
  DependEntry* next = nullptr;     // in its bucket, or spare
};

namespace {

// True if tasks of this kind have no order among each other.
bool is_set(DependKind kind) {
  return kind == DependKind::in || kind == DependKind::inoutset ||
         kind == DependKind::mutexinoutset;
}

// What an undeferred task, which enters no set, must wait as.
DependKind outside_sets(DependKind kind) {
  return kind == DependKind::mutexinoutset ? DependKind::inout : kind;
}

void put_first(DependNode*& head, DependNode& node) {
  node.next = head;
  node.link = &head;
  if (head) head->link = &node.next;
  head = &node;
}

void take_out(DependNode& node) {
  *node.link = node.next;
  if (node.next) node.next->link = node.link;
  node.link = nullptr;
}

void forget(DependNode*& head) {
  for (; head; head = head->next) head->link = nullptr;
}

bool is_all_memory(DependList dependences) {
  return dependences.front().kind == DependKind::all_memory;
}

// Whom a newcomer of this kind waits for.
DependNode* before(const DependEntry& entry, DependKind kind) {
  if (!entry.current || (is_set(kind) && entry.kind == kind)) return entry.previous;
  return entry.current;
}

void wait_for(Blocked& blocked, DependNode* nodes) {
  for (; nodes; nodes = nodes->next) {
    nodes->task->dependences->dependents.push_back(&blocked);
    ++blocked.unmet;
    if (blocked.sources) [[unlikely]]
      blocked.sources->add(*nodes->task);
  }
}

}  // namespace

DependTable::DependTable() : buckets_(16) {}

DependTable::~DependTable() {
  for (DependEntry* entry : buckets_) {
    while (entry) {
      DependEntry* next = entry->next;
      delete entry;
      entry = next;
    }
  }
  while (spare_) {
    DependEntry* next = spare_->next;
    delete spare_;
    spare_ = next;
  }
}

size_t DependTable::bucket_of(const void* address) const {
  const uint64_t hash = reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15u;
  return (hash >> 32) & (buckets_.size() - 1);
}

DependEntry* DependTable::find(const void* address) const {
  DependEntry* entry = buckets_[bucket_of(address)];
  while (entry && entry->address != address) entry = entry->next;
  return entry;
}

DependEntry& DependTable::find_or_make(const void* address) {
  if (DependEntry* found = find(address)) return *found;
  if (count_ == buckets_.size()) grow();
  DependEntry* entry = spare_;
  if (entry) {
    spare_ = entry->next;
  } else {
    entry = new DependEntry;
  }
  entry->address = address;
  DependEntry*& bucket = buckets_[bucket_of(address)];
  entry->next = bucket;
  bucket = entry;
  ++count_;
  return *entry;
}

void DependTable::erase(DependEntry& entry) {
  DependEntry** place = &buckets_[bucket_of(entry.address)];
  while (*place != &entry) place = &(*place)->next;
  *place = entry.next;
  entry.next = spare_;
  spare_ = &entry;
  --count_;
}

void DependTable::grow() {
  std::vector<DependEntry*> old(buckets_.size() * 2);
  old.swap(buckets_);
  for (DependEntry* entry : old) {
    while (entry) {
      DependEntry* next = entry->next;
      DependEntry*& bucket = buckets_[bucket_of(entry->address)];
      entry->next = bucket;
      bucket = entry;
      entry = next;
    }
  }
}

void DependTable::enter_one(ExplicitTask& task, DependNode& node, const void* address,
                            DependKind kind) {
  DependEntry& entry = find_or_make(address);
  if (entry.current && entry.current->task == &task) {  // the same address twice in its clauses
    if (entry.kind == kind || !is_set(entry.kind)) return;
    entry.current->exclusive = false;
    take_out(*entry.current);  // of two different kinds: in no set
    kind = DependKind::inout;
  }
  wait_for(task.dependences->blocked, before(entry, kind));
  if (entry.current && !(is_set(kind) && entry.kind == kind)) {
    forget(entry.previous);
    entry.previous = entry.current;
    entry.previous->link = &entry.previous;
    entry.current = nullptr;
  }
  entry.kind = kind;
  node.task = &task;
  node.entry = &entry;
  node.exclusive = kind == DependKind::mutexinoutset;
  task.dependences->exclusive |= node.exclusive;
  put_first(entry.current, node);
}

void DependTable::block_by_all(Blocked& blocked) const {
  for (const DependEntry* entry : buckets_) {
    for (; entry; entry = entry->next) wait_for(blocked, before(*entry, DependKind::inout));
  }
  wait_for(blocked, all_memory_);
}

void DependTable::enter_all_memory(ExplicitTask& task, DependNode& node) {
  block_by_all(task.dependences->blocked);
  forget(all_memory_);  // the task waits for it
  node.task = &task;
  put_first(all_memory_, node);
}

void DependTable::enter(ExplicitTask& task, DependList dependences) {
  DependNode* node = task.dependences->nodes;
  if (is_all_memory(dependences)) return enter_all_memory(task, *node);
  if (all_memory_) [[unlikely]]
    wait_for(task.dependences->blocked, all_memory_);
  for (const auto& [address, kind] : dependences) enter_one(task, *node++, address, kind);
}

bool DependTable::acquire(ExplicitTask& task) {
  Dependences& all = *task.dependences;
  if (!all.exclusive) return true;
  for (uint32_t i = 0; i < all.count; ++i) {
    const DependNode& node = all.nodes[i];
    if (!node.exclusive || !node.entry->holder) continue;
    node.entry->holder->dependences->dependents.push_back(&all.blocked);
    ++all.blocked.unmet;
    return false;
  }
  for (uint32_t i = 0; i < all.count; ++i) {
    if (all.nodes[i].exclusive) all.nodes[i].entry->holder = &task;
  }
  return true;
}

void DependTable::block(Blocked& blocked, DependList dependences) {
  if (is_all_memory(dependences)) return block_by_all(blocked);
  wait_for(blocked, all_memory_);
  for (const Dependence& dependence : dependences) {
    if (DependEntry* entry = find(dependence.address)) {
      wait_for(blocked, before(*entry, outside_sets(dependence.kind)));
    }
  }
}

bool DependTable::must_wait(DependList dependences) const {
  if (all_memory_ || is_all_memory(dependences)) return all_memory_ || count_ > 0;
  for (const Dependence& dependence : dependences) {
    const DependEntry* entry = find(dependence.address);
    if (entry && before(*entry, outside_sets(dependence.kind))) return true;
  }
  return false;
}

void DependTable::leave(ExplicitTask& task) {
  const Dependences& all = *task.dependences;
  for (uint32_t i = 0; i < all.count; ++i) {
    DependNode& node = all.nodes[i];
    if (node.exclusive) {
      XYLEM_ASSERT(node.entry->holder == &task, "a task ran without its mutexinoutset addresses");
      node.entry->holder = nullptr;
    }
    if (!node.link) continue;
    take_out(node);
    if (!node.entry) continue;  // all memory
    DependEntry& entry = *node.entry;
    if (!entry.current && !entry.previous) erase(entry);
  }
}

}  // namespace xylem::omp
