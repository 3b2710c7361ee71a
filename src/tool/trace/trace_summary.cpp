// The summary of a trace: see trace_export.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "tool/command/common.hpp"
#include "tool/trace/trace_codelets.hpp"
#include "tool/trace/trace_export.hpp"
#include "tool/trace/trace_turns.hpp"

namespace xylem::tool {

namespace {

using trace::event;
using trace::Role;

// What a PU's workers do, all together; extras count beside.
enum WorkerState { kRunning, kSearching, kAsleep, kWorkerStates };
constexpr std::array<const char*, kWorkerStates> kWorkerStateNames = {"running", "searching",
                                                                      "asleep"};

constexpr size_t kReasons = std::size(trace::reasons);

// Time that has passed in each of some states.
template <size_t count>
struct Clocked {
  std::array<int64_t, count> spent{};
  size_t state = 0;
  int64_t since = 0;

  void enter(size_t next, int64_t now) {
    spent[state] += now - since;
    state = next;
    since = now;
  }
};

// States of a thread: running, ready, and sleeping for each reason.
constexpr size_t kThreadRunning = 0, kThreadReady = 1, kThreadSleeps = 2, kThreadGone = 10;
static_assert(kThreadSleeps + kReasons == kThreadGone);
struct Thread {
  Clocked<kThreadGone + 1> clock;
  int64_t pu = -1;
  int64_t suspended_before = 0;  // how long its bubble had been suspended when it became ready
};

struct ThreadKey {
  int64_t bubble, member;
  bool operator==(const ThreadKey&) const = default;
};
struct HashKey {
  size_t operator()(const ThreadKey& key) const {
    const auto bubble = static_cast<uint64_t>(key.bubble);
    return std::hash<uint64_t>()(bubble * 1'000'003 + static_cast<uint64_t>(key.member));
  }
};

class Summary {
 public:
  explicit Summary(const Trace& trace)
      : trace_(trace), pus_(static_cast<size_t>(trace.pus)), turns_(trace) {
    for (auto& pu : pus_) pu.state = kAsleep;
  }

  std::string text() {
    for (const TraceEvent& event : trace_.events) record(event);
    for (auto& pu : pus_) pu.enter(kAsleep, trace_.duration);
    for (auto& [key, thread] : threads_) leave(key, thread, kThreadGone, trace_.duration);
    return header() + worker_times() + thread_times() + counts();
  }

 private:
  void record(const TraceEvent& event);
  void record_thread(const TraceEvent& event);
  void record_worker(const TraceEvent& event, WorkerState state);
  void leave(const ThreadKey& key, Thread& thread, size_t next, int64_t now);
  std::string header() const;
  std::string worker_times() const;
  std::string thread_times() const;
  std::string counts() const;
  std::string engines() const;
  std::string steals_by_distance() const;

  uint64_t counted_of(trace::Kind kind) const { return seen_[kind]; }

