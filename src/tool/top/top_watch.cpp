// Watching one process: see top_watch.hpp.
#include "tool/top/top_watch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "os/clock.hpp"
#include "os/files.hpp"
#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSlice = 50 * kMillisecond;
constexpr int64_t kPoll = 2 * kMillisecond;
// A region that begins within this time still counts as open: most programs have short ones.
constexpr int64_t kPatience = 100 * kMillisecond;
constexpr int64_t kAtRest = 40 * kMillisecond;  // the monitor's poll comes every 1 or 2 ms
constexpr int64_t kUnknownMonitor = 300 * kMillisecond;
constexpr int64_t kSilent = 2000 * kMillisecond;
constexpr int64_t kAskAgain = sched::live_watch_ns / 5;  // so that the process knows it is watched
constexpr uint64_t kLooksWithoutAnswer = 3;              // the first may have been under way

double per_second(uint64_t now, uint64_t before, double seconds) {
  const auto more = static_cast<int64_t>(now - before);
  return seconds > 0 && more > 0 ? static_cast<double>(more) / seconds : 0;
}

}  // namespace

const char* activity_name(Activity activity) {
  switch (activity) {
    case Activity::running:
      return "running";
    case Activity::no_region:
      return "no region open";
    case Activity::stopped:
      return "stopped";
    case Activity::silent:
      return "no answer";
  }
  return "?";
}

int64_t Measure::waiting() const {
  int64_t sum = 0;
  for (const sched::LiveLevel& level : last.levels) sum += level.waiting;
  return alive() ? sum : 0;
}

double Measure::turns() const {
  double sum = 0;
  for (const PuRates& pu : pus) sum += pu.turns;
  return sum;
}

double Measure::steals() const {
  double sum = 0;
  for (const PuRates& pu : pus) sum += pu.all_steals;
  return sum;
}

std::string command_line_of(int process) {
  std::vector<char> bytes;
  if (os::read_all(fmt::format("/proc/{}/cmdline", process).c_str(), bytes) != 0) return {};
  while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();
  std::replace(bytes.begin(), bytes.end(), '\0', ' ');
  return printable({bytes.data(), bytes.size()});
}

// --- one process ---------------------------------------------------------------------------------

std::string Watch::attach(int process) {
  process_ = process;
  os::ProcessState state;
  if (os::read_process(process, state) != 0) return "it has ended";
  started_ns_ = state.started_ns;
  runtime_folder_ = runtime_folder_of(process);
  return page_.attach(process);
}

bool Watch::gone(os::ProcessState& state) const {
  if (os::read_process(process_, state) != 0) return true;
  return state.state == 'Z' || state.state == 'X' || state.started_ns != started_ns_;
}

// What the kernel says of the monitor's thread.
struct Watch::MonitorState {
  bool known = false;
  bool asleep = false;
  uint64_t sleeps = 0;
};

Watch::MonitorState Watch::read_monitor() const {
  MonitorState monitor_state;
  os::ThreadState state;
  const int monitor = page_.monitor();
  monitor_state.known = monitor > 0 && os::read_thread(process_, monitor, state) == 0;
  monitor_state.asleep = state.state == 'S';
  monitor_state.sleeps = state.sleeps;
  return monitor_state;
}

// exec() ends the monitor and closes the page. A program may close descriptors that are not its
// own, and then the monitor goes on.
bool Watch::page_is_gone() const {
  return !read_monitor().known && os::find_shared_memory(process_, sched::live_name) == -ENOENT;
}

// Reads the page if it may hold the answer to the last question.
Watch::End Watch::take(bool& answered) {
  answered = false;
  if (!page_.may_answer(asked_)) return End::none;
  if (const End end = read(); end != End::none) return end;
  answered = static_cast<int64_t>(latest_.totals.answers - asked_) >= 0;
  if (answered && !base_) base_ = latest_;
  return End::none;
}

Watch::End Watch::read() {
  damage_ = page_.read(latest_);
  if (damage_.empty()) return End::none;
  os::ProcessState state;  // killed while it wrote?
  return gone(state) ? End::process_ended : End::page_damaged;
}

// Asks, and waits for the answer, or until it is clear why none comes.
Watch::End Watch::await(Activity& activity) {
  asked_ = page_.ask();
  const int64_t began = os::now_ns();
  const MonitorState first = read_monitor();
  MonitorState seen = first;
  int64_t moved = began;  // when the monitor was last seen to do something
  for (;; std::this_thread::sleep_for(std::chrono::nanoseconds(kPoll))) {
    const MonitorState now = read_monitor();
    bool answered = false;
    const End end = take(answered);  // after the poll by the monitor
    activity = Activity::running;
    if (end != End::none || answered) return end;
    os::ProcessState state;
    if (gone(state)) return End::process_ended;
    const int64_t time = os::now_ns();
    if (!now.asleep || now.sleeps != seen.sleeps) moved = time;
    seen = now;
    if (time - began < kPatience) continue;
    activity = Activity::stopped;
    if (state.state == 'T' || state.state == 't') return End::none;
    activity = Activity::no_region;
    if (!now.known && time - began >= kUnknownMonitor) return End::none;
    if (now.known && first.known && now.sleeps - first.sleeps >= kLooksWithoutAnswer)
      return End::none;
    if (now.known && time - moved >= kAtRest) return End::none;
    activity = Activity::silent;
    if (time - began >= kSilent) return End::none;
  }
}

