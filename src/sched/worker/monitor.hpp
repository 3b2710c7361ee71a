// Owns: the monitor, a kernel thread that keeps fibers from starving behind one that spins or is
// blocked in the kernel (DESIGN section 5).
//
// While a region is open it polls each PU every tick, or every second one where nothing waits. If
// entities wait there and none of the PU's workers has taken a turn since the last poll, then
//   the workers used no processor time, and none rests: they are blocked, or the kernel delays
//   them, and whatever waits gets extra workers now
//   they did: after a time slice one extra worker comes, after the next two, four, ...
//   (a slice of which other processes left them less than a quarter counts for a tenth)
//   (where workers were found blocked the monitor polls the PU after 50 us, 100, 200, 200, ...
//   again, until for 4 ms nobody was: members that poll by usleep are blocked anew each time)
//   (those that run threads of a kept bubble are asked to switch first: they come by often)
// If they take turns, but the fiber or the seed that has waited longest in the PU's queue has done
// so for a time slice, the workers are asked to run it next; where a fiber still waits after one
// more slice an extra worker comes. What has waited for a slice in the queue of a level above, or
// of a unit, all workers below are asked to run. Members that wait for another one, and open
// regions meanwhile, would else keep it from running for ever. Regions that are known to need that
// get extra workers when they begin, and a slice is a tick while one is open
// (sched/place/spinning_regions.hpp). An external thread's fiber that waits for its own kernel
// thread in such a queue is set free to run elsewhere. Fibers that are gathered at a PU
// (gathering.hpp) may run elsewhere once its workers have computed something else between two
// polls, of which there is one every 50 us while there are such fibers. Where nothing has needed a
// poll for a while the next ones come later, up to every sixteen ticks, until something waits that
// nobody may come to (poll_pace.hpp). When no region has been open for a while the monitor sleeps
// without a limit: idle costs nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sched/queue/run_queue.hpp"
#include "sched/worker/hang_watch.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/poll_pace.hpp"

namespace xylem::sched {

class Pool;
struct Worker;

class Monitor {
 public:
  explicit Monitor(Pool& pool);
  ~Monitor();

  // Called when a region opens. Cheap when the monitor is awake.
  void record_region() {
    // sequentially consistent, as is the increment of open_regions before it: pairs with rest()
    if (asleep_.load() != 0) wake();
  }

  // Something waits to which nobody may come soon: polls that have become rare are so no more, and
  // the first comes now. For signal handlers, too.
  void record_waiting() {
    if (polls_rarely()) [[unlikely]]
      end_rare_polls();
  }

  // True while the next poll may be later than in two ticks. A hint.
  bool polls_rarely() const { return pace_.is_rare(); }

  // A fiber is to go on at this time, sooner than any other: the monitor polls then.
  void record_deadline(int64_t deadline);

  // Makes the monitor serve what was posted. For signal handlers, too.
  void poke();

  // False if there is no monitor: nobody would wake those who wait for a time.
  bool runs() const { return runs_.load(std::memory_order_relaxed); }  // relaxed: set once

  // Fibers were gathered in the PU's queue, or its worker is to serve a post (gathering.hpp): from
  // now on the monitor checks whether that comes to it, until there was nothing for a while. After
  // the push, or the post. For signal handlers, too.
  void record_gathering(int pu);

  // The pool is stopping: makes the monitor poll, and end.
  void end() {
    if (asleep_.load() == 1) wake();
  }

  // Once end() was called: returns when the monitor does nothing any more. Not on its own thread.
  void wait_until_ended();

  // How often it brought extra workers because those of a PU spun or were blocked, but not by a
  // device or by memory. relaxed: who compares two counts wants to know whether a region of his
  // needed help.
  uint32_t reliefs() const { return reliefs_.load(std::memory_order_relaxed); }

  // Around a region whose threads are known to spin on each other: as long as one is open, help
  // comes after a tick instead of a time slice. By the thread that opens it.
  void expect_spinning(bool begins) {
    // relaxed: a poll sooner or later
    spinning_regions_.fetch_add(begins ? 1 : -1, std::memory_order_relaxed);
  }

  // One poll of all PUs; true if something waits. By the monitor's own thread, or by a test.
  bool poll(int64_t now);
  // Looks, between two of those, at the PUs where it is due. By the same.
  void poll_soon(int64_t now);
  // When the next such poll is due; in the far future: none is.
  int64_t soon_at() const { return soon_at_; }

