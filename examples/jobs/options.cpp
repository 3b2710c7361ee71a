// The command line as one table of options, each with the number of values it takes.
#include "options.hpp"

#include <cmath>
#include <stdexcept>

namespace jobs {

const char* const usage =
    R"(jobs: a server of sparse LU factorisations, each by an OpenMP team of its own

usage: jobs [options]

  --jobs N       jobs (8)
  --team N       threads of each job's team, 1 to 64 (4)
  --rate R       jobs arrive at random, R in a second on average (all at once)
  --nested       one outer team whose threads take the jobs and open inner teams,
                 instead of one program thread a job
  --lanes N      threads of that outer team (one a job)
  --matrix FILE  the matrix, in Matrix Market form, instead of a grid's
  --size N       points along a side of the grid (20)
  --dim 2|3      dimensions of the grid (3)
  --block N      most rows of a block of the factors, 1 to 256 (32)
  --seed N       of arrivals and matrices (1)
  --json         print one line of JSON instead of a table
  --help
)";

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

double number(const std::string& option, const std::string& text, double low, double high) {
  std::size_t used = 0;
  double value = NAN;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(value >= low && value <= high)) {
    fail(option + ": '" + text + "' is not a number that makes sense here");
  }
  return value;
}

int whole(const std::string& option, const std::string& text, int low, int high) {
  const double value = number(option, text, low, high);
  if (value != std::floor(value)) fail(option + ": '" + text + "' is not a whole number");
  return static_cast<int>(value);
}

// Options without a value; true if `name` is one.
bool set_switch(Options& o, const std::string& name) {
  if (name == "--nested")
    o.server.nested = true;
  else if (name == "--json")
    o.json = true;
  else if (name == "--help" || name == "-h")
    o.help = true;
  else
    return false;
  return true;
}

void set_value(Options& o, const std::string& name, const std::string& value) {
  if (name == "--jobs")
    o.server.jobs = whole(name, value, 1, 1000);
  else if (name == "--team")
    o.server.team = whole(name, value, 1, 64);
  else if (name == "--rate")
    o.server.rate = number(name, value, 1e-3, 1e6);
  else if (name == "--lanes")
    o.server.lanes = whole(name, value, 1, 1000);
  else if (name == "--seed")
    o.server.seed = whole(name, value, 0, 1000000000);
  else if (name == "--matrix")
    o.matrix = value;
  else if (name == "--size")
    o.size = whole(name, value, 1, 1000);
  else if (name == "--dim")
    o.dimensions = whole(name, value, 2, 3);
  else if (name == "--block")
    o.block = whole(name, value, 1, 256);
  else
    fail("no such option: " + name + " (try --help)");
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (set_switch(options, name)) continue;
    set_value(options, name, i + 1 < arguments.size() ? arguments[i + 1] : "");
    if (++i >= arguments.size()) fail(name + " needs a value");
  }
  if (options.dimensions == 3 && options.size > 100) fail("--size: at most 100 in 3 dimensions");
  return options;
}

}  // namespace jobs
