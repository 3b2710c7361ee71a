// `xylem top`: what a running process does, seen from outside.
//
// Invariant: whatever is wrong with the process gives one line on stderr; the terminal is given
// back as it was, however the view ends.
#include <chrono>
#include <memory>
#include <thread>

#include "os/files.hpp"
#include "os/terminal.hpp"
#include "tool/command/common.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/top/top_find.hpp"
#include "tool/top/top_show.hpp"

namespace xylem::tool {

namespace {

struct TopOptions {
  double interval = 1;
  bool once = false;
  bool json = false;
  bool all = false;
};

constexpr double kShortest = 0.05, kLongest = 3600;

constexpr const char* kExamples = R"(Examples:
  xylem top                        the processes that run on Xylem, or the view if there is one
  xylem top 4242                   watch process 4242; q ends it
  xylem top 4242 --interval 0.2
  xylem top 4242 --once --json     one measure over a second, for scripts

Turns: members and fibers that a PU began to run or that went to sleep there.
Awake: share of the polls, one or two each millisecond of an open region, at
which the PU's worker had something to run. docs/top.md says all.)";

std::string one_measure(const TopOptions& options, const Measure& measure) {
  return options.json ? top_json(measure) : top_text(measure, 0, 0, options.all);
}

// How watching ended, as an exit code and a line.
int end_of(Watch::End end, const Watch& watch, int process, bool measured) {
  switch (end) {
    case Watch::End::process_ended:
      say("process {} has ended", process);
      return measured ? kSuccess : kSomethingHurts;
    case Watch::End::page_gone:
      say("process {} runs another program now", process);
      return measured ? kSuccess : kSomethingHurts;
    case Watch::End::page_damaged:
      return complain(kBadUse, "the page of process {} cannot be read: {}", process,
                      watch.damage());
    case Watch::End::none:
    case Watch::End::user:
      break;
  }
  return kSuccess;
}

bool plain_pause(int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  return true;
}

// One measure after another to the standard output, until it is closed.
int print_measures(Watch& watch, int process, const TopOptions& options, int64_t ns) {
  for (bool measured = false;; measured = true) {
    Measure measure;
    const Watch::End end = watch.measure(ns, plain_pause, measure);
    if (end != Watch::End::none) return end_of(end, watch, process, measured);
    fmt::print("{}", one_measure(options, measure));
    if (std::fflush(stdout) != 0) return complain(kSomethingHurts, "cannot write the output");
    if (options.once) return kSuccess;
    if (!options.json) fmt::print("\n");
  }
}

// What is drawn over what was there: each line ends by clearing its rest.
std::string screen_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\033[K\r\n" : std::string(1, c);
  if (out.size() >= 2) out.resize(out.size() - 2);  // the last line would scroll
  return out;
}

int draw_measures(Watch& watch, int process, const TopOptions& options, int64_t ns) {
  os::Terminal terminal;
  terminal.open();
  const auto pause = [&](int64_t slice) {
    const char key = terminal.wait_key(slice);
    return key != 'q' && key != 'Q' && key != '\3' && !terminal.asked_to_end();
  };
  bool measured = false;
  const int64_t first_ns = ns < 200'000'000 ? ns : 200'000'000;  // something to see at once
  for (Watch::End end = Watch::End::none;; measured = true) {
    Measure measure;
    end = watch.measure(measured ? ns : first_ns, pause, measure);
    if (end != Watch::End::none) {
      terminal.close();
      return end_of(end, watch, process, measured);
    }
    const os::Terminal::Size size = os::Terminal::size();
    const std::string text = top_text(measure, size.rows, size.columns, options.all);
    if (!os::Terminal::show(screen_of(text))) return kSomethingHurts;
  }
}

int watch_process(int process, const TopOptions& options) {
  if (const std::string why = why_not_watchable(process); !why.empty())
    return complain(kBadUse, "{}", why);
  Watch watch;
  if (const std::string why = watch.attach(process); !why.empty())
    return complain(kBadUse, "process {} cannot be watched: {}", process, why);
  const auto ns = static_cast<int64_t>(options.interval * 1e9);
  if (!options.once && !options.json && os::output_is_terminal())
    return draw_measures(watch, process, options, ns);
  return print_measures(watch, process, options, ns);
}

int choose_process(const TopOptions& options) {
  const std::vector<Watchable> found = watchable_processes();
  if (found.empty())
    return complain(
        kSomethingHurts,
        "no process of yours runs on Xylem now, with a parallel region behind it; start "
        "one by `xylem run`");
  if (found.size() == 1) return watch_process(found[0].process, options);
  if (options.json || options.once)
    return complain(kBadUse,
                    "{} processes run on Xylem: write `xylem top PID`; without --once they "
                    "are listed",
                    found.size());
  fmt::print("{:>8} {:>8}  {}\n", "process", "threads", "command");
  for (const Watchable& it : found)
    fmt::print("{:>8} {:>8}  {}\n", it.process, it.threads, it.command);
  fmt::print("Write `xylem top PID` to watch one.\n");
  return kSuccess;
}

int run_top(const TopOptions& options, const std::vector<std::string>& words) {
  if (options.json && !options.once)
    return complain(kBadUse, "--json needs --once; see `xylem top --help`");
  if (!(options.interval >= kShortest && options.interval <= kLongest))
    return complain(kBadUse, "--interval takes {} to {} seconds", kShortest, kLongest);
  if (words.size() > 1) return complain(kBadUse, "top takes no argument '{}'", words[1]);
  if (words.empty()) return choose_process(options);
  long long process = 0;
  if (!os::parse_integer(words[0], process) || process <= 0 || process > 1 << 30)
    return complain(kBadUse,
                    "'{}' is no number of a process; `xylem top` alone lists those to watch",
                    words[0]);
  return watch_process(static_cast<int>(process), options);
}

}  // namespace

Command make_top(CLI::App& parent) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* app = parent.add_subcommand("top", "Watch a running process");
  app->add_option("--interval", options->interval, "Measure over so many seconds (1)")
      ->type_name("SECONDS");
  app->add_flag("--once", options->once, "Print one measure and end");
  app->add_flag("--json", options->json, "With --once: print it as JSON");
  app->add_flag("--all", options->all, "Show every PU, also where they do not fit the terminal");
  app->allow_extras();  // options may follow the process
  set_usage(*app, "xylem top [PID] [options]");
  app->footer(kExamples);
  return {app,
          [options](const std::vector<std::string>& words) { return run_top(*options, words); }};
}

}  // namespace xylem::tool
