// The table of options. What is not one of them, or has no fitting value, is refused.
#include "options.hpp"

#include "common/command_line.hpp"

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

Options parse_options(const std::vector<std::string>& arguments) {
  Options o;
  common::read_command_line(
      arguments,
      {common::whole("--jobs", o.server.jobs, 1, 1000),
       common::whole("--team", o.server.team, 1, 64),
       common::number("--rate", o.server.rate, 1e-3, 1e6),
       common::flag("--nested", o.server.nested), common::whole("--lanes", o.server.lanes, 1, 1000),
       common::text("--matrix", o.matrix), common::whole("--size", o.size, 1, 1000),
       common::whole("--dim", o.dimensions, 2, 3), common::whole("--block", o.block, 1, 256),
       common::whole("--seed", o.server.seed, 0, 1000000000), common::flag("--json", o.json),
       common::flag("--help", o.help), common::flag("-h", o.help)});
  if (o.dimensions == 3 && o.size > 100)
    throw common::BadCommandLine("--size: at most 100 in 3 dimensions");
  return o;
}

}  // namespace jobs
