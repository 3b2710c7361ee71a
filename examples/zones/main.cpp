// zones: the shape of NAS' BT-MZ, 16 unequal zones on two levels of teams. See README.md.
#include <omp.h>

#include <algorithm>

#include "options.hpp"
#include "report.hpp"

namespace zones {
namespace {

// 0: the result can be trusted.
int run(const Options& options) {
  if (omp_get_max_active_levels() < 2) omp_set_max_active_levels(2);
  const double dt = end_time / options.problem.steps;
  Mesh mesh(options.problem, dt);
  Result result;
  result.shares = deal(mesh, options.teams.outer);
  result.smallest_zone = result.largest_zone = mesh.zone(0).points();
  for (int i = 1; i < mesh.count(); ++i) {
    result.smallest_zone = std::min(result.smallest_zone, mesh.zone(i).points());
    result.largest_zone = std::max(result.largest_zone, mesh.zone(i).points());
  }
  result.times = run_nested(mesh, options.problem.steps, options.teams);
  result.error = mesh.error(end_time);
  if (options.verify) {
    Mesh serial(options.problem, dt);
    result.serial_seconds = run_serially(serial, options.problem.steps).seconds;
    result.same_bits = mesh.same_bits(serial);
  }
  options.json ? print_json(options, result) : print_text(options, result);
  return options.verify && !result.same_bits ? 1 : 0;
}

}  // namespace
}  // namespace zones

int main(int argc, char** argv) { return zones::run_by_options(argc, argv, zones::run); }
