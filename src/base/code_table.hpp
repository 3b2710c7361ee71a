// Owns: CodeTable, by which what is known of a program's regions is found again: a record by the
// region's code and its number of threads.
//
// A hash table with open addressing that grows when it is too full near a region's place, up to
// 1024 records: of 500 regions, used in any order, each keeps its record. Of more, one that is near
// goes for one that is new. The record that is asked for is most often the first that is looked at.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace xylem::base {

// A Record has the fields `function` and `n`, both zero at first; one without a function is free. A
// record's address holds until another one is made.
template <typename Record>
class CodeTable {
 public:
  using Function = void (*)(void*);

  Record& find_or_make(Function function, int n) {
    Record& first = records_[index_of(function, n)];
    if (first.function == function && first.n == n) [[likely]]
      return first;
    return find_or_make_beside(function, n);
  }

  // Null: there is none.
  Record* find(Function function, int n) {
    return near(function, n,
                [&](const Record& record) { return record.function == function && record.n == n; });
  }

 private:
  static constexpr int least_bits = 3, most_bits = 10;
  static constexpr uint64_t window = 1 << least_bits;  // records that a region's may be one of

  uint64_t index_of(Function function, int n) const {
    const auto key = reinterpret_cast<uint64_t>(function) + static_cast<uint64_t>(n);
    return key * 0x9E3779B97F4A7C15u >> shift_;
  }

  template <typename Accept>
  Record* near(Function function, int n, Accept accept) {
    const uint64_t first = index_of(function, n);
    for (uint64_t i = first; i < first + window; ++i)
      if (Record& record = records_[i & (records_.size() - 1)]; accept(record)) return &record;
    return nullptr;
  }
  Record* free_near(Function function, int n) {
    return near(function, n, [](const Record& record) { return !record.function; });
  }

  // Apart, so that who finds the record at once saves no registers for it.
  [[gnu::noinline]] Record& find_or_make_beside(Function function, int n) {
    Record* known = find(function, n);
    return known ? *known : make(function, n);
  }

  Record& make(Function function, int n) {
    Record* place = free_near(function, n);
    while (!place && shift_ > 64 - most_bits) {
      grow();
      place = free_near(function, n);
    }
    if (!place) place = &records_[(index_of(function, n) + made_++ % window) % records_.size()];
    *place = {};
    place->function = function;
    place->n = n;
    return *place;
  }

  void grow() {
    std::vector<Record> before = std::exchange(records_, std::vector<Record>(2 * records_.size()));
    --shift_;
    for (Record& record : before) {
      if (!record.function) continue;
      Record* place = free_near(record.function, record.n);
      if (place) *place = std::move(record);
    }
  }

  std::vector<Record> records_{window};
  int shift_ = 64 - least_bits;
  uint64_t made_ = 0;  // in the stead of others
};

}  // namespace xylem::base
