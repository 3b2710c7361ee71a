// Owns: the form of the page: the memory in which a process shows `xylem top` what it does.
//
// All of it is 64-bit words: a LiveHeader, which is written once and its magic last; a LiveControl;
// and a snapshot: LiveTotals, then a LiveLevel for each level, a LivePu for each PU,
// `live_device_room` times LiveDevice, and `bubble_room` times LiveBubble. The monitor writes the
// snapshot, watchers in other processes read it, and both copy words:
//   the writer makes `sequence` odd, stores every word (release), makes `sequence` even (release);
//   a reader loads `sequence` (acquire), every word (acquire), `sequence` again.
// A reader that got a word of a newer snapshot has synchronised with the store before it, which
// made `sequence` odd, so it sees that `sequence` has changed: what it kept is one snapshot or is
// dropped. Watchers must not trust a word of it (tool/top/top_page.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xylem::sched {

using LiveWord = std::atomic<uint64_t>;
static_assert(sizeof(LiveWord) == sizeof(uint64_t) && LiveWord::is_always_lock_free);

inline constexpr const char* live_name = "xylem";  // of the memory, as /proc/PID/fd shows it
inline constexpr uint64_t live_magic = 0x31706f546d6c7958;  // "XylmTop1"
inline constexpr uint64_t live_version = 6;
inline constexpr int live_bubble_room = 256;
inline constexpr int live_device_room = 16;
inline constexpr int live_steps = 8;                     // kinds of distance of a steal
inline constexpr int64_t live_most_waiting = 10'000;     // a queue with more shows this number
inline constexpr int64_t live_watch_ns = 5'000'000'000;  // a watcher asks at least this often

struct LiveHeader {
  uint64_t magic, version;
  uint64_t words;    // of all the page
  uint64_t process;  // its number, as the process itself sees it
  uint64_t levels, pus, bubble_room;
  char policy[64];    // ended by a zero
  char machine[256];  // XYLEM_MACHINE, cut to fit; "" is the real machine
};

struct LiveControl {
  // Watchers add 1 to be answered; the monitor reads. relaxed: the answer is in the snapshot.
  LiveWord request;
  LiveWord sequence;  // see above
  // Outermost regions begun. External threads write, watchers read. relaxed: a number that is only
  // shown.
  LiveWord regions;
  // The monitor's kernel thread, 0 before its first poll. The monitor writes, watchers read.
  // relaxed: a number.
  LiveWord monitor;
};

// What the engines did (XYLEM_ENGINES).
struct LiveEngines {
  char source[16];                     // of accesses, ended by a zero; "": they are off
  uint64_t choices;                    // by which something moved
  uint64_t pages, threads;             // that moved, and that were placed, by all of them
  uint64_t dealt;                      // threads that have other iterations of loops
  uint64_t undone;                     // choices that were taken back
  uint64_t local_before, local_after;  // by the last one: of 1000 accesses, before and expected
  int64_t gain_ns;                     // that it expected accesses of an iteration to take less
};

// A snapshot. Turns, steals, polls only grow; watchers take differences.
struct LiveTotals {
  uint64_t answers;  // the request that this answers; 0: written before anybody asked
  int64_t now_ns;    // the machine's monotonic clock
  uint64_t polls;    // of the monitor, while watched
  int64_t open_regions;
  int64_t bubbles;  // rows used
  int64_t bubbles_left_out;
  int64_t devices;  // rows used
  LiveEngines engines;
};

struct LiveLevel {  // as topo::Level
  int64_t kind, cache_depth, os_index, parent, first_pu, pu_count;
  int64_t waiting;  // seeds and fibers in the level's queue, at most live_most_waiting
};

struct LivePu {
  int64_t os_index, level;
  int64_t node;                 // the nearest node's index, or -1
  int64_t state;                // sched::SlotState
  int64_t extras;               // extra workers
  uint64_t turns;               // of its workers, while watched
  uint64_t awake;               // polls at which it was awake
  uint64_t bubble;              // whose thread it runs; 0: not known
  uint64_t steals[live_steps];  // by how many levels above the PU thief and victim meet, from 1
};

// A device that runs codelets; devices are numbered from 1, in this order.
struct LiveDevice {
  char name[64];                 // ended by a zero
  int64_t gone;                  // 1: it has disappeared
  int64_t capacity, used;        // bytes of its memory that data may take, and takes
  int64_t busy_ns;               // for how long it has had a kernel under way
  uint64_t kernels;              // that have ended
  uint64_t bytes_in, bytes_out;  // copied to it and from it
};

enum class LiveBubbleKind : int64_t {
  program,    // made by the program
  team,       // an outermost team
  inner_team  // a team inside another
};

struct LiveBubble {
  uint64_t id, parent;       // parent 0: none
  int64_t kind;              // a LiveBubbleKind
  int64_t threads, running;  // running -1: not known
  int64_t load;              // told by the program; 0: not told
  int64_t priority;
  int64_t burst_kind;  // topo::LevelKind, or -1
  int64_t level;       // where it is attached; -1: nowhere of its own, -2: held back
  int64_t cpu_ns;
  int64_t misses;  // -1: not counted
};

inline constexpr uint64_t live_words_of(uint64_t levels, uint64_t pus, uint64_t bubbles) {
  return (sizeof(LiveHeader) + sizeof(LiveControl) + sizeof(LiveTotals) +
          levels * sizeof(LiveLevel) + pus * sizeof(LivePu) +
          live_device_room * sizeof(LiveDevice) + bubbles * sizeof(LiveBubble)) /
         sizeof(LiveWord);
}

}  // namespace xylem::sched
