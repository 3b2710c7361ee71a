// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include "common/command_line.hpp"

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

common::Option recursion(const char* name, Options& o, Recursion value) {
  return {name, false, [&o, value](const std::string&) { o.recursion = value; }};
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options o;
  common::read_command_line(
      arguments,
      {common::number("--eps", o.eps, 0, 1), common::whole("--depth", o.depth, 0, 20),
       common::whole("--threads-per-node", o.threads_per_node, 1, 8),
       recursion("--serial", o, Recursion::serial), recursion("--tasks", o, Recursion::tasks),
       common::whole("--resolution", o.resolution, 8, 600), common::text("--shape", o.shape),
       common::text("--mesh", o.mesh), common::text("--picture", o.picture),
       common::whole("--picture-size", o.picture_size, 16, 4000), common::flag("--stats", o.stats),
       common::flag("--checksum", o.checksum), common::flag("--help", o.help),
       common::flag("-h", o.help)},
      &o.inputs);
  if (o.help) return o;
  if (o.inputs.empty() == o.shape.empty())
    throw common::BadCommandLine("give input files, or --shape torus (try --help)");
  if (!o.shape.empty() && o.shape != "torus")
    throw common::BadCommandLine("--shape: only torus is known");
  return o;
}

}  // namespace mpu