  // The same for gathered fibers.
  void poll_gathered(int64_t now);
  int64_t next_poll_of_gathered() const;

  // The monitor prints every fiber's stack and aborts once nothing has moved for
  // `without_progress` seconds (hang_watch.hpp), or so many seconds `after_start`. 0: never.
  void arm_watchdog(int without_progress, int after_start);

 private:
  struct Watch;       // what was seen of one PU at the last poll
  struct LevelWatch;  // likewise of a level's queue
  // Of all the PU's workers together.
  struct Use {
    uint64_t turns = 0;
    int64_t cpu_ns = 0;
    int workers = 0;
  };

  void wake();
  void end_rare_polls();
  static void entry(void* self);
  void run();
  PollNeed poll_in_region(int64_t now);
  PollNeed poll_between_regions(int64_t now);
  void poll_between(int64_t now);
  void rest();
  [[noreturn]] void dump_and_abort(const char* why);
  void retry_slots(int64_t now);
  void sleep_until(int64_t poll_at);
  // What the busiest of some workers is about: runs, or wants to; rests, and is woken for what
  // waits; waits in the program's code, as the kernel delays it; or for other threads, or a time.
  enum class Doing { runs, rests, delayed, blocked };
  static Doing doing_of(const Worker& worker);
  Doing doing_at(int pu);
  // Whether the PU's workers sleep, and its own is not on its way to what waits.
  bool all_idle(int pu);
  Use use_of(int pu);
  // By how long something is so, and how long the workers ran meanwhile.
  bool slice_is_over(int64_t since, int64_t ran) const;
  bool had_its_share(int64_t ran) const;
  bool poll_pu(int pu, Watch& watch, int64_t now, bool some_suspended);
  void poll_again(Watch& watch, int64_t now, int64_t period);
  void poll_gathered(int pu, Watch& watch, int64_t now);
  static bool waits_in_vain(int64_t waited, int64_t ran);
  void forget_gathering(int pu);
  bool has_posted(int pu);
  void poll_blocked(int pu, Watch& watch, int64_t now);
  bool ask_to_switch(int pu, Watch& watch);
  bool somebody_may_run(int pu, const RunQueue::Oldest& it) const;
  void serve_oldest(int pu, Watch& watch, int64_t now);
  int64_t time_slice() const;
  void record_relief() { reliefs_.fetch_add(1, std::memory_order_relaxed); }  // see reliefs()
  void relieve(int pu, int extras);
  // Entities that wait for this PU's workers: in its queue, and in those above whose first PU it
  // is.
  int waiting(int pu, int most) const;
  void serve_above(int pu);
  void ask_to_serve(int pu, Serve what);
  template <typename Visit>
  void each_level_of(int pu, Visit visit) const;

  Pool& pool_;
  // 2: not started, 1: asleep, 0: awake. Written by wake() and the monitor.
  std::atomic<uint32_t> asleep_{2};
  bool refused_ = false;                    // its kernel thread, once; by who turned asleep_ from 2
  const std::unique_ptr<Watch[]> watches_;  // by PU
  const std::unique_ptr<LevelWatch[]> levels_;
  int64_t mend_at_ = 0;          // not before this time; by the monitor
  int64_t polled_at_ = 0;        // time of the last poll
  int64_t since_poll_ns_ = 0;    // of the one before, but for pauses
  int64_t soon_at_ = INT64_MAX;  // first of the polls in between
  LevelBits gathered_;           // PUs whose queues may hold gathered fibers
  int64_t gathered_at_ = 0;      // the next poll of them, if there are any
  HangWatch hang_watch_;
  Parting parting_;
  int64_t dump_at_ = 0;                   // 0: never
  std::atomic<uint32_t> reliefs_{0};      // by the monitor
  std::atomic<int> spinning_regions_{0};  // that are open
  std::atomic<bool> runs_{false};
  PollPace pace_;
  std::atomic<uint32_t> ended_{0};  // 1: its last poll is over
  // Goes up with each poke; the monitor sleeps on it.
  std::atomic<uint32_t> pokes_{0};
  // When the monitor means to wake. It writes that, and then reads first_deadline(); who sets a
  // deadline writes that, and then reads this; sequentially consistent, so one sees the other.
  std::atomic<int64_t> planned_{0};
};

}  // namespace xylem::sched
