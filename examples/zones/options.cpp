// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include <map>

#include "common/command_line.hpp"

namespace zones {

int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run) {
  Options o;
  common::CommandLine line(
      "zones",
      "diffusion and wind on 16 zones of very unequal sizes, by ADI on nested OpenMP teams");
  const auto set_class = [&o](const std::string& word) {
    const ProblemClass* const found = word.size() == 1 ? find_class(word[0]) : nullptr;
    if (found == nullptr)
      throw CLI::ValidationError("--class", "'" + word + "' is none of S, W, A, B");
    o.problem = *found;
  };
  set_class("W");
  line.add_option_function<std::string>(
          "--class", set_class,
          "size: 32 x 32 x 8 points, 64 x 64 x 16, 128 x 128 x 32, 256 x 256 x 64")
      ->type_name("S|W|A|B")
      ->default_str("W");
  // Behind --class in this table: CLI11 sets the values in the table's order.
  line.add_option("--steps", o.problem.steps, "time steps to the same end time")
      ->transform(common::whole(1, 1000000))
      ->default_str("20, 40, 80, 160 by class");
  line.add_option("--outer", o.teams.outer, "threads of the outer team, which share the zones")
      ->transform(common::whole(1, Mesh::across * Mesh::across));
  line.add_option("--inner", o.teams.inner,
                  "threads of the team that each opens for a zone's grid lines")
      ->transform(common::whole(1, 256));
  const std::map<std::string, Told> told = {
      {"points", Told::points}, {"alike", Told::alike}, {"nothing", Told::nothing}};
  line.add_option("--tell", o.teams.told,
                  "what Xylem is told of the outer threads' loads: how many points each has, that "
                  "all are alike, or nothing")
      ->transform(CLI::CheckedTransformer(told))
      ->default_str("points");
  line.add_flag("--places", o.teams.count_places,
                "count where work is done: how even that is, and which accesses are local");
  line.add_flag("--verify", o.verify, "solve it without OpenMP too and compare, bit for bit");
  line.add_flag("--json", o.json, "print one line of JSON instead");
  return line.run(argc, argv, [&] { return run(o); });
}

}  // namespace zones
