// Owns: workers that the kernel has made share their processor with the guest that serves PU 0.
//
// Workers are bound, guests are not. Beside another program's process the kernel may keep the
// guest's kernel thread on a worker's processor and leave PU 0's to that process: of three that
// want two processors two of ours have one, and each spins while the other could work. The kernel
// sees nothing to mend there, as three on two come out no better.
//
// So the monitor looks at each tick where the guest is. It sends a worker that it finds there to
// PU 0's processor, and lets it run on both from the next tick on: a processor that has nothing to
// do may fetch it back from behind the other process. Neither spins for some ticks. One worker is
// loose at a time, on its guest's node; it is bound again when the guest meets another, or has met
// nobody for a while. Threads that the program has bound to places stay where they are, and where
// the process is confined to other processors meanwhile, that stays so.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace xylem::fiber {

class Pool;
struct Worker;

// By the monitor alone.
class Crowding {
 public:
  explicit Crowding(Pool& pool) : pool_(pool) {}

  // Called at each tick while a region is open.
  void look();

 private:
  // What was found of a PU's worker.
  struct Found {
    int tid = 0;  // 0: nobody serves the PU, or as no kernel thread that we know
    int pu = -1;  // whose processor it is on; -1: not known
    bool active = false;
  };
  Found find(int pu);
  int pu_where(const Worker& worker) const;
  bool may_share(int pu) const;
  void note_crowded(int pu);
  bool bind(const Found& worker, std::initializer_list<int> pus);
  void part(int pu, const Found& worker);
  void bind_home();

  Pool& pool_;
  int loose_ = 0;        // the PU whose worker may also run on PU 0's processor; 0: none
  bool narrow_ = false;  // it may run on one of the two only, until the next tick
  int calm_ = 0;         // ticks since the guest met it
  uint64_t turns_ = 0;   // of the worker that was looked at last
};

}  // namespace xylem::fiber
