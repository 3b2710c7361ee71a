// An intrusive doubly linked list: the links live in the elements, so nothing is allocated.
//
// Owns: List and ListLink. Invariant: the ring runs through the list's own link; an element is in
// at most one list by one link, and a link in no list points to itself. Not thread safe: the
// caller holds the list's lock. The list does not own its elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.hpp"

namespace xylem::base {

class ListLink {
 public:
  constexpr ListLink() = default;
  ListLink(const ListLink&) = delete;
  ListLink& operator=(const ListLink&) = delete;

  bool linked() const { return next_ != this && next_ != nullptr; }

  // Takes this element out of whatever list it is in. The link must be linked.
  void unlink() {
    XYLEM_ASSERT(linked(), "unlink of an element in no list");
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

 private:
  template <typename T, ListLink T::*Member>
  friend class List;

  void insert_before(ListLink* other) {
    XYLEM_ASSERT(!linked(), "insert of an element already in a list");
    next_ = other;
    previous_ = other->previous_;
    previous_->next_ = this;
    other->previous_ = this;
  }

  ListLink* next_ = nullptr;
  ListLink* previous_ = nullptr;
};

// A list of T linked by T's member Member: List<Fiber, &Fiber::queue_link>.
template <typename T, ListLink T::*Member>
class List {
 public:
  List() { head_.next_ = head_.previous_ = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool empty() const { return head_.next_ == &head_; }
  T* front() { return empty() ? nullptr : element(head_.next_); }
  T* back() { return empty() ? nullptr : element(head_.previous_); }

  void push_back(T* item) { (item->*Member).insert_before(&head_); }
  void push_front(T* item) { (item->*Member).insert_before(head_.next_); }

  // The element after or before one of this list; null at the end.
  T* next(T* item) { return element_or_null((item->*Member).next_); }
  T* previous(T* item) { return element_or_null((item->*Member).previous_); }

  // Takes and returns the first or last element; null if there is none.
  T* pop_front() { return take(front()); }
  T* pop_back() { return take(back()); }
  void remove(T* item) { (item->*Member).unlink(); }

  // Walks the whole list: every link's neighbours point back. Returns the number of elements.
  std::size_t check() const {
    std::size_t count = 0;
    for (const ListLink* link = head_.next_; link != &head_; link = link->next_, ++count) {
      if (link->next_->previous_ != link || link->previous_->next_ != link) {
        fatal("a list's links do not agree");
      }
    }
    return count;
  }

 private:
  static T* take(T* item) {
    if (item != nullptr) (item->*Member).unlink();
    return item;
  }
  T* element_or_null(ListLink* link) { return link == &head_ ? nullptr : element(link); }

  // The element that holds the link. The member's offset is found from a place, not from a null
  // pointer, so that sanitizers are content.
  static T* element(ListLink* link) {
    alignas(T) static constinit std::byte place[sizeof(T)]{};
    const auto* origin = reinterpret_cast<const T*>(place);
    const auto offset = reinterpret_cast<std::uintptr_t>(&(origin->*Member)) -
                        reinterpret_cast<std::uintptr_t>(origin);
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(link) - offset);
  }

  ListLink head_;
};

}  // namespace xylem::base