  const Trace& trace_;
  std::vector<Clocked<kWorkerStates>> pus_;
  std::unordered_map<ThreadKey, Thread, HashKey> threads_;
  std::array<int64_t, kThreadGone> in_state_{};
  int64_t ready_suspended_ = 0;  // of the time in state ready
  TurnTimes turns_;
  std::array<uint64_t, trace::event_count> seen_{};
  std::map<int, uint64_t> steals_;  // by the lowest common level
  uint64_t migrations_ = 0;
  uint64_t born_ = 0;
};

void Summary::leave(const ThreadKey& key, Thread& thread, size_t next, int64_t now) {
  if (thread.clock.state < kThreadGone) in_state_[thread.clock.state] += now - thread.clock.since;
  const int64_t suspended = turns_.suspended_until(key.bubble, now);
  if (thread.clock.state == kThreadReady) ready_suspended_ += suspended - thread.suspended_before;
  thread.suspended_before = suspended;
  thread.clock.state = next;
  thread.clock.since = now;
}

void Summary::record_thread(const TraceEvent& happened) {
  const ThreadKey key{happened.of(Role::bubble), happened.of(Role::member)};
  Thread& thread = threads_.try_emplace(key).first->second;
  const int64_t pu = happened.of(Role::pu);
  switch (happened.kind()) {
    case event("started"):
      thread.clock.state = kThreadGone;  // whatever it was: dropped events may hide its end
      leave(key, thread, kThreadRunning, happened.time);
      thread.pu = pu;
      break;
    case event("slept"):
      leave(key, thread,
            kThreadSleeps + std::min(static_cast<size_t>(happened.of(Role::reason)), kReasons - 1),
            happened.time);
      thread.pu = pu;
      break;
    case event("woken"):
      leave(key, thread, kThreadReady, happened.time);
      break;
    case event("resumed"):
      leave(key, thread, kThreadRunning, happened.time);
      migrations_ += thread.pu >= 0 && thread.pu != pu;
      thread.pu = pu;
      break;
    default:
      leave(key, thread, kThreadGone, happened.time);
      threads_.erase(key);
  }
}

void Summary::record_worker(const TraceEvent& event, WorkerState state) {
  const int64_t pu = event.of(Role::pu);
  if (pu < trace_.pus) pus_[static_cast<size_t>(pu)].enter(state, event.time);
}

void Summary::record(const TraceEvent& happened) {
  ++seen_[happened.kind()];
  switch (happened.kind()) {
    case event("started"):
      born_ += happened.of(Role::again) == 0;
      [[fallthrough]];
    case event("ended"):
    case event("slept"):
    case event("woken"):
    case event("resumed"):
      record_thread(happened);
      break;
    case event("stolen"):
      ++steals_[trace_.common_level(happened.of(Role::from_level), happened.of(Role::level))];
      break;
    case event("attached"):
    case event("suspended"):
      turns_.follow(happened);
      break;
    case event("worker_awake"):
      record_worker(happened, kRunning);
      break;
    case event("worker_searching"):
      record_worker(happened, kSearching);
      break;
    case event("worker_asleep"):
      record_worker(happened, kAsleep);
      break;
    default:
      break;
  }
}

double in_ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

double share_of(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string Summary::header() const {
  std::string out = fmt::format("{} (process {}): {:.3f} ms on {}, {}\n", trace_.program,
                                trace_.process, in_ms(trace_.duration), counted(trace_.pus, "PU"),
                                counted(static_cast<long long>(trace_.events.size()), "event"));
  if (!trace_.damage.empty()) out += fmt::format("The file is damaged: {}.\n", trace_.damage);
  if (trace_.damage.empty() && !trace_.ended_well)
    out += "The process did not end its trace: what came last is missing.\n";
  return out;
}

std::string Summary::worker_times() const {
  std::string out = "\nTime of all PUs, by what their workers did:\n";
  int64_t whole = 0;
  std::array<int64_t, kWorkerStates> sums{};
  for (const auto& pu : pus_)
    for (size_t state = 0; state < kWorkerStates; ++state) {
      sums[state] += pu.spent[state];
      whole += pu.spent[state];
    }
  for (size_t state = 0; state < kWorkerStates; ++state)
    out += fmt::format("  {:<20} {:>12.3f} ms {:>6.1f}%\n", kWorkerStateNames[state],
                       in_ms(sums[state]), share_of(sums[state], whole));
  return out;
}

std::string Summary::thread_times() const {
  std::string out = "\nTime of all threads, by their state:\n";
  int64_t whole = 0;
  for (const int64_t spent : in_state_) whole += spent;
  const auto line = [&](std::string_view name, int64_t spent) {
    out += fmt::format("  {:<20} {:>12.3f} ms {:>6.1f}%\n", name, in_ms(spent),
                       share_of(spent, whole));
  };
  for (size_t state = 0; state < kThreadGone; ++state) {
    const std::string name = state == kThreadRunning ? "running"
                             : state == kThreadReady
                                 ? "ready"
                                 : std::string("sleeps: ") + trace::reasons[state - kThreadSleeps];
    line(name, in_state_[state] - (state == kThreadReady ? ready_suspended_ : 0));
    if (state == kThreadReady) line("ready, but suspended", ready_suspended_);
  }
  return out;
}

std::string Summary::steals_by_distance() const {
  std::map<std::string, uint64_t> by_kind;
  for (const auto& [level, count] : steals_)
    by_kind[trace_.levels[static_cast<size_t>(level)].kind] += count;
  std::string out;
  for (const auto& [kind, count] : by_kind)
    out += fmt::format("  {:<20} {:>12}\n", "  within a " + kind, count);
  return out;
}

// Nothing where the engines chose nothing.
std::string Summary::engines() const {
  uint64_t choices = 0, pages = 0, placed = 0, dealt = 0;
  for (const TraceEvent& happened : trace_.events) {
    const bool placed_threads = happened.kind() == event("engines_chose");
    if (!placed_threads && happened.kind() != event("engines_dealt")) continue;
    ++choices;
    pages += static_cast<uint64_t>(happened.of(Role::pages));
    (placed_threads ? placed : dealt) +=
        static_cast<uint64_t>(happened.of(placed_threads ? Role::placed : Role::dealt));
  }
  if (choices == 0) return "";
  const auto line = [](std::string_view name, uint64_t count) {
    return fmt::format("  {:<20} {:>12}\n", name, count);
  };
  return line("engines' choices", choices) + line("  pages moved", pages) +
         line("  threads placed", placed) + line("  other iterations", dealt) +
         line("  taken back", counted_of(event("engines_undid")));
}

std::string Summary::counts() const {
  const auto line = [](std::string_view name, uint64_t count) {
    return fmt::format("  {:<20} {:>12}\n", name, count);
  };
  return "\nCounts:\n" + line("regions", counted_of(event("region_begin"))) +
         line("bubbles", counted_of(event("bubble_made"))) + line("threads", born_) +
         line("switches", counted_of(event("slept"))) +
         line("barriers passed", counted_of(event("barrier_out"))) +
         line("tasks", counted_of(event("task_begin"))) +
         line("bursts", counted_of(event("burst"))) +
         line("bubbles attached", counted_of(event("attached"))) +
         line("bubbles suspended", counted_of(event("suspended"))) +
         line("steals", counted_of(event("stolen"))) + steals_by_distance() +
         line("migrations", migrations_) +
         line("extra workers", counted_of(event("extra_worker"))) + engines() +
         line("dropped events", trace_.dropped);
}

}  // namespace

std::string summary_text(const Trace& trace) {
  return Summary(trace).text() + codelets_text(trace);
}

std::string event_table_text() {
  std::string out = "| event | arguments | meaning |\n|---|---|---|\n";
  for (const trace::Event& row : trace::events) {
    std::string arguments;
    for (const Role role : row.arguments)
      if (role != Role::none)
        arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ",
                                 trace::roles[static_cast<size_t>(role)].name);
    out += fmt::format("| {} | {} | {} |\n", row.name, arguments, row.help);
  }
  out += "\n| argument | bits | meaning |\n|---|---|---|\n";
  for (const trace::RoleRow& row : trace::roles)
    if (row.bits > 0) out += fmt::format("| {} | {} | {} |\n", row.name, row.bits, row.help);
  return out;
}

}  // namespace xylem::tool
