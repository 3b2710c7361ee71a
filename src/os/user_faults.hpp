// Owns: the kernel's userfaultfd: who touches a watched page that is not there sleeps, in an
// instruction or inside a system call, until somebody here gives the page. And what else next touch
// asks of the kernel: taking the pages of a range away at one stroke, and looking at mappings.
//
// All calls are raw, allocate nothing and take no lock: the thread that answers faults may call
// them while any other thread sleeps in one with any lock held. Addresses and sizes are multiples
// of the page size. Results are 0 or a negative errno unless a line says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::os {

// What a descriptor of user faults tells. The kernel holds the thread that caused it until the
// event is read (a touch: until the page is given or the thread is woken).
struct FaultEvent {
  enum class Kind : uint8_t {
    touched,   // `start`, rounded down to a page, by the kernel thread `number`
    forked,    // a child was made: `number` is a descriptor for its copy of the watched pages
    moved,     // [start, end) was moved to `to` by mremap, pages and watch
    removed,   // contents of [start, end) are about to be given up (madvise)
    unmapped,  // [start, end) was unmapped
    nothing
  };
  Kind kind = Kind::nothing;
  uintptr_t start = 0;
  uintptr_t end = 0;
  uintptr_t to = 0;
  int number = -1;
};

// A descriptor that tells everything in FaultEvent; `sees_forks` says whether also of forks, which
// takes CAP_SYS_PTRACE. Or -ENOSYS (the kernel has none), -EPERM (this process may not),
// -EOPNOTSUPP (an old one, that does not tell all), -EMFILE ...
int open_user_faults(bool& sees_forks);
void close_descriptor(int descriptor);

// Begins and ends to watch private pages for touches while they are not there. Ending wakes who
// sleeps there.
int watch_pages(int faults, uintptr_t start, size_t bytes);
int unwatch_pages(int faults, uintptr_t start, size_t bytes);

// Gives watched pages, filled from `from`. Nobody is woken. Returns how many bytes were given, from
// the first on, or a negative errno: -EAGAIN (somebody changes mappings: read events, then try
// again), -EEXIST (the page is there), -ENOENT (nothing is watched there), -ENOMEM, -EFAULT (`from`
// cannot be read).
long give_pages(int faults, uintptr_t to, uintptr_t from, size_t bytes);
void wake_touchers(int faults, uintptr_t start, size_t bytes);
// Somebody changes watched mappings, and its event is not read yet or just was.
bool mappings_change(int faults);

// Reads events without waiting; returns how many.
size_t read_fault_events(int faults, std::span<FaultEvent> events);

// A bell that wakes the thread in wait_for_faults().
int make_bell();
void ring_bell(int bell);
// Waits for an event or the bell, at most so long; then the bell is silent again. False if nothing
// came.
bool wait_for_faults(int faults, int bell, int milliseconds);

// Moves the pages of one mapping, or of a part of it, to `to`, in place of what is mapped there.
// The range stays mapped and has no pages any more; nobody sees a state between.
int take_pages_away(uintptr_t start, size_t bytes, uintptr_t to);

// Addresses that nobody else gets and nothing may touch; 0: none. They begin where `like` begins
// within a huge page. No memory is taken.
uintptr_t reserve_addresses(size_t bytes, uintptr_t like);
// Zeros that take memory when they are touched, for tables; null: none.
char* map_table(size_t bytes);
void unmap_range(uintptr_t start, size_t bytes);
// Makes taken pages readable, and keeps them from children of fork().
void keep_taken_pages(uintptr_t start, size_t bytes);

// Where the calling kernel thread's new pages come from: the kernel's node, else another; -1: as
// the process says.
int prefer_node(int node);

// Bit i: the kernel thread may run on processor i. Returns how many words are told, or a negative
// errno.
int processors_of_thread(int tid, std::span<unsigned long> words);

// bits[i] of pages that hold something, in memory or swapped out; the others read as zeros. False
// if the kernel does not say. `pages` is what open_page_states() gave.
int open_page_states();
bool pages_hold_something(int pages, uintptr_t start, std::span<bool> hold);
// Each page is in memory, in private memory, and is no file's (one that a program changed in its
// own copy of a file's pages counts as none of the file's). False also where the kernel does not
// say.
bool pages_are_private(int pages, uintptr_t start, size_t count);

// The mappings of the process one after the other, as far as they meet [start, end), cut to it.
// Private memory of no file has `markable`. `visit` returns false to stop. Returns 0 or a negative
// errno.
struct Mapping {
  uintptr_t start = 0;
  uintptr_t end = 0;
  bool markable = false;
};
int visit_mappings(uintptr_t start, uintptr_t end, bool (*visit)(const Mapping&, void*),
                   void* context);

}  // namespace xylem::os
