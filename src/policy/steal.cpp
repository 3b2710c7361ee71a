// Policy `steal`: all starts at one place and thieves spread it (paper 002, section 2.3.2,
// work-stealing scheduling: "first settled on the list of processor 0").
#include "policy/lay.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

// Where the first top that has a past ran last, else the first PU of the scope.
int start_pu(const plan::View& view) {
  const topo::Level& scope = view.level(view.scope);
  for (int top = 0; top < view.top_count; ++top) {
    int pu = view.entity(top).last_pu;
    if (pu >= scope.first_pu && pu < scope.first_pu + scope.pu_count) return pu;
  }
  return scope.first_pu;
}

void place(const plan::View& view, plan::Random& /*random*/, plan::Plan& plan) {
  int level = plan::level_of_pu(view.levels, start_pu(view));
  for (int top = 0; top < view.top_count; ++top) lay(view, plan, whole(view, top), level);
}

}  // namespace

constinit const Policy steal = {.name = "steal",
                                .help = "start all where the maker runs and let thieves spread it",
                                .place = place,
                                .tick = nullptr,
                                .steal = {},
                                .fills_machine = false,
                                .repeats = true};

}  // namespace xylem::policy
