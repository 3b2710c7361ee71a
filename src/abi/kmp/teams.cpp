// Owns: LLVM's entry points of the teams construct on the host. Decodes, calls omp/, returns.
#include <algorithm>
#include <utility>

#include "abi/kmp/microtask.hpp"
#include "base/export.hpp"
#include "omp/team/league.hpp"
#include "omp/tool/leagues.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::initial_thread_of;
using xylem::omp::LeagueClauses;
using xylem::omp::Member;

namespace {

unsigned clause(int32_t value) { return static_cast<unsigned>(std::max(value, 0)); }

// Without a clause, and without OMP_NUM_TEAMS, programs built by Clang see one team.
// Inlined in the entry point: a tool is told where it was called.
[[gnu::always_inline]] inline void run_league(Invocation invocation) {
  Member& member = current_member();
  LeagueClauses clauses = std::exchange(initial_thread_of(member).league, {});
  if (clauses.teams == 0) clauses.teams = clause(std::max(xylem::omp::num_teams_var(), 1));
  if (xylem::omp::tool::on()) [[unlikely]]
    return xylem::omp::tool::run_league(xylem::omp::tool::here(), member, run_told_microtask,
                                        &invocation, clauses.teams, clauses.thread_limit,
                                        xylem::omp::Door::llvm);
  xylem::omp::run_league(member, run_microtask, &invocation, clauses.teams, clauses.thread_limit,
                         xylem::omp::Door::llvm);
}

}  // namespace

extern "C" {

// The clauses of the next teams construct; 0: there is none.
XYLEM_EXPORT void __kmpc_push_num_teams(const Location*, ThreadNumber, int32_t teams,
                                        int32_t thread_limit) {
  initial_thread_of(current_member()).league = {clause(teams), clause(thread_limit)};
}

// num_teams(low:high): there are as many as may be.
XYLEM_EXPORT void __kmpc_push_num_teams_51(const Location*, ThreadNumber, int32_t low, int32_t high,
                                           int32_t thread_limit) {
  initial_thread_of(current_member()).league = {clause(std::max(low, high)), clause(thread_limit)};
}

XYLEM_EXPORT void __kmpc_set_thread_limit(const Location*, ThreadNumber, int32_t thread_limit) {
  xylem::omp::limit_threads(current_member(), clause(thread_limit));
}

// Called with so many words.
XYLEM_EXPORT void __kmpc_fork_teams(const Location*, int32_t count, Microtask microtask,
                                    void* first, void* second, void* third) {
  run_league({microtask, count, {first, second, third}, words_on_stack()});
}

}  // extern "C"
