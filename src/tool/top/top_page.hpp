// The page that a process shows `xylem top`: finding, mapping and reading it.
//
// Owns: LiveSnapshot, its check, and LivePage. Invariant: the page is somebody else's and may hold
// anything; a LiveSnapshot that parse_live_page() gave fits together, so that who shows it need not
// look again. What is wrong is a sentence without a dot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "os/shared_memory.hpp"
#include "sched/live/live_page.hpp"

namespace xylem::tool {

struct LiveSnapshot {
  std::string policy;
  std::string machine;  // "" is the real one
  uint64_t process = 0;
  sched::LiveTotals totals{};
  // levels[0] is the machine; the parent of any other stands before it.
  std::vector<sched::LiveLevel> levels;
  std::vector<sched::LivePu> pus;  // `level` is one of levels; `state` one of sched::SlotState
  std::vector<sched::LiveDevice> devices;  // in the order of their numbers
  std::vector<sched::LiveBubble> bubbles;
};

// What a device is called, as a terminal can show it.
std::string device_name(const sched::LiveDevice& device);
// The engines' source of accesses; "": they are off.
std::string source_name(const sched::LiveEngines& engines);

// Reads a copy of a page. Returns nullptr, or why it is none.
const char* parse_live_page(std::span<const uint64_t> words, LiveSnapshot& out);

class LivePage {
 public:
  ~LivePage() { memory_.release(); }
  LivePage() = default;
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  // Maps the page of a process. Returns "" or why that cannot be.
  std::string attach(int process);

  // Asks for a snapshot; returns the number that it or a later one will bear.
  uint64_t ask();
  // True once the snapshot in the page may answer what `ask` returned.
  bool may_answer(uint64_t number) const;
  // Reads a whole snapshot. Returns "" or what is wrong with the page.
  std::string read(LiveSnapshot& out) const;
  // Words that are true without asking.
  uint64_t regions() const;
  int monitor() const;

 private:
  const sched::LiveControl& control() const;
  const char* check_size() const;
  std::span<sched::LiveWord> words_;
  os::SharedMemory memory_;
};

}  // namespace xylem::tool
