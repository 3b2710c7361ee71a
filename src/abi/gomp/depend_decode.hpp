// Owns: GCC's arrays of depend clauses. An array has one of two forms, in words of a pointer's
// size:
//   {n, outs, addresses...}: `outs` of out and inout, which are told as inout, then those of in
//   {0, n, outs, mutexinoutsets, ins, addresses..., depend objects...}: addresses in this order
// Each of the n list items is one address or one depend object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "abi/depend_items.hpp"

namespace xylem::abi {

// The second word of an omp_depend_t, whose first word is the address. A word that no compiler
// writes counts as inout, which orders most.
inline omp::DependKind depend_kind(uintptr_t word) {
  switch (word) {
    case 1:
      return omp::DependKind::in;
    case 2:
      return omp::DependKind::out;
    case 4:
      return omp::DependKind::mutexinoutset;
    case 5:
      return omp::DependKind::inoutset;
    default:
      return omp::DependKind::inout;
  }
}

// The list items of one construct's depend clauses.
class DependClauses {
 public:
  // null: the construct has no depend clause.
  explicit DependClauses(void* const* array) {
    if (array) read(array);
  }

  // Valid as long as this object.
  omp::DependList list() const { return items_.list(); }

 private:
  static size_t number(void* word) { return reinterpret_cast<size_t>(word); }

  void read(void* const* array) {
    if (const size_t count = number(array[0])) {
      const size_t outs = number(array[1]);
      items_.make_room(count);
      add(array + 2, outs, omp::DependKind::inout);
      add(array + 2 + outs, count - outs, omp::DependKind::in);
      return;
    }
    const size_t count = number(array[1]);
    const size_t outs = number(array[2]), mutexes = number(array[3]), ins = number(array[4]);
    void* const* addresses = array + 5;
    items_.make_room(count);
    // GCC 12 writes too large a number where iterators are involved: no more than there are.
    add(addresses, std::min(outs, count), omp::DependKind::inout);
    add_next(addresses, std::min(mutexes, count - items_.count()), omp::DependKind::mutexinoutset);
    add_next(addresses, std::min(ins, count - items_.count()), omp::DependKind::in);
    add_objects(addresses + items_.count(), count - items_.count());
  }

  // Those behind what was added so far.
  void add_next(void* const* addresses, size_t count, omp::DependKind kind) {
    add(addresses + items_.count(), count, kind);
  }
  void add(void* const* addresses, size_t count, omp::DependKind kind) {
    for (size_t i = 0; i < count; ++i) items_.add(addresses[i], kind);
  }

  void add_objects(void* const* objects, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      auto* object = static_cast<void* const*>(objects[i]);
      items_.add(object[0], depend_kind(reinterpret_cast<uintptr_t>(object[1])));
    }
  }

  DependItems items_;
};

}  // namespace xylem::abi
