// Owns: this process's part in sharing the machine with others of its user: what it tells them, and
// which of its PUs it lends.
//
// All of it is done by the monitor, at its polls: while a region is open, and for a while after.
// Each process tells in the table (process_table.hpp) how many processors it could use: the most
// workers that had something to run, or threads that waited, at any of its last polls. Each reads
// what the others tell, divides the processors by one rule (division.hpp), and lends the PUs that
// are not its own (Pool::lend): their workers sleep, the others run what is theirs. So threads that
// wait for each other are not kept off by other processes', which no waiting in place mends.
// A process that is alone lends nothing, but where programs that are not in the table take the
// processor from its workers, and with fewer of these it computes more (trial.hpp). One keeps a
// worker, whatever others need: where there are more processes than processors the kernel divides
// the time, and stops nobody in whom others of the same process wait.
#pragma once

#include <array>
#include <cstdint>

#include "sched/share/division.hpp"
#include "sched/share/process_table.hpp"
#include "sched/share/trial.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

class Sharing {
 public:
  // `with_strangers`: runs fewer workers beside programs that are not in the table, if it helps.
  // Precondition: `runtime_folder` outlives the object; `pool`, too.
  Sharing(Pool& pool, const char* runtime_folder, bool with_strangers);
  const Pool& pool() const { return pool_; }

  // At a poll while a region is open. True if the next is not to come late (poll_pace.hpp): the
  // processors are divided, or it is tried to use fewer. `may_lend`: false where only certain
  // workers may run what waits (gangs).
  bool poll(int64_t now_ns, bool may_lend);
  // At a poll while none is. The same.
  bool poll_between(int64_t now_ns);
  // No region has been open for long: the process needs nothing, and all PUs are its own.
  void rest(int64_t now_ns);

  // In the child of a fork: the row is the parent's.
  void forget() { table_.close(); }

 private:
  bool needs_steady_polls() const { return divides_ || lends_ || trial_.is_tried(); }
  void poll(int64_t now_ns, int needs, bool may_lend);
  bool is_in_table(int64_t now_ns);
  bool join();
  int needed_now();
  int needed_lately(int needs);
  void tell(int64_t now_ns, int needs);
  bool is_missed(int64_t now_ns, bool one_waits);
  void run_alone(int64_t now_ns);
  WorkersUse use_of(Trial::Phase phase, int round);
  CpuMask own_part(int64_t now_ns, int others) const;
  int workers_of(int processors);
  void keep(const CpuMask& part, int processors);
  void keep_all();
  bool move_waiting();

  Pool& pool_;
  const char* runtime_folder_;
  const bool with_strangers_;
  ProcessTable table_;
  CpuMask cpus_;         // of the pool's machine
  bool fits_ = true;     // they have room in a mask
  int polls_ = 0;        // since the last rest
  int64_t join_at_ = 0;  // not before this time
  int64_t join_pause_ns_ = 0;
  int64_t tell_at_ = 0, read_at_ = 0, check_at_ = 0;
  int told_ = -1;  // needs, as told last
  static constexpr int polls_kept = 16;
  std::array<int, polls_kept> needs_{};
  bool divides_ = false;  // others were in the table, when it was read last
  bool lends_ = false;
  bool in_region_ = false;  // at the last poll
  Trial trial_;             // beside programs that are not in the table
  // Where the monitor had to help while PUs were lent, all are kept for a time.
  uint32_t reliefs_ = 0;
  int64_t keep_until_ = 0, keep_pause_ns_ = 0;
};

// The process's, for the pool that is the newest. Opens nothing before the monitor's second poll of
// an open region.
void begin_sharing(Pool& pool, const char* runtime_folder, bool with_strangers);
bool poll_sharing(Pool& pool, int64_t now_ns, bool may_lend);
bool poll_sharing_between(Pool& pool, int64_t now_ns);
void rest_sharing(Pool& pool);
void forget_sharing_in_child();

}  // namespace xylem::sched
