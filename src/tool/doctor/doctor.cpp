// `xylem doctor`: says in sentences what of machine, environment and program will hurt.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "count/source/fault.hpp"
#include "count/source/pmu.hpp"
#include "mem/map/nodes.hpp"
#include "omp/env/settings.hpp"
#include "omp/env/settings_values.hpp"
#include "os/process.hpp"
#include "policy/policy.hpp"
#include "tool/command/drawing.hpp"
#include "tool/command/installation.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

struct DoctorOptions {
  bool json = false;
  std::string sysroot;
};

constexpr const char* kExamples = R"(Examples:
  xylem doctor                     machine and environment
  xylem doctor -- ./app            and the program and the libraries it links
  xylem doctor --json              for scripts

Exit code: 0 nothing hurts, 1 something does, 2 bad use,
126 the program cannot be executed, 127 it does not exist.
A rank of an MPI job ends with 0 where something hurts, too: a launcher ends all
ranks when one fails.)";

bool something_hurts(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.hurts) return true;
  }
  return false;
}

std::string fault_sentence(const Facts& facts) {
  if (facts.next_touch != nullptr) return fmt::format("fault cannot be had: {}", facts.next_touch);
  constexpr double most_cost = count::FaultSettings{}.most_cost;
  const auto page_ns = static_cast<double>(facts.fault_page_ns);
  return fmt::format(
      "fault takes {:.0f} us a page, by default at most {:.0f}% of the time, so at most {:.0f} "
      "pages a "
      "second",
      page_ns / 1e3, most_cost * 100,
      std::min<double>(most_cost * 1e9 / page_ns, count::FaultSettings{}.pages_a_second));
}

std::string pmu_sentence(const Facts& facts) {
  if (facts.pmu != nullptr) return fmt::format("pmu cannot be had: {}", facts.pmu);
  return fmt::format("pmu gives {} samples a second of each thread",
                     count::PmuSettings{}.samples_a_second);
}

std::string idle_sentence(const Facts& facts) {
  const count::IdleObstacles& lacks = facts.idle;
  if (lacks.accesses != nullptr && lacks.writes != nullptr)
    return fmt::format("idle cannot be had: of accesses to pages {}, and of writes {}",
                       lacks.accesses, lacks.writes);
  const std::string sees =
      lacks.accesses != nullptr
          ? fmt::format("only pages that are written, as of other accesses {}", lacks.accesses)
      : lacks.writes != nullptr
          ? fmt::format("pages that are accessed, but of writes {}", lacks.writes)
          : "pages that are accessed or written";
  return fmt::format("idle takes {:.2f} us a page, and sees {}, not by whom",
                     static_cast<double>(facts.idle_page_ns) / 1e3, sees);
}

// Null where there is none.
const char* best_source(const Facts& facts) {
  if (facts.pmu == nullptr) return "pmu";
  return facts.next_touch == nullptr ? "fault" : nullptr;
}

// Which source tells the engines of the accesses of programs that are compiled for nothing.
std::string source_sentence(const Facts& facts) {
  const char* best = best_source(facts);
  return fmt::format("Accesses of programs as they are (XYLEM_ENGINES): {}; {}. {}. {}.",
                     best != nullptr ? fmt::format("the source {}", best) : "no source",
                     pmu_sentence(facts), fault_sentence(facts), idle_sentence(facts));
}

std::string misses_sentence(const Facts& facts) {
  if (facts.misses == nullptr) return "Cache misses of bubbles can be counted (XYLEM_MISSES).";
  return fmt::format("Cache misses of bubbles (XYLEM_MISSES) cannot be counted: {}.", facts.misses);
}

bool knows_source(const Facts& facts) {
  return facts.asks_kernel && (facts.next_touch != nullptr || facts.fault_page_ns > 0);
}

std::string sharing_sentence(const Facts& facts) {
  const bool works = facts.shares && facts.sharing->error == 0;
  const std::size_t others = facts.sharing->sharers.size();
  return fmt::format(
      "Programs at once on this machine (docs/sharing.md): {}; {}.",
      works ? fmt::format("they divide the processors, by a table in {}", facts.sharing->folder)
            : "they do not divide the processors",
      others == 0   ? "none computes now"
      : others == 1 ? "one is in it now"
                    : fmt::format("{} are in it now", others));
}

