// Owns: Clang's arrays of depend clauses. Depend objects are such arrays, whose elements the
// compiled code copies into those of a construct.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/depend_items.hpp"

namespace xylem::abi::kmp {

// One list item.
struct DependInfo {
  const void* address;  // null where `flags` has all_memory, or all_addresses instead of that
  size_t bytes;
  uint8_t flags;  // depend_flags
};
static_assert(sizeof(DependInfo) == 24);

namespace depend_flags {
inline constexpr uint8_t in = 0x01;
inline constexpr uint8_t out = 0x02;  // with `in`: inout, which is the same
inline constexpr uint8_t mutexinoutset = 0x04;
inline constexpr uint8_t inoutset = 0x08;
inline constexpr uint8_t all_memory = 0x80;
}  // namespace depend_flags

// omp_all_memory, as depend objects have it.
inline constexpr uintptr_t all_addresses = UINTPTR_MAX;

// Flags that no compiler writes count as inout, which orders most.
inline omp::DependKind depend_kind(const DependInfo& item) {
  if (reinterpret_cast<uintptr_t>(item.address) == all_addresses)
    return omp::DependKind::all_memory;
  switch (item.flags) {
    case depend_flags::in:
      return omp::DependKind::in;
    case depend_flags::mutexinoutset:
      return omp::DependKind::mutexinoutset;
    case depend_flags::inoutset:
      return omp::DependKind::inoutset;
    default:
      return item.flags & depend_flags::all_memory ? omp::DependKind::all_memory
                                                   : omp::DependKind::inout;
  }
}

// `count` items; a null array has none.
struct DependArray {
  int32_t count;
  const DependInfo* items;
  size_t size() const { return items && count > 0 ? static_cast<size_t>(count) : 0; }
};

// The list items of one construct's depend clauses, which come in two arrays. (Those of the second
// are told to overlap no others; nothing is made of that.)
class DependClauses {
 public:
  DependClauses(DependArray first, DependArray second) {
    items_.make_room(first.size() + second.size());
    add(first);
    add(second);
  }

  // Both valid as long as this object. With omp_all_memory nothing else counts.
  omp::DependList list() const {
    return all_memory_ ? omp::DependList{&everything_, 1} : items_.list();
  }
  // As the program wrote it: for a tool.
  omp::DependList told() const { return items_.list(); }

 private:
  void add(const DependArray& array) {
    for (size_t i = 0; i < array.size(); ++i) {
      const DependInfo& item = array.items[i];
      const omp::DependKind kind = depend_kind(item);
      const bool all = kind == omp::DependKind::all_memory;
      all_memory_ |= all;
      items_.add(all ? nullptr : item.address, kind);
    }
  }

  DependItems items_;
  omp::Dependence everything_{nullptr, omp::DependKind::all_memory};
  bool all_memory_ = false;
};

}  // namespace xylem::abi::kmp
