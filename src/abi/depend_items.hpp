// Owns: room for the list items of one construct's depend clauses, as a door decodes them.
#pragma once

#include <cstddef>
#include <memory>

#include "omp/tasks/depend.hpp"

namespace xylem::abi {

// Up to `few` items need no memory of the heap.
class DependItems {
 public:
  static constexpr size_t few = 16;

  DependItems() = default;
  DependItems(const DependItems&) = delete;
  DependItems& operator=(const DependItems&) = delete;

  // Before the first add(): for so many items.
  void make_room(size_t count) {
    if (count <= few) return;
    many_ = std::make_unique_for_overwrite<omp::Dependence[]>(count);
    items_ = many_.get();
  }
  void add(const void* address, omp::DependKind kind) { items_[count_++] = {address, kind}; }

  size_t count() const { return count_; }
  // Valid as long as this object.
  omp::DependList list() const { return {items_, count_}; }

 private:
  omp::Dependence few_[few];
  omp::Dependence* items_ = few_;
  size_t count_ = 0;
  std::unique_ptr<omp::Dependence[]> many_;
};

}  // namespace xylem::abi
