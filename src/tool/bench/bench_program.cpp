// `xylem bench -- program`: see bench_program.hpp.
//
// Owns: two sides, each an environment of one program, and what their runs gave. A round runs the
// program once on either side, so that whatever else the machine does meets both.
#include "tool/bench/bench_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <set>

#include "os/child.hpp"
#include "tool/command/common.hpp"
#include "tool/command/installation.hpp"
#include "tool/command/on_xylem.hpp"
#include "tool/command/program.hpp"
#include "tool/command/start.hpp"

namespace xylem::tool {

namespace {

constexpr int kNotAlike = 1;    // a run that did not end, or other exit codes
constexpr double kShort = 0.1;  // seconds; less is mostly the start of the process

struct Options {
  OnXylem xylem;
  int rounds = 5;
  double limit = 300;
  std::vector<std::string> words;  // the program and its arguments
};

struct Side {
  std::string name;
  Environment environment;
  std::vector<double> seconds = {};    // of the runs that ended
  std::set<std::string> endings = {};  // "0", "signal 11 (Segmentation fault)"
  bool stopped = false;                // one did not end

  std::string all_endings() const { return fmt::format("{}", fmt::join(endings, ", ")); }
};

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string ending(int status) {
  if (WIFEXITED(status)) return fmt::format("{}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

// 0, or the exit code after a line that says what is wrong.
int read_options(std::vector<std::string> words, Options& options) {
  const auto split = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return word == "--" || (&word == &words[0] && !word.starts_with('-'));
  });
  options.words.assign(split + (*split == "--" ? 1 : 0), words.end());
  CLI::App app("", "xylem bench");
  app.set_help_flag();
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--limit", options.limit)->check(CLI::Range(0.01, 1e6));
  app.add_option("--threads", options.xylem.threads)->check(CLI::PositiveNumber);
  std::vector<std::string> reversed(words.begin(), split);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return complain(kBadUse,
                    "bench: {}; before `-- program` it takes --rounds N, --threads N and "
                    "--limit SECONDS",
                    error.what());
  }
  if (!options.words.empty()) return kSuccess;
  return complain(kBadUse, "bench which program? Write `xylem bench -- program arguments`");
}

// 0, or the exit code after a line that says why there is nothing to compare.
int judge(const Program& program, const Inspection& inspection) {
  if (!inspection.can_start) return complain(kBadUse, "{}", inspection.line);
  if (!inspection.set_up) {
    return complain(kBadUse, "{}: there is nothing to compare", inspection.line);
  }
  if (inspection.runs_on_xylem) {
    return complain(kBadUse,
                    "'{}' runs on Xylem by itself: take Xylem's folder out of LD_LIBRARY_PATH, or "
                    "compare a build of it that is not linked with Xylem",
                    program.name);
  }
  if (inspection.fit == Fit::perhaps_later && !inspection.leads_further) {
    return complain(kBadUse,
                    "neither '{}' nor the libraries it links use OpenMP, so there is nothing to "
                    "compare; was it compiled with -fopenmp?",
                    program.name);
  }
  if (!inspection.line.empty()) say("{}", inspection.line);
  return kSuccess;
}

// False after a line on stderr: the program cannot be executed.
bool run_once(const Program& program, const Options& options, Side& side) {
  const StartWords words(options.words, side.environment);
  const auto limit = static_cast<int64_t>(options.limit * 1e9);
  const os::ChildEnd end =
      os::run_child(program.path.c_str(), words.argv(), words.variables(), limit);
  if (end.error != 0) {
    say("'{}' cannot be executed: {}", program.name, strerror(-end.error));
    return false;
  }
  side.stopped = end.stopped;
  side.endings.insert(end.stopped ? fmt::format("no end in {:g} s", options.limit)
                                  : ending(end.status));
  if (!end.stopped) side.seconds.push_back(static_cast<double>(end.elapsed_ns) / 1e9);
  return true;
}

bool run_rounds(const Program& program, const Options& options, Side* sides) {
  for (int round = 1; round <= options.rounds; ++round) {
    for (Side* side = sides; side != sides + 2; ++side) {
      if (side->stopped) continue;
      if (!run_once(program, options, *side)) return false;
      say("round {} of {}: {} on {}", round, options.rounds,
          side->stopped ? side->all_endings() : seconds_text(side->seconds.back()), side->name);
    }
  }
  return true;
}

void print_row(const Side& side, std::size_t width) {
  fmt::print("{:<{}}", side.name, width);
  if (side.seconds.empty()) {
    fmt::print("{:>12}{:>12}{:>12}", "-", "-", "-");
  } else {
    const auto [least, most] = std::minmax_element(side.seconds.begin(), side.seconds.end());
    fmt::print("{:>12}{:>12}{:>12}", seconds_text(median(side.seconds)), seconds_text(*least),
               seconds_text(*most));
  }
  fmt::print("   {}\n", side.all_endings());
}

void print_ratio(const Side& stock, const Side& xylem) {
  std::vector<double> ratios;
  for (std::size_t at = 0; at < stock.seconds.size(); ++at)
    ratios.push_back(xylem.seconds[at] / stock.seconds[at]);
  std::sort(ratios.begin(), ratios.end());
  const double ratio = median(xylem.seconds) / median(stock.seconds);
  const std::string faster = ratio < 0.95 ? fmt::format(": {:.1f} times as fast", 1 / ratio) : "";
  fmt::print("\nXylem takes {:.2f} of the time{}. Round by round: {:.2f} to {:.2f}.\n", ratio,
             faster, ratios.front(), ratios.back());
  if (ratios.front() < 1 && ratios.back() > 1)
    fmt::print("The rounds do not agree on which is faster: more of them say more (--rounds).\n");
  if (median(stock.seconds) < kShort)
    fmt::print(
        "Runs this short are mostly the start of the process: give the program more to do.\n");
}

int report(const Program& program, const Side& stock, const Side& xylem) {
  const std::size_t width = std::max(stock.name.size(), xylem.name.size()) + 1;
  fmt::print("{:<{}}{:>12}{:>12}{:>12}   exit code\n", "", width, "median", "fastest", "slowest");
  print_row(stock, width);
  print_row(xylem, width);
  if (!stock.stopped && !xylem.stopped) print_ratio(stock, xylem);
  std::fflush(stdout);
  if (stock.stopped && !xylem.stopped)
    return complain(kNotAlike, "it ended on Xylem alone: {} on {}", stock.all_endings(),
                    stock.name);
  if (stock.endings != xylem.endings) {
    return complain(kNotAlike,
                    "the exit codes differ: {} on {}, {} on Xylem; `xylem run -- {}` shows what "
                    "the program says, `xylem doctor -- {}` what may hurt it",
                    stock.all_endings(), stock.name, xylem.all_endings(), program.name,
                    program.name);
  }
  if (stock.stopped)
    return complain(kNotAlike, "it ended on neither side; --limit gives it more seconds");
  if (stock.all_endings() != "0")
    say("it ends with exit code {} on both sides", stock.all_endings());
  return kSuccess;
}

}  // namespace

