// Owns: which outermost regions are so short that their threads had better stay with their maker.
//
// To share a region costs a hand-over between processors there and back, or waking them; of a
// region that takes less than that its maker runs all the threads sooner by itself. Neither is
// guessed: a region that was always short is tried both ways, and goes the way that took less. What
// was tried is tried again now and then. A region is known by its function and its size; one that
// took long is shared for a while; each time that it took long while it stayed, for twice as long.
// Shared, a region is short if it took no longer than a short one and waking its threads' workers.
// A single long one among many that stayed was the kernel's or another program's doing.
#pragma once

#include <cstdint>

#include "base/code_table.hpp"

namespace xylem::sched {

class ShortRegions {
 public:
  // Regions up to `longest_ns` at home are short; 0: none is. All times else are ticks
  // (os/ticks.hpp).
  explicit ShortRegions(int64_t longest_ns = 0) : longest_ns_(longest_ns) {}

  // A region of n threads begins. True if they are to stay. By the contention group's thread, as
  // all.
  bool begin(void (*function)(void*), int n, uint64_t now);
  // It has ended.
  void end(uint64_t now);
  // True if it is no short one this time, at home.
  bool overdue(uint64_t now) const { return now - begun_ > longest_ticks_; }

 private:
  enum Way : uint8_t { shared, at_home };
  struct Record {
    void (*function)(void*) = nullptr;
    int n = 0;
    uint32_t calm = 0;          // short ones since the last long one
    uint32_t calm_at_home = 0;  // likewise, and since one that was pardoned
    uint32_t calm_needed = 16;  // before it is tried at home
    uint32_t uses = 0;          // since then
    uint64_t ticks[2] = {};     // that it took by either way, lately on average; 0: not known
    Way way = shared;           // that it goes now
  };
  static Way way_for(Record& record);
  bool was_long(const Record& record, uint64_t took) const;
  bool is_pardoned(Record& record, uint64_t took) const;

  int64_t longest_ns_;
  uint64_t longest_ticks_ = 0;  // 0: not known yet
  uint64_t waking_ticks_ = 0;   // what waking a worker may take
  Record* open_ = nullptr;      // null: the region that is open is not measured
  uint64_t begun_ = 0;
  base::CodeTable<Record> records_;
};

}  // namespace xylem::sched
