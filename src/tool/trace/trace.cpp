// `xylem trace`: reads what `xylem run --trace` wrote.
//
// Invariant: a file is written whole or the command says what failed; what is wrong with the trace
// gives one line on stderr.
#include <cerrno>
#include <cstring>
#include <memory>

#include "os/mapped_file.hpp"
#include "tool/command/common.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/trace/trace_export.hpp"

namespace xylem::tool {

namespace {

struct TraceOptions {
  bool summary = false;
  bool events = false;
  std::string chrome, paje, film_data, film;
  bool writes() const {
    return !(chrome.empty() && paje.empty() && film_data.empty() && film.empty());
  }
};

constexpr const char* kExamples = R"(Examples:
  xylem run --trace out.xtr -- ./app
  xylem trace out.xtr                         times by state, steals, migrations
  xylem trace out.xtr --film out.html         watch the bubbles move: open it in a browser
  xylem trace out.xtr --chrome out.json       for chrome://tracing and ui.perfetto.dev
  xylem trace out.xtr --paje out.paje         for ViTE and pj_dump)";

// Writes one file, "-" being the standard output; false if that failed, which is reported.
bool write_file(const std::string& path, const Trace& trace,
                void (*write)(const Trace&, std::FILE*)) {
  if (path.empty()) return true;
  const bool to_terminal = path == "-";
  std::FILE* out = to_terminal ? stdout : std::fopen(path.c_str(), "w");
  if (out == nullptr) {
    say("cannot write '{}': {}", path, strerror(errno));
    return false;
  }
  write(trace, out);
  bool good = std::ferror(out) == 0;
  good = (to_terminal ? std::fflush(out) : std::fclose(out)) == 0 && good;
  if (!good) say("cannot write all of '{}'", path);
  return good;
}

int show(const TraceOptions& options, std::vector<std::string> words) {
  if (options.events) {
    fmt::print("{}", event_table_text());
    return kSuccess;
  }
  if (words.empty()) return complain(kBadUse, "show which trace? Write `xylem trace FILE`");
  if (words.size() > 1) return complain(kBadUse, "trace takes no argument '{}'", words[1]);
  const os::MappedFile file(words[0].c_str());
  if (file.error() != 0)
    return complain(kBadUse, "cannot read '{}': {}", words[0], strerror(-file.error()));
  std::string why;
  const std::optional<Trace> trace = read_trace(file.bytes(), why);
  if (!trace) return complain(kBadUse, "'{}' cannot be shown: {}", words[0], why);
  if (!trace->damage.empty()) say("'{}' is damaged: {}", words[0], trace->damage);
  bool good = write_file(options.chrome, *trace, write_chrome);
  good = write_file(options.paje, *trace, write_paje) && good;
  good = write_file(options.film_data, *trace, write_film_data) && good;
  good = write_file(options.film, *trace, write_film) && good;
  if (options.summary || !options.writes()) fmt::print("{}", summary_text(*trace));
  return good ? kSuccess : kSomethingHurts;
}

}  // namespace

Command make_trace(CLI::App& parent) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* app = parent.add_subcommand("trace", "Show what a traced program did");
  app->add_flag("--summary", options->summary, "Print the summary also when files are written");
  app->add_option("--film", options->film, "Write the film, one HTML page")->type_name("FILE");
  app->add_option("--chrome", options->chrome, "Write JSON for Chrome and Perfetto")
      ->type_name("FILE");
  app->add_option("--paje", options->paje, "Write the Paje format")->type_name("FILE");
  app->add_option("--film-data", options->film_data, "Write what the film draws, as JSON")
      ->type_name("FILE");
  app->add_flag("--events", options->events, "Print the table of events");
  app->allow_extras();  // options may follow the file
  set_usage(*app, "xylem trace FILE [options]");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) { return show(*options, words); }};
}

}  // namespace xylem::tool