nlohmann::ordered_json json_of(const SharingSeen& sharing, bool shares) {
  nlohmann::ordered_json processes = nlohmann::ordered_json::array();
  for (const Sharer& it : sharing.sharers)
    processes.push_back({{"process", it.process},
                         {"command", it.command},
                         {"needs", it.needs},
                         {"cpus", cpu_list(it.cpus)},
                         {"has", cpu_list(it.has)}});
  return {{"on", shares},
          {"works", sharing.error == 0},
          {"why_not", sharing_trouble(sharing)},
          {"folder", sharing.folder},
          {"processes", processes}};
}

nlohmann::ordered_json json_of(const Job& job) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (const Rank& rank : job.ranks)
    ranks.push_back({{"process", rank.process},
                     {"rank", rank.number},
                     {"cpus", cpu_list(rank.cpus)},
                     {"threads", rank.threads}});
  return {{"launcher", launcher_name(job.launcher)},
          {"started_by", job.parent},
          {"local_ranks", job.local_ranks},
          {"ranks", ranks}};
}

nlohmann::ordered_json text_or_null(const char* text) {
  return text != nullptr ? nlohmann::ordered_json(text) : nlohmann::ordered_json(nullptr);
}

void print_json(const Facts& facts, const std::vector<Finding>& findings) {
  nlohmann::ordered_json out;
  out["hurts"] = something_hurts(findings);
  out["default_team"] = facts.usable;
  out["allowed_cpus"] = cpu_list(facts.allowance.cpus);
  out["online_cpus"] = cpu_list(facts.online);
  out["cpu_quota"] = facts.allowance.cpu_quota > 0
                         ? nlohmann::ordered_json(facts.allowance.cpu_quota)
                         : nlohmann::ordered_json(nullptr);
  out["nodes"] = facts.nodes;
  if (knows_source(facts)) {
    const char* best = best_source(facts);
    out["source"] = best != nullptr ? best : "none";
    out["source_pmu_obstacle"] = text_or_null(facts.pmu);
    out["misses_obstacle"] = text_or_null(facts.misses);
    out["source_page_ns"] = facts.fault_page_ns;
    out["source_idle_obstacles"] = {{"accesses", text_or_null(facts.idle.accesses)},
                                    {"writes", text_or_null(facts.idle.writes)}};
    out["source_idle_page_ns"] = facts.idle_page_ns;
  }
  out["jobs"] = nlohmann::ordered_json::array();
  for (const Job& job : facts.jobs) out["jobs"].push_back(json_of(job));
  if (facts.sharing) out["sharing"] = json_of(*facts.sharing, facts.shares);
  out["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    out["findings"].push_back({{"id", finding.id},
                               {"hurts", finding.hurts},
                               {"what", finding.what},
                               {"advice", finding.advice}});
  }
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  fmt::print("{}\n", out.dump(2, ' ', false, replace));
}

// Breaks at words; `who` begins each line, `mark` the first one, the others stand below its text.
void print_sentence(const std::string& who, std::string_view mark, const std::string& sentence) {
  const std::string clean = printable(sentence);  // it names files, and what is in them
  std::string_view text = clean;
  constexpr std::size_t kWidth = 90;
  std::string line(mark);
  std::size_t used = mark.size();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (used + word.size() > kWidth && used > mark.size()) {
      fmt::print("{}{}\n", who, line);
      line.assign(mark.size(), ' ');
      used = mark.size();
    }
    line += (used > mark.size() ? " " : "") + std::string(word);
    used += word.size() + 1;
  }
  fmt::print("{}{}\n", who, line);
}

// "rank 3: " in a rank of an MPI job, whose lines come mixed with others'; else nothing.
std::string who_speaks(const Facts& facts) {
  const std::optional<RankVariables> rank = read_rank_variables(facts.environment);
  return rank ? fmt::format("rank {}: ", rank->number) : "";
}

void print_text(const Facts& facts, const std::vector<Finding>& findings) {
  const std::string who = who_speaks(facts);
  const std::string quota = facts.allowance.cpu_quota > 0
                                ? fmt::format("a quota of {:.2g}", facts.allowance.cpu_quota)
                                : "no quota";
  fmt::print("{}{} of {} allowed ({}), {}, {}; default team of {}.\n", who,
             facts.allowance.cpus.count(), counted(facts.online.count(), "processor"),
             cpu_list(facts.allowance.cpus), quota, counted(facts.nodes, "node"),
             counted(facts.usable, "thread"));
  if (knows_source(facts)) print_sentence(who, "", source_sentence(facts));
  if (facts.asks_kernel) print_sentence(who, "", misses_sentence(facts));
  if (facts.sharing) print_sentence(who, "", sharing_sentence(facts));
  for (const Finding& finding : findings) {
    fmt::print("\n");
    print_sentence(who, finding.hurts ? "hurts: " : "note:  ", finding.what);
    if (!finding.advice.empty()) print_sentence(who, "       ", finding.advice);
  }
  if (!something_hurts(findings)) fmt::print("\n{}Nothing here will hurt.\n", who);
}

