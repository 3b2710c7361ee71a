// The command line as one table of options, each with the number of values it takes.
#include "options.hpp"

#include <charconv>
#include <stdexcept>

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

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

int whole(const std::string& option, const std::string& text, int low, int high) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    fail(option + ": '" + text + "' is not a whole number from " + std::to_string(low) + " to " +
         std::to_string(high));
  }
  return value;
}

// Options without a value; true if `name` is one.
bool set_switch(Options& o, const std::string& name) {
  if (name == "--no-load")
    o.teams.tell_loads = false;
  else if (name == "--verify")
    o.verify = true;
  else if (name == "--json")
    o.json = true;
  else if (name == "--help" || name == "-h")
    o.help = true;
  else
    return false;
  return true;
}

// 0 steps stand for the class's own number until all options are read.
void set_value(Options& o, int& steps, const std::string& name, const std::string& value) {
  if (name == "--class") {
    const ProblemClass* const found = value.size() == 1 ? find_class(value[0]) : nullptr;
    if (found == nullptr) fail("--class: '" + value + "' is none of S, W, A, B");
    o.problem = *found;
  } else if (name == "--steps") {
    steps = whole(name, value, 1, 1000000);
  } else if (name == "--outer") {
    o.teams.outer = whole(name, value, 1, Mesh::across * Mesh::across);
  } else if (name == "--inner") {
    o.teams.inner = whole(name, value, 1, 256);
  } else {
    fail("no such option: " + name + " (try --help)");
  }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.problem = *find_class('W');
  int steps = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (set_switch(options, name)) continue;
    set_value(options, steps, name, i + 1 < arguments.size() ? arguments[i + 1] : "");
    if (++i >= arguments.size()) fail(name + " needs a value");
  }
  if (steps > 0) options.problem.steps = steps;
  return options;
}

}  // namespace zones
