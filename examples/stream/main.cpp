// STREAM's vectors under teams of teams: which accesses are local, and what moves. An ordinary
// OpenMP program: what it tells Xylem it tells through weak functions.
#include <cstdio>
#include <stdexcept>

#include "options.hpp"
#include "run.hpp"

#define XYLEM_WEAK
#include <xylem/memory.h>

namespace stream {
namespace {

// True if it is what the user wants.
bool as_wanted(const char* what, long seen, long wanted) {
  if (wanted < 0 || seen == wanted) return true;
  std::printf("WRONG: %s: %ld, not %ld\n", what, seen, wanted);
  return false;
}

bool report(const Run& run, const Result& result) {
  bool good = result.numbers_are_right;
  if (!good) std::printf("WRONG: the vectors do not hold what they should\n");
  const double bytes = kernel_of(run.options).vectors() * static_cast<double>(run.bytes()) *
                       run.options.teams * run.options.passes;
  for (int phase = 0; phase < run.options.phases(); ++phase) {
    const Tally& tally = result.phases[static_cast<std::size_t>(phase)];
    const long local = tally.percent_local();
    if (!run.options.quiet)
      std::printf("phase %d: %3ld %% of the accesses are local, %.0f MB/s\n", phase + 1, local,
                  bytes / tally.seconds / 1e6);
    good &= as_wanted("percent of local accesses", local, run.options.want_local[phase]);
  }
  for (const Tally& tally : result.later) {
    if (!run.options.quiet)
      std::printf("   again: %3ld %% of the accesses are local, %.0f MB/s\n", tally.percent_local(),
                  bytes / tally.seconds / 1e6);
    good &= as_wanted("percent of local accesses in a later iteration", tally.percent_local(),
                      run.options.want_local_later);
  }
  if (!run.options.quiet && run.options.phases() == 2)
    std::printf("%zu pages changed their node\n", result.moved);
  return as_wanted("pages that changed their node", static_cast<long>(result.moved),
                   run.options.want_moved) &&
         good;
}

int run(const Options& options) {
  const bool tells = options.tell_first || options.remedy != "first-touch";
  if (tells && !xylem_hint_next)
    throw std::runtime_error(
        "without Xylem there is only --remedy first-touch: write `xylem run -- stream ...`");
  const Run prepared = prepare(options);
  return report(prepared, carry_out(prepared)) ? 0 : 1;
}

}  // namespace
}  // namespace stream

int main(int argc, char** argv) { return stream::run_by_options(argc, argv, stream::run); }
