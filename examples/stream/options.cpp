// Owns: reading the command line. See options.hpp.
#include "options.hpp"

#include "common/command_line.hpp"

namespace stream {

using common::whole;

int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run) {
  Options o;
  common::CommandLine line(
      "stream",
      "STREAM, Nested-STREAM and Twisted-STREAM, with the nodes that pages and threads are on");
  constexpr int most = 1 << 20;
  line.add_option("--kind", o.kind,
                  "stream: one team of all processors; nested: a team of teams; twisted: the same, "
                  "and in a second phase each team works on other vectors than it touched first")
      ->check(CLI::IsMember({"stream", "nested", "twisted"}));
  line.add_option("--data", o.data, "of twisted: all three vectors are others', or two are")
      ->check(CLI::IsMember({"remote", "mixed"}));
  line.add_option("--kernel", o.kernel, "what is computed: c = a, 3 b, a + b, or a + 3 b")
      ->check(CLI::IsMember({"copy", "scale", "add", "triad"}));
  line.add_option(
          "--remedy", o.remedy,
          "when the last phase begins: nothing (first-touch), next-touch, move-pages, of these "
          "the vector a alone (move-read) or c alone (move-written), hints "
          "(what may move then, XYLEM_HINTS=threads, pages, mixed or cheapest says), or "
          "attach: each team owns its vectors, and nothing else is told")
      ->check(CLI::IsMember({"first-touch", "next-touch", "move-pages", "move-read", "move-written",
                             "hints", "attach"}));
  line.add_flag("--tell-first", o.tell_first,
                "tell from the beginning which vectors each team uses");
  line.add_flag("--next-region", o.next_region,
                "tell hints before a region of the second phase, not inside the only one");
  line.add_option("--iterations", o.iterations,
                  "of the last phase; several are regions of their own, and told of once")
      ->transform(whole(1, most));
  line.add_option("--teams", o.teams)->transform(whole(1, most))->default_str("one a node");
  line.add_option("--threads", o.threads, "of each team")
      ->transform(whole(1, most))
      ->default_str("its share of the processors");
  line.add_option("--pages", o.pages, "of each vector of a team")->transform(whole(1, most));
  line.add_option("--passes", o.passes, "through the vectors in each phase")
      ->transform(whole(1, most));
  const std::string or_1 = "exit code 1 unless ";
  for (int phase : {0, 1})
    line.add_option("--want-local-" + std::to_string(phase + 1), o.want_local[phase],
                    or_1 + "so many percent of the accesses in this phase are local")
        ->transform(whole(0, 100))
        ->default_str("");
  line.add_option("--want-local-later", o.want_local_later,
                  or_1 + "so many are in each iteration of the last phase but the first")
      ->transform(whole(0, 100))
      ->default_str("");
  line.add_option("--want-moved", o.want_moved,
                  or_1 + "so many pages change their node between the phases")
      ->transform(whole(0, 1 << 30))
      ->default_str("");
  line.add_flag("--quiet", o.quiet, "no table");
  return line.run(
      argc, argv, [&] { return run(o); }, 2);
}

}  // namespace stream
