#include "report.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace zones {
namespace {

// The file of the OpenMP runtime that serves this process.
const char* runtime_file() {
  Dl_info info{};
  void* const routine = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
  return routine != nullptr && dladdr(routine, &info) != 0 ? info.dli_fname : "";
}

double speedup(const Result& result) { return result.serial_seconds / result.times.seconds; }

double milliseconds_a_step(const Options& options, double seconds) {
  return 1000 * seconds / options.problem.steps;
}

}  // namespace

void print_text(const Options& options, const Result& result) {
  const Times& times = result.times;
  std::printf("class %c: 16 zones of %ld to %ld points, %d steps\n", options.problem.name,
              result.smallest_zone, result.largest_zone, options.problem.steps);
  std::printf("teams: %d outer threads, inner teams of %d, on %s\n", times.outer_made,
              times.inner_made, runtime_file());
  std::printf("time per step: %.3f ms\n", milliseconds_a_step(options, times.seconds));
  std::printf("load imbalance (largest share / mean): %.2f by points, %.2f by time\n",
              imbalance(result.shares), imbalance(times.busy));
  if (times.locality)
    std::printf(
        "load imbalance of processors: %.2f, of Xylem's PUs: %.2f; local accesses: %.1f%%\n",
        times.locality->imbalance_processors, times.locality->imbalance_pus,
        times.locality->percent_local);
  std::printf("error: %.3e at most, %.3e rms; %.2f%% of the solution's change\n",
              result.error.largest, result.error.rms, 100 * result.error.of_change);
  if (result.serial_seconds == 0) return;
  std::printf("serial: %.3f ms per step, speed-up %.2f\n",
              milliseconds_a_step(options, result.serial_seconds), speedup(result));
  std::printf(result.same_bits ? "verified: the same bits as the serial result\n"
                               : "WRONG: not the bits of the serial result\n");
}

void print_json(const Options& options, const Result& result) {
  const Times& times = result.times;
  std::printf("{\"class\": \"%c\", \"steps\": %d, ", options.problem.name, options.problem.steps);
  std::printf("\"outer\": %d, \"inner\": %d, \"outer_made\": %d, \"inner_made\": %d, ",
              options.teams.outer, options.teams.inner, times.outer_made, times.inner_made);
  constexpr const char* told[] = {"points", "alike", "nothing"};
  std::printf("\"told\": \"%s\", ", told[static_cast<int>(options.teams.told)]);
  std::printf("\"smallest_zone\": %ld, \"largest_zone\": %ld, ", result.smallest_zone,
              result.largest_zone);
  std::printf("\"seconds\": %.6f, \"milliseconds_per_step\": %.4f, ", times.seconds,
              milliseconds_a_step(options, times.seconds));
  std::printf("\"imbalance_points\": %.4f, \"imbalance_time\": %.4f, ", imbalance(result.shares),
              imbalance(times.busy));
  if (times.locality)
    std::printf(
        "\"imbalance_processors\": %.4f, \"imbalance_pus\": %.4f, \"percent_local\": %.1f, ",
        times.locality->imbalance_processors, times.locality->imbalance_pus,
        times.locality->percent_local);
  std::printf("\"error_largest\": %.6e, \"error_rms\": %.6e, \"error_of_change\": %.6f, ",
              result.error.largest, result.error.rms, result.error.of_change);
  if (result.serial_seconds > 0)
    std::printf("\"serial_seconds\": %.6f, \"speedup\": %.4f, \"verified\": %s, ",
                result.serial_seconds, speedup(result), result.same_bits ? "true" : "false");
  std::printf("\"runtime\": \"%s\"}\n", runtime_file());
}

}  // namespace zones
