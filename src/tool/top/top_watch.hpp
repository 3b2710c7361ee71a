// Watching one process: asking for snapshots, and what two of them say about the time between.
//
// Owns: Watch and Measure. Invariant: a measure says "no region open" only if the monitor has not
// looked, or sleeps: what it does is read from the kernel's books of its thread, not guessed from
// the time that passed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "os/processes.hpp"
#include "tool/command/sharers.hpp"
#include "tool/top/top_page.hpp"

namespace xylem::tool {

enum class Activity : std::uint8_t {
  running,    // a region is open
  no_region,  // none is, so nothing runs
  stopped,    // by a signal or a debugger
  silent      // it should answer and does not: the machine is overloaded
};
const char* activity_name(Activity activity);

struct PuRates {
  double turns = 0;  // a second
  double steals[sched::live_steps] = {};
  double all_steals = 0;
  double awake = 0;  // share of the monitor's polls, 0 to 1
};

struct DeviceRates {
  double load = 0;  // share of the time in which it had a kernel under way, 0 to 1
  double kernels = 0, bytes_in = 0, bytes_out = 0;  // a second
};

// What was seen at the end of some time, and the rates in it.
struct Measure {
  int process = 0;
  std::string command;
  int64_t up_ns = 0;
  long threads = 0;  // kernel threads
  Activity activity = Activity::no_region;
  LiveSnapshot last;  // if none is open: the machine is right, the rest old
  double seconds = 0;
  double regions = 0;                // begun a second
  std::vector<PuRates> pus;          // in the order of last.pus
  std::vector<DeviceRates> devices;  // in the order of last.devices
  SharingSeen sharing;               // who shares the machine, by the table of the process

  bool alive() const { return activity != Activity::no_region; }
  int64_t waiting() const;
  double turns() const;
  double steals() const;
};

class Watch {
 public:
  // Sleeps; false if the user has had enough.
  using Pause = std::function<bool(int64_t ns)>;

  // "" or one sentence, without its dot, on why this process cannot be watched.
  std::string attach(int process);

  enum class End : std::uint8_t {
    none,
    process_ended,
    page_gone,  // it runs another program now
    page_damaged,
    user
  };
  // Measures for so long, and fills `out` unless something ended it.
  End measure(int64_t ns, const Pause& pause, Measure& out);
  // After page_damaged: what is wrong.
  const std::string& damage() const { return damage_; }

 private:
  struct MonitorState;
  End begin();
  End let_time_pass(int64_t ns, const Pause& pause);
  End await(Activity& activity);
  End take(bool& answered);
  End read();
  bool gone(os::ProcessState& state) const;
  bool page_is_gone() const;
  MonitorState read_monitor() const;
  void fill_rates(Measure& out) const;
  void fill_device_rates(Measure& out) const;

  int process_ = 0;
  int64_t started_ns_ = 0;  // with the number it names the process
  LivePage page_;
  std::string runtime_folder_;
  uint64_t asked_ = 0;  // the number of our last question
  LiveSnapshot latest_;
  // What rates are measured from: an answer to one of our questions. Until the first one nothing is
  // known, and nothing ran.
  std::optional<LiveSnapshot> base_;
  std::string damage_;
  int64_t measured_ns_ = 0;  // the end of the last measure; 0: there was none
  uint64_t measured_regions_ = 0;
};

// The command line of a process in one line that a terminal can show; "" if it cannot be read.
std::string command_line_of(int process);

}  // namespace xylem::tool
