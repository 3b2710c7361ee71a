// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include "common/command_line.hpp"

namespace mpu {

using common::whole;

int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run) {
  Options o;
  common::CommandLine line("mpu",
                           "surface reconstruction by multi-level partition of unity implicits");
  const auto recursion = [&](const char* name, Recursion value, const char* what) {
    line.add_flag_callback(
            name, [&o, value] { o.recursion = value; }, what)
        ->trigger_on_parse();
  };
  line.add_option("FILE", o.inputs, ".off, ascii .ply, .xyz or .pwn with normals")->default_str("");
  line.add_option("--shape", o.shape, "torus: its points instead of files");
  line.add_option("--eps", o.eps, "largest error of a local fit, as a share of the box's diagonal")
      ->transform(common::number(0, 1));
  line.add_option("--depth", o.depth, "largest depth of the octree")->transform(whole(0, 20));
  line.add_option("--threads-per-node", o.threads_per_node,
                  "threads of the team that each inner node opens")
      ->transform(whole(1, 8));
  recursion("--serial", Recursion::serial, "build the octree without OpenMP");
  recursion("--tasks", Recursion::tasks, "build it by explicit tasks instead of nested teams");
  line.add_option("--resolution", o.resolution,
                  "grid cells along the longest side when polygonising")
      ->transform(whole(8, 600));
  line.add_option("--mesh", o.mesh, "write the surface: .off, or .ply with normals");
  line.add_option("--picture", o.picture, "write a shaded picture as PNG");
  line.add_option("--picture-size", o.picture_size, "its side in pixels")
      ->transform(whole(16, 4000));
  line.add_flag("--stats", o.stats, "print one line of JSON: times, nodes, threads made, checksum");
  line.add_flag("--checksum", o.checksum, "print the mesh's checksum");
  line.callback([&o] {
    if (o.inputs.empty() == o.shape.empty())
      throw CLI::ParseError("give input files, or --shape torus (try --help)", 1);
    if (!o.shape.empty() && o.shape != "torus")
      throw CLI::ValidationError("--shape", "only torus is known");
  });
  return line.run(argc, argv, [&] { return run(o); });
}

}  // namespace mpu
