// `xylem run`: starts a program with Xylem as its OpenMP runtime.
//
// Invariant: once the program runs this command is gone (exec), so signals, exit code and terminal
// are the program's own.
#include <cstring>
#include <memory>

#include "os/handed_text.hpp"
#include "os/process.hpp"
#include "tool/command/common.hpp"
#include "tool/command/drawing.hpp"
#include "tool/command/installation.hpp"
#include "tool/command/on_xylem.hpp"
#include "tool/command/program.hpp"
#include "tool/command/start.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/run/plan_file.hpp"
#include "tool/run/policies.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

namespace {

struct RunOptions : OnXylem {
  bool quiet = false;
  std::string plan;  // the file of --apply
};

constexpr const char* kExamples = R"(Examples:
  xylem run ./app input.dat
  xylem run --threads 8 -- ./app --its-own-option
  xylem run --policy places --machine "pack:4 [numa] core:8 pu:1" -- ./app
  xylem run --policy help          list the policies
  xylem run --policy ./mine.so -- ./app
  xylem run --trace out.xtr -- ./app
  xylem run --record plan.json -- ./app     then: xylem run --apply plan.json -- ./app
  xylem run --verbose python3 app.py

Exit code: the program's own; 2 bad use or a program Xylem cannot serve,
126 the program cannot be executed, 127 it does not exist.)";

// The list OMP_NUM_THREADS takes: "8" or "4,2"; false if it is not that.
bool is_thread_list(const std::string& text) {
  std::string_view rest = text;
  if (rest.empty() || rest.back() == ',') return false;
  while (!rest.empty()) {
    const std::string part(rest.substr(0, rest.find(',')));
    rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : std::string_view{};
    if (part.empty() || part.find_first_not_of("0123456789") != std::string::npos) return false;
    if (part.size() > 9 || std::stol(part) < 1) return false;
  }
  return true;
}

int check_options(const RunOptions& options) {
  if (!options.policy.empty()) {
    const std::string trouble = trouble_with_policy(options.policy);
    if (!trouble.empty()) return complain(kBadUse, "{}", trouble);
  }
  if (!options.threads.empty() && !is_thread_list(options.threads)) {
    return complain(kBadUse, "--threads '{}' is not a number above 0, nor a list of them like 4,2",
                    options.threads);
  }
  const Drawing drawing = chosen_drawing(options.machine, current_environment());
  if (drawing.text.empty()) return kSuccess;
  const base::Result<topo::Machine*> drawn = topo::load_machine(drawing.text, false);
  if (!drawn.ok()) return complain(kBadUse, "{}", trouble_with(drawing, drawn.error()));
  delete drawn.value();
  return kSuccess;
}

// What the runtime is told of the plan; "": the plan is refused, a line says why, and the program
// runs without. Once the program runs this process is it.
std::string hand_over_plan(const std::string& path) {
  count::SavedPlan plan;
  std::string why;
  if (!read_plan_file(path, plan, why)) {
    complain(kBadUse, "--apply: the plan '{}' {}; it is not applied", path, why);
    return "";
  }
  const std::vector<char> lines = count::plan_lines(plan);
  const int descriptor = os::hand_over_text({lines.data(), lines.size()});
  if (descriptor < 0) {
    complain(kBadUse, "--apply: the plan '{}' cannot be handed over ({}); it is not applied", path,
             std::strerror(-descriptor));
    return "";
  }
  return std::to_string(descriptor) + ":" + std::to_string(os::process_id());
}

int run_program(const RunOptions& options, const std::vector<std::string>& words) {
  if (options.policy == "help") {
    print_policies();
    return kSuccess;
  }
  if (const int code = check_options(options); code != kSuccess) return code;
  if (words.empty()) {
    return complain(kBadUse, "run which program? Write `xylem run -- program arguments`");
  }
  Environment environment = current_environment();
  const Program program = find_program(words[0], environment);
  if (program.code != 0) return complain(program.code, "{}", program.why);
  const std::string folder = library_folder();
  if (folder.empty()) {
    return complain(kBadUse,
                    "libxylem.so is not beside this command (../lib); build or install it");
  }
  const Inspection inspection = inspect_program(program, environment, folder + "/libxylem.so");
  if (!inspection.can_start) return complain(kBadUse, "{}", inspection.line);
  // What loads OpenMP while it runs, as Python does, is told of once it has (--verbose).
  if (!inspection.line.empty() && !options.quiet && inspection.fit != Fit::perhaps_later)
    say("{}", inspection.line);
  OnXylem settings = options;
  if (!settings.policy.empty()) settings.policy = policy_for_program(settings.policy);
  if (!settings.record.empty() || !options.plan.empty()) {
    if (!inspection.preload)
      return complain(kBadUse, "--record and --apply need a program without AddressSanitizer");
  }
  if (!options.plan.empty()) settings.apply = hand_over_plan(options.plan);
  if (inspection.set_up) put_on_xylem(environment, settings, folder, inspection.preload);
  return start_program(program, words, environment);
}

}  // namespace

Command make_run(CLI::App& parent) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = parent.add_subcommand("run", "Start a program with Xylem as its OpenMP runtime");
  app->add_option("--policy", options->policy,
                  "Scheduling policy: a name ('help' lists them), or a file with one")
      ->type_name("NAME");
  app->add_option("--threads", options->threads, "Team size, as OMP_NUM_THREADS: 8, or 4,2 nested")
      ->type_name("N");
  app->add_option("--machine", options->machine,
                  "Pretend to be this machine: an hwloc synthetic description or XML file")
      ->type_name("DESC");
  app->add_option("--trace", options->trace,
                  "Trace the program into FILE, for `xylem trace`; %p: its process number")
      ->type_name("FILE");
  app->add_option("--record", options->record,
                  "Write where pages of the program's arrays are best into FILE, when it ends")
      ->type_name("FILE");
  app->add_option("--apply", options->plan,
                  "Put pages where an earlier run's FILE says, before the program touches them")
      ->type_name("FILE");
  app->add_flag("--no-interpose", options->no_interpose,
                "Leave the program's blocking calls (mutexes, sleeps, sched_yield) to libc");
  app->add_flag("--no-share", options->no_share,
                "Leave dividing the processors with your other programs on Xylem to the kernel");
  app->add_flag("-v,--verbose", options->verbose,
                "Say which of the program's libraries call Xylem, after its first region");
  app->add_flag("-q,--quiet", options->quiet, "Say nothing before the program starts");
  set_usage(*app, "xylem run [options] [--] program [arguments]");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) {
            return run_program(*options, words);
          }};
}

}  // namespace xylem::tool
