// Owns: the table of what is done around fork(): the lines of all layers, by rank. See
// base/fork_table.hpp.
#include <algorithm>
#include <array>

#include "hetero/fork_lines.hpp"
#include "mem/fork_lines.hpp"
#include "omp/team/memory_owners.hpp"
#include "omp/team/runtime.hpp"
#include "os/thread.hpp"
#include "trace/fork_lines.hpp"

namespace xylem::omp {

namespace {

void trace_fork(bool in_child) {
  if (!in_child) trace::emit<sched::traced::forked>();
}

constexpr base::ForkLine fork_lines[] = {
    {{0, "the record of fork() in the trace"}, nullptr, trace_fork},
    {start_rank, lock_start, unlock_start},
    {owners_rank, lock_owners, unlock_owners},
};

constexpr int rank_of(const base::ForkLine& line) { return line.rank.rank; }

template <std::size_t... sizes>
constexpr auto by_rank(const base::ForkLine (&... layers)[sizes]) {
  std::array<base::ForkLine, (sizes + ...)> lines{};
  auto end = lines.begin();
  ((end = std::copy(layers, layers + sizes, end)), ...);
  std::sort(lines.begin(), lines.end(),
            [](const auto& one, const auto& other) { return rank_of(one) < rank_of(other); });
  return lines;
}

constexpr auto table =
    by_rank(trace::fork_lines, mem::fork_lines, sched::fork_lines, hetero::fork_lines, fork_lines);

constexpr bool ranks_differ() {
  return std::adjacent_find(table.begin(), table.end(), [](const auto& one, const auto& next) {
           return rank_of(one) == rank_of(next);
         }) == table.end();
}
static_assert(ranks_differ(), "two lines of the fork table have one rank");

}  // namespace

void stand_fork() {
  constexpr auto take = [] { base::prepare_fork(table); };
  sched::know_fork_locks({take, [] { base::give_up_fork(table); }});
  os::at_fork(
      take, [] { base::release_after_fork(table, false); },
      [] { base::release_after_fork(table, true); });
}

}  // namespace xylem::omp
