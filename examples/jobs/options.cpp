// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include "common/command_line.hpp"

namespace jobs {

using common::whole;

int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run) {
  Options o;
  common::CommandLine line(
      "jobs", "a server of sparse LU factorisations, each by an OpenMP team of its own");
  ServerOptions& server = o.server;
  line.add_option("--jobs", server.jobs, "jobs")->transform(whole(1, 1000));
  line.add_option("--team", server.team, "threads of each job's team")->transform(whole(1, 64));
  line.add_option("--rate", server.rate, "jobs arrive at random, so many in a second on average")
      ->transform(common::number(1e-3, 1e6))
      ->default_str("all at once");
  line.add_flag("--nested", server.nested,
                "one outer team whose threads take the jobs and open inner teams, instead of one "
                "program thread a job");
  line.add_option("--lanes", server.lanes, "threads of that outer team")
      ->transform(whole(1, 1000))
      ->default_str("one a job");
  line.add_option("--matrix", o.matrix, "the matrix, in Matrix Market form, instead of a grid's")
      ->type_name("FILE");
  line.add_option("--size", o.size, "points along a side of the grid")->transform(whole(1, 1000));
  line.add_option("--dim", o.dimensions, "dimensions of the grid")->transform(whole(2, 3));
  line.add_option("--block", o.block, "most rows of a block of the factors")
      ->transform(whole(1, 256));
  line.add_option("--seed", server.seed, "of arrivals and matrices")->transform(whole(0, 1e9));
  line.add_flag("--json", o.json, "print one line of JSON instead of a table");
  line.callback([&o] {
    if (o.dimensions == 3 && o.size > 100)
      throw CLI::ValidationError("--size", "at most 100 in 3 dimensions");
  });
  return line.run(argc, argv, [&] { return run(o); });
}

}  // namespace jobs
