// Owns: ByKey, a hash table of records by a number that is a hash already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace xylem::hetero {

// A Record has the field `key`, which is not 0. Records stay where they are made, as long as the
// table lives.
template <typename Record>
class ByKey {
 public:
  // Null: there is none.
  Record* find(uint64_t key) const {
    return slots_.empty() ? nullptr : slots_[place_of(key)].get();
  }

  // A new one has its key, and nothing else.
  Record& find_or_make(uint64_t key) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    std::unique_ptr<Record>& slot = slots_[place_of(key)];
    if (slot) return *slot;
    ++used_;
    slot = std::make_unique<Record>();
    slot->key = key;
    return *slot;
  }

  template <typename Call>
  void for_each(Call call) const {
    for (const auto& slot : slots_)
      if (slot) call(*slot);
  }

 private:
  // The record's, or the free one where it would be.
  size_t place_of(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = key & mask;
    while (slots_[at] && slots_[at]->key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::unique_ptr<Record>> old(slots_.empty() ? 64 : 2 * slots_.size());
    std::swap(old, slots_);
    for (auto& record : old)
      if (record) slots_[place_of(record->key)] = std::move(record);
  }

  std::vector<std::unique_ptr<Record>> slots_;  // open addressing; a power of two
  size_t used_ = 0;
};

}  // namespace xylem::hetero
