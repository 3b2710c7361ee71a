// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include "common/command_line.hpp"

namespace zones {

const char* const usage =
    R"(zones: diffusion and wind on 16 zones of very unequal sizes, by ADI on nested OpenMP teams

usage: zones [options]

  --class S|W|A|B   size: 32 x 32 x 8 points, 64 x 64 x 16, 128 x 128 x 32, 256 x 256 x 64 (W)
  --steps N         time steps to the same end time (20, 40, 80, 160 by class)
  --outer N         threads of the outer team, which share the zones, 1 to 16 (16)
  --inner N         threads of the team that each opens for a zone's grid lines, 1 to 256 (4)
  --no-load         do not tell the runtime how many points each thread has
  --verify          solve it without OpenMP too and compare, bit for bit
  --json            print one line of JSON instead
  --help
)";

namespace {

common::Option problem_class(ProblemClass& target) {
  return {"--class", true, [&target](const std::string& value) {
            const ProblemClass* const found = value.size() == 1 ? find_class(value[0]) : nullptr;
            if (found == nullptr)
              throw common::BadCommandLine("--class: '" + value + "' is none of S, W, A, B");
            target = *found;
          }};
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options o;
  o.problem = *find_class('W');
  int steps = 0;  // the class's own number
  common::read_command_line(
      arguments,
      {problem_class(o.problem), common::whole("--steps", steps, 1, 1000000),
       common::whole("--outer", o.teams.outer, 1, Mesh::across * Mesh::across),
       common::whole("--inner", o.teams.inner, 1, 256),
       common::flag("--no-load", o.teams.tell_loads, false), common::flag("--verify", o.verify),
       common::flag("--json", o.json), common::flag("--help", o.help), common::flag("-h", o.help)});
  if (steps > 0) o.problem.steps = steps;
  return o;
}

}  // namespace zones
