// Owns: showing this process to `xylem top`: the page (live_page.hpp) and its writer.
//
// Only the monitor writes snapshots, and only when a watcher has asked since the last one. While
// nobody watches, a poll costs two loads. While somebody does, each poll adds up what would be lost
// with a worker that goes: turns by PU.
#pragma once

#include <span>

#include "sched/live/live_page.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

struct LiveTexts {
  const char* policy = "";
  const char* machine = "";
};

// Fills rows, at most `room`, with what devices do; returns how many. By the monitor, at any time.
using LiveDevices = int (*)(LiveDevice* rows, int room, int64_t now_ns);

// What the engines did so far. By the monitor, at any time.
using LiveEnginesSource = LiveEngines (*)();

class LiveWriter {
 public:
  static size_t words_for(const topo::Machine& machine);

  // Writes the header and a first snapshot. Precondition: `page` has words_for(pool.machine())
  // words that are zero, and outlives the writer.
  LiveWriter(std::span<LiveWord> page, sched::Pool& pool, const Search& search, LiveTexts texts);

  const sched::Pool& pool() const { return pool_; }

  // By the monitor, at each of its polls. True if somebody watches.
  bool poll(int64_t now_ns) {
    // relaxed: a request that is seen late is answered at the next poll
    const uint64_t asked = control_.request.load(std::memory_order_relaxed);
    const bool watched = asked != answered_ || now_ns < watched_until_;
    if (watched) [[unlikely]]
      poll_closely(asked, now_ns);
    return watched;
  }

  // By an external thread that begins an outermost region.
  void record_region() { control_.regions.fetch_add(1, std::memory_order_relaxed); }

 private:
  struct Sums {  // by PU
    uint64_t turns = 0;
    uint64_t awake = 0;
    bool runs_solo = false;  // now
  };
  void poll_closely(uint64_t asked, int64_t now_ns);
  void add_up();
  void add_turns(sched::Worker& worker, Sums& sums) const;
  SlotState state_of(int pu) const;
  void write_header(LiveTexts texts);
  void write(uint64_t answers, int64_t now_ns);
  LiveLevel level_row(int level) const;
  LivePu pu_row(int pu) const;

  sched::Pool& pool_;
  const Search& search_;
  std::span<LiveWord> page_;
  LiveControl& control_;
  // All of these by the monitor alone.
  std::unique_ptr<Sums[]> sums_;
  std::unique_ptr<LiveBubble[]> bubbles_;
  uint64_t answered_ = 0;
  int64_t watched_until_ = 0;
  uint32_t watch_ = 0;  // how often watching began
  uint64_t polls_ = 0;
  bool monitor_told_ = false;
};

// Makes the process's page. Without one (no such memory here) the runtime goes on, and `xylem top`
// says so. Caller: who makes the pool, under the runtime's initialisation lock.
void open_live_page(sched::Pool& pool, const Engine& engine, const char* machine_text);

// LiveWriter::poll(), of the process's page, if there is one.
bool poll_live_page(const sched::Pool& pool, int64_t now_ns);
void record_live_region();

// Of devices the layer above knows: from now on the page has them. Any thread.
void show_live_devices(LiveDevices fill);
// Of the engines another layer above knows. Once.
void show_live_engines(LiveEnginesSource engines);

// The child must not answer in its parent's name; it makes a page of its own with its pool.
void forget_live_page_in_child();

}  // namespace xylem::sched
