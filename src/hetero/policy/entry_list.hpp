// Owns: a queue of entries, for policies.
#pragma once

#include "hetero/policy/policy.hpp"

namespace xylem::hetero {

class EntryList {
 public:
  bool empty() const { return first_ == nullptr; }
  int count() const { return count_; }
  Entry* first() const { return first_; }

  void push_back(Entry& entry) { insert_after(last_, entry); }
  // Behind all of the same priority or a higher one; the list is sorted by priority.
  void insert_by_priority(Entry& entry) {
    Entry* before = last_;
    while (before && before->priority < entry.priority) before = before->previous;
    insert_after(before, entry);
  }
  void remove(Entry& entry) {
    (entry.previous ? entry.previous->next : first_) = entry.next;
    (entry.next ? entry.next->previous : last_) = entry.previous;
    entry.next = entry.previous = nullptr;
    --count_;
  }
  // The first, or the last, that the executor may run; taken out. Null: there is none.
  Entry* take_first(const Executor& executor) {
    for (Entry* entry = first_; entry; entry = entry->next)
      if (may_run(*entry, executor)) return taken(*entry);
    return nullptr;
  }
  Entry* take_last(const Executor& executor) {
    for (Entry* entry = last_; entry; entry = entry->previous)
      if (may_run(*entry, executor)) return taken(*entry);
    return nullptr;
  }

 private:
  void insert_after(Entry* before, Entry& entry) {
    entry.previous = before;
    entry.next = before ? before->next : first_;
    (entry.next ? entry.next->previous : last_) = &entry;
    (before ? before->next : first_) = &entry;
    ++count_;
  }
  Entry* taken(Entry& entry) {
    remove(entry);
    return &entry;
  }

  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  int count_ = 0;
};

}  // namespace xylem::hetero
