// Owns: reading the command line. See options.hpp.
#include "options.hpp"

#include <algorithm>
#include <initializer_list>

#include "common/command_line.hpp"

namespace stream {

const char* const help_text =
    R"(stream: STREAM, Nested-STREAM and Twisted-STREAM, with the nodes that pages and threads are on

usage: stream [OPTIONS]
  --kind KIND       stream: one team of all processors; nested: a team of teams; twisted
                    (default): the same, and in a second phase each team works on other vectors
                    than it touched first
  --data DATA       of twisted: remote (default): all three vectors are others'; mixed: two are
  --remedy REMEDY   between the phases: first-touch (default: nothing), next-touch, move-pages, or
                    hints: what may move then, XYLEM_HINTS=threads, pages, mixed or cheapest says
  --tell-first      tell from the beginning which vectors each team uses
  --next-region     tell hints before a region of the second phase, not inside the only one
  --teams N         default: one a node
  --threads N       of each team; default: its share of the processors
  --pages N         of each vector of a team; default 64
  --passes N        through the vectors in each phase; default 3
  --want-local-1 P, --want-local-2 P, --want-moved N
                    exit code 1 unless P % of the accesses in phase 1, 2 are local, and N pages
                    change their node between the phases
  --quiet           no table
)";

namespace {

void must_be_one_of(const char* option, const std::string& word,
                    std::initializer_list<const char*> words) {
  if (std::ranges::any_of(words, [&](const char* known) { return word == known; })) return;
  std::string all;
  for (const char* known : words) all += std::string(all.empty() ? "" : ", ") + known;
  throw common::BadCommandLine(std::string(option) + " takes one of " + all + ", not '" + word +
                               "'");
}

}  // namespace

Options options_of(const std::vector<std::string>& words) {
  Options options;
  constexpr int most = 1 << 20;
  const std::vector<common::Option> table = {
      common::text("--kind", options.kind),
      common::text("--data", options.data),
      common::text("--remedy", options.remedy),
      common::flag("--tell-first", options.tell_first),
      common::flag("--next-region", options.next_region),
      common::whole("--teams", options.teams, 1, most),
      common::whole("--threads", options.threads, 1, most),
      common::whole("--pages", options.pages, 1, most),
      common::whole("--passes", options.passes, 1, most),
      common::whole("--want-local-1", options.want_local[0], 0, 100),
      common::whole("--want-local-2", options.want_local[1], 0, 100),
      common::whole("--want-moved", options.want_moved, 0, 1 << 30),
      common::flag("--quiet", options.quiet),
      common::flag("--help", options.help),
  };
  common::read_command_line(words, table);
  must_be_one_of("--kind", options.kind, {"stream", "nested", "twisted"});
  must_be_one_of("--data", options.data, {"remote", "mixed"});
  must_be_one_of("--remedy", options.remedy, {"first-touch", "next-touch", "move-pages", "hints"});
  return options;
}

}  // namespace stream
