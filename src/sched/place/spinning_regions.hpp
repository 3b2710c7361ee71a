// Owns: which outermost regions have more threads than processors and need a kernel thread for each
// thread from the start.
//
// Threads that spin on each other without a yield, or block in the kernel, keep their workers from
// those that they wait for. The monitor helps, but only after a time slice
// (sched/worker/monitor.hpp). A region that it had to help gets extra workers at once the next
// time. Whether that is a gain is not guessed: a region of threads that only compute for long is
// helped too, and takes as long in turn. So both ways are timed, and extra workers that did not
// bring a quarter come no more for a while. Now and then the region goes without them once, to
// learn whether it still needs them.
//
// A region is known by its function and its size. Per region, with `left` counting down:
//   in_turn: a use in which the monitor helped counts; when none is left -> at_once
//   at_once: each use counts; when none is left -> in_turn, for one such use if at_once was a gain,
//            else for `period` of them, and period doubles
#pragma once

#include <cstdint>

#include "base/code_table.hpp"

namespace xylem::sched {

class SpinningRegions {
 public:
  // A region of n threads, more than there are processors, begins; `reliefs` as Monitor::reliefs()
  // gives it, `now` in ticks (os/ticks.hpp). True if its threads are to get extra workers at once.
  // By the contention group's thread, as all.
  bool begin(void (*function)(void*), int n, uint32_t reliefs, uint64_t now);
  // It has ended. Without an effect for a region that begin() was not asked about.
  void end(uint32_t reliefs, uint64_t now);

 private:
  enum Way : uint8_t { in_turn, at_once };
  struct Record {
    void (*function)(void*) = nullptr;
    int n = 0;
    uint32_t left = 0;       // uses that count until it goes the other way
    uint32_t period = 16;    // uses from one trial to the next
    uint64_t ticks[2] = {};  // that it took by either way, lately on average; 0: not known
    Way way = in_turn;       // that it goes now
    bool gained = false;     // by extra workers, when both ways were compared last
  };
  static void end_in_turn(Record& record);
  static void end_at_once(Record& record);

  Record* open_ = nullptr;  // null: the region that is open is not measured
  uint64_t begun_ = 0;
  uint32_t reliefs_ = 0;  // when it began
  base::CodeTable<Record> records_;
};

}  // namespace xylem::sched
