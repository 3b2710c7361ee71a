// libxylem-scotch.so: static mapping by SCOTCH (Debian's libscotch-7.0), and nothing else.
#include "tool/mpi/scotch_plugin.hpp"

#include <scotch.h>

#include <cstdarg>
#include <cstdio>
#include <vector>

namespace {

const XylemScotchJob* at_work = nullptr;  // whose trouble SCOTCH's messages are

void tell(const char* format, va_list arguments) {
  if (at_work != nullptr)
    std::vsnprintf(at_work->trouble, at_work->trouble_size, format, arguments);
}

std::vector<SCOTCH_Num> copied(const int* from, int count) { return {from, from + count}; }

// SCOTCH's objects end with the scope.
struct Objects {
  SCOTCH_Arch arch;
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;

  Objects() {
    SCOTCH_archInit(&arch);
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
  }
  ~Objects() {
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    SCOTCH_archExit(&arch);
  }
};

int map(const XylemScotchJob& job) {
  const std::vector<SCOTCH_Num> arities = copied(job.arities, job.levels);
  const std::vector<SCOTCH_Num> costs = copied(job.costs, job.levels);
  const std::vector<SCOTCH_Num> begin = copied(job.begin, job.ranks + 1);
  const std::vector<SCOTCH_Num> partner = copied(job.partner, job.begin[job.ranks]);
  const std::vector<SCOTCH_Num> weight = copied(job.weight, job.begin[job.ranks]);
  std::vector<SCOTCH_Num> place(static_cast<std::size_t>(job.ranks));
  Objects all;
  SCOTCH_randomReset();  // the same answer each time
  if (SCOTCH_archTleaf(&all.arch, job.levels, arities.data(), costs.data()) != 0) return -1;
  if (SCOTCH_graphBuild(&all.graph, 0, job.ranks, begin.data(), begin.data() + 1, nullptr, nullptr,
                        begin[static_cast<std::size_t>(job.ranks)], partner.data(),
                        weight.data()) != 0)
    return -1;
  if (SCOTCH_graphMap(&all.graph, &all.arch, &all.strategy, place.data()) != 0) return -1;
  for (std::size_t rank = 0; rank < place.size(); ++rank)
    job.place[rank] = static_cast<int>(place[rank]);
  return 0;
}

}  // namespace

extern "C" {

// What SCOTCH calls instead of those of its own library of messages.
[[gnu::visibility("default")]] void SCOTCH_errorProg(const char*) {}

[[gnu::visibility("default")]] void SCOTCH_errorPrint(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tell(format, arguments);
  va_end(arguments);
}

[[gnu::visibility("default")]] void SCOTCH_errorPrintW(const char*, ...) {}

[[gnu::visibility("default")]] int xylem_scotch_map(const XylemScotchJob* job) {
  at_work = job;
  std::snprintf(job->trouble, job->trouble_size, "SCOTCH gave no reason");
  const int done = map(*job);
  at_work = nullptr;
  return done;
}
}