// The settings as programs started here will have them, but for what is wrong with one.
omp::SettingsValues values_of(const Facts& facts) {
  omp::SettingsValues values;
  values.machine = facts.machine;
  for (const bool yielding : {false, true})
    for (const omp::Setting& setting : omp::settings_table()) {
      const std::string text = value_of(facts.environment, setting.name);
      if (!text.empty() && setting.parse != nullptr && setting.yields == yielding)
        setting.parse(text.c_str(), values);
    }
  if (facts.machine != nullptr) omp::settle_settings(values, facts.usable);
  return values;
}

// See Facts.
std::vector<std::string> keeping_settings(const Environment& environment,
                                          const omp::SettingsValues& values) {
  std::vector<std::string> keep;
  const char* name = values.runtime.policy;
  const policy::Policy* policy = name == nullptr ? nullptr : policy::find(name);
  if (policy != nullptr && policy->tick != nullptr)
    keep.push_back(std::string("XYLEM_POLICY=") + name);
  if (values.runtime.steal_patience_us < 0) keep.emplace_back("XYLEM_STEAL_PATIENCE=-1");
  if (values.global.places == nullptr) return keep;
  for (const char* binds : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (const std::string text = value_of(environment, binds); !text.empty())
      keep.push_back(binds + ("=" + text));
  return keep;
}

// Ranks, and processes that share the machine. Without a program the command stands for one that
// uses OpenMP.
void read_others(Facts& facts, const std::string& sysroot) {
  const bool has_threads = !facts.program || !facts.inspection.runtimes.empty();
  const long long asked = threads_asked(facts);
  const int threads = asked > 0     ? static_cast<int>(std::min(asked, 1LL << 20))
                      : has_threads ? facts.usable
                                    : 1;
  facts.jobs = read_jobs_with(sysroot, facts.environment,
                              {os::process_id(), 0, facts.allowance.cpus, threads});
  const omp::SettingsValues values = values_of(facts);
  facts.shares = values.runtime.share;
  facts.keep_processors = keeping_settings(facts.environment, values);
  if (sysroot.empty())
    facts.sharing = read_sharing(value_of(facts.environment, "XDG_RUNTIME_DIR"), true);
}

int examine(const DoctorOptions& options, const std::vector<std::string>& words) {
  const Environment environment = current_environment();
  Facts facts = read_facts(environment, options.sysroot);
  const Drawing drawing = chosen_drawing("", environment);
  base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, false);
  if (!loaded.ok() && !drawing.text.empty()) {
    facts.machine_trouble = trouble_with(drawing, loaded.error());
    loaded = topo::load_machine("", false);
  }
  const std::unique_ptr<topo::Machine> machine(loaded.ok() ? loaded.value() : nullptr);
  facts.machine = machine.get();
  if (machine && options.sysroot.empty() && facts.next_touch == nullptr) {
    mem::start(*machine);
    facts.fault_page_ns = count::measure_fault().page_ns;
  }
  if (!words.empty()) {
    facts.program = find_program(words[0], environment);
    if (facts.program->code != 0) return complain(facts.program->code, "{}", facts.program->why);
    const std::string folder = library_folder();
    facts.inspection =
        inspect_program(*facts.program, environment, folder.empty() ? "" : folder + "/libxylem.so");
  }
  read_others(facts, options.sysroot);
  const std::vector<Finding> findings = find_all(facts);
  options.json ? print_json(facts, findings) : print_text(facts, findings);
  const bool is_rank = read_rank_variables(environment).has_value();
  return something_hurts(findings) && !is_rank ? kSomethingHurts : kSuccess;
}

}  // namespace

Command make_doctor(CLI::App& parent) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* app = parent.add_subcommand("doctor", "Say what will hurt, and what to do about it");
  app->add_flag("--json", options->json, "Print facts and findings as JSON");
  app->add_option("--sysroot", options->sysroot, "Read /proc and /sys below DIR")->group("");
  set_usage(*app, "xylem doctor [options] [-- program]");
  app->footer(kExamples);
  return {app,
          [options](const std::vector<std::string>& words) { return examine(*options, words); }};
}

}  // namespace xylem::tool
