// Policy `random`: every bubble opens and each fiber goes to a PU drawn by lot. The papers'
// baseline for what affinity brings (paper 002, section 2.6.3: stealing from a random queue).
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

void scatter(const plan::View& view, int index, plan::Random& random, plan::Plan& plan) {
  const plan::Entity& entity = view.entity(index);
  bool narrower = !plan::lies_below(view.levels, view.scope, entity.allowed);
  int level = narrower ? entity.allowed : view.scope;
  if (entity.kind == plan::EntityKind::bubble) {
    plan.burst(index, level);
    for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i)
      scatter(view, i, random, plan);
    return;
  }
  const topo::Level& below = view.level(level);
  for (int member = 0; member < entity.count; ++member) {
    int pu = below.first_pu + random.below(below.pu_count);
    plan.move_members(index, member, 1, plan::level_of_pu(view.levels, pu));
  }
}

void place(const plan::View& view, plan::Random& random, plan::Plan& plan) {
  for (int top = 0; top < view.top_count; ++top) scatter(view, top, random, plan);
}

}  // namespace

constinit const Policy random = {.name = "random",
                                 .help = "each thread on a processor drawn by lot (a baseline)",
                                 .place = place,
                                 .tick = nullptr,
                                 .steal = {.order = plan::VictimOrder::random},
                                 .fills_machine = false,
                                 .repeats = false};

}  // namespace xylem::policy
