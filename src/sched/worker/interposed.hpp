// Owns: what the interposing library is offered (wait/scheduler.hpp): waiting on a fiber in place
// of a kernel thread.
#pragma once

namespace xylem::sched {

// Offers it to libxylem-wait.so if that is in the process. Called when the library is loaded.
void offer_waits();

// Offers it anew if it was offered, and searches nothing: see base/fork_table.hpp.
void offer_waits_in_child();

// The locks that fork() takes and releases.
struct ForkLocks {
  void (*take)() = nullptr;
  void (*give_back)() = nullptr;
};
// Once, when the library is loaded.
void know_fork_locks(const ForkLocks& locks);

// Between the two the calling thread has these locks: it gives them back where it waits, and takes
// none to wake others.
void begin_fork();
void end_fork(bool in_child);

}  // namespace xylem::sched