bool names_a_program(const std::vector<std::string>& words) {
  return (!words.empty() && !words[0].starts_with('-')) ||
         std::find(words.begin(), words.end(), "--") != words.end();
}

int bench_program(const std::vector<std::string>& words) {
  Options options;
  if (const int code = read_options(words, options); code != kSuccess) return code;
  Environment environment = current_environment();
  const Program program = find_program(options.words[0], environment);
  if (program.code != 0) return complain(program.code, "{}", program.why);
  const std::string folder = library_folder();
  if (folder.empty()) {
    return complain(kBadUse,
                    "libxylem.so is not beside this command (../lib); build or install it");
  }
  const Inspection inspection = inspect_program(program, environment, folder + "/libxylem.so");
  if (const int code = judge(program, inspection); code != kSuccess) return code;
  if (!options.xylem.threads.empty()) environment["OMP_NUM_THREADS"] = options.xylem.threads;
  Side sides[2] = {
      {inspection.runtimes.empty() ? "its own"
                                   : fmt::format("{}", fmt::join(inspection.runtimes, "+")),
       environment},
      {"Xylem", environment}};
  put_on_xylem(sides[1].environment, options.xylem, folder, inspection.preload);
  say("'{}' on {} and on Xylem in turn, {}; its output is not shown", program.name, sides[0].name,
      counted(options.rounds, "round"));
  if (!run_rounds(program, options, sides)) return kCannotExecute;
  return report(program, sides[0], sides[1]);
}

}  // namespace xylem::tool