// The process goes on for so long.
Watch::End Watch::let_time_pass(int64_t ns, const Pause& pause) {
  const int64_t until = measured_ns_ + ns;
  int64_t last_asked = measured_ns_;
  for (int64_t now = os::now_ns(); now < until; now = os::now_ns()) {
    if (!pause(std::min(kSlice, until - now))) return End::user;
    os::ProcessState state;
    if (gone(state)) return End::process_ended;
    bool answered = false;
    if (const End end = take(answered); end != End::none) return end;
    if (now - last_asked < kAskAgain) continue;
    last_asked = now;
    asked_ = page_.ask();
  }
  return End::none;
}

Watch::End Watch::begin() {
  Activity activity;
  if (const End end = await(activity); end != End::none) return end;
  if (const End end = read(); end != End::none) return end;  // there is one before all answers
  measured_ns_ = os::now_ns();
  measured_regions_ = page_.regions();
  return End::none;
}

// Sums that nobody has added to since are not news: without an answer in all the time nothing ran.
void Watch::fill_rates(Measure& out) const {
  out.pus.assign(latest_.pus.size(), {});
  if (!base_ || base_->pus.size() != latest_.pus.size()) return;
  const auto polls = static_cast<int64_t>(latest_.totals.polls - base_->totals.polls);
  for (size_t at = 0; at < latest_.pus.size(); ++at) {
    const sched::LivePu& now = latest_.pus[at];
    const sched::LivePu& before = base_->pus[at];
    PuRates& rates = out.pus[at];
    rates.turns = per_second(now.turns, before.turns, out.seconds);
    for (int step = 0; step < sched::live_steps; ++step) {
      rates.steals[step] = per_second(now.steals[step], before.steals[step], out.seconds);
      rates.all_steals += rates.steals[step];
    }
    const auto awake = static_cast<int64_t>(now.awake - before.awake);
    if (polls > 0 && awake > 0 && awake <= polls)
      rates.awake = static_cast<double>(awake) / static_cast<double>(polls);
  }
}

// Devices that were not known yet had done nothing.
void Watch::fill_device_rates(Measure& out) const {
  out.devices.assign(latest_.devices.size(), {});
  if (!base_) return;
  const auto passed = static_cast<int64_t>(static_cast<uint64_t>(latest_.totals.now_ns) -
                                           static_cast<uint64_t>(base_->totals.now_ns));
  for (size_t at = 0; at < latest_.devices.size(); ++at) {
    const sched::LiveDevice& now = latest_.devices[at];
    const sched::LiveDevice before =
        at < base_->devices.size() ? base_->devices[at] : sched::LiveDevice{};
    DeviceRates& rates = out.devices[at];
    rates.kernels = per_second(now.kernels, before.kernels, out.seconds);
    rates.bytes_in = per_second(now.bytes_in, before.bytes_in, out.seconds);
    rates.bytes_out = per_second(now.bytes_out, before.bytes_out, out.seconds);
    if (passed > 0)
      rates.load = std::clamp(
          static_cast<double>(now.busy_ns - before.busy_ns) / static_cast<double>(passed), 0.0,
          1.0);
  }
}

Watch::End Watch::measure(int64_t ns, const Pause& pause, Measure& out) {
  if (measured_ns_ == 0)
    if (const End end = begin(); end != End::none) return end;
  if (const End end = let_time_pass(ns, pause); end != End::none) return end;
  if (const End end = await(out.activity); end != End::none) return end;
  os::ProcessState state;
  if (gone(state)) return End::process_ended;
  if (!out.alive() && page_is_gone()) return End::page_gone;
  const int64_t now = os::now_ns();
  const uint64_t regions = page_.regions();
  out.process = process_;
  out.command = command_line_of(process_);
  out.up_ns = state.age_ns;
  out.threads = state.threads;
  out.last = latest_;
  out.seconds = static_cast<double>(now - measured_ns_) / 1e9;
  out.regions = per_second(regions, measured_regions_, out.seconds);
  fill_rates(out);
  fill_device_rates(out);
  out.sharing = read_sharing(runtime_folder_, false);
  if (base_) base_ = latest_;
  measured_ns_ = now;
  measured_regions_ = regions;
  return End::none;
}

}  // namespace xylem::tool
