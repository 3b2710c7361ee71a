// The command line as one table of options, each with the number of values it takes.
#include "options.hpp"

#include <cmath>
#include <stdexcept>

namespace mpu {

const char* const usage =
    R"(mpu: surface reconstruction by multi-level partition of unity implicits

usage: mpu [options] FILE...            FILE: .off, ascii .ply, .xyz or .pwn with normals
       mpu [options] --shape torus

  --eps E               largest error of a local fit, as a share of the box's diagonal (9e-5)
  --depth D             largest depth of the octree, 0 to 20 (10)
  --threads-per-node N  threads of the team that each inner node opens (4)
  --serial              build the octree without OpenMP
  --tasks               build it by explicit tasks instead of nested teams
  --resolution R        grid cells along the longest side when polygonising, 8 to 600 (200)
  --mesh FILE           write the surface: .off, or .ply with normals
  --picture FILE        write a shaded picture as PNG
  --picture-size N      its side in pixels (1000)
  --stats               print one line of JSON: times, nodes, threads made, checksum
  --checksum            print the mesh's checksum
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
  if (name == "--serial")
    o.recursion = Recursion::serial;
  else if (name == "--tasks")
    o.recursion = Recursion::tasks;
  else if (name == "--stats")
    o.stats = true;
  else if (name == "--checksum")
    o.checksum = true;
  else if (name == "--help" || name == "-h")
    o.help = true;
  else
    return false;
  return true;
}

void set_value(Options& o, const std::string& name, const std::string& value) {
  if (name == "--eps")
    o.eps = number(name, value, 0, 1);
  else if (name == "--depth")
    o.depth = whole(name, value, 0, 20);
  else if (name == "--threads-per-node")
    o.threads_per_node = whole(name, value, 1, 8);
  else if (name == "--resolution")
    o.resolution = whole(name, value, 8, 600);
  else if (name == "--picture-size")
    o.picture_size = whole(name, value, 16, 4000);
  else if (name == "--shape")
    o.shape = value;
  else if (name == "--mesh")
    o.mesh = value;
  else if (name == "--picture")
    o.picture = value;
  else
    fail("no such option: " + name + " (try --help)");
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (!name.starts_with("-")) {
      options.inputs.push_back(name);
    } else if (!set_switch(options, name)) {
      set_value(options, name, i + 1 < arguments.size() ? arguments[i + 1] : "");
      if (++i >= arguments.size()) fail(name + " needs a value");
    }
  }
  if (options.help) return options;
  if (options.inputs.empty() == options.shape.empty())
    fail("give input files, or --shape torus (try --help)");
  if (!options.shape.empty() && options.shape != "torus") fail("--shape: only torus is known");
  return options;
}

}  // namespace mpu
