/* A policy that says that it fills the machine, and leaves all to the first PU. The laws
 * (tests/policy/outside_test.py) find it; a program with it runs. */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int level = view->scope;
  while (view->levels[level].child_count > 0) level = view->levels[level].first_child;
  for (int i = 0; i < view->entity_count; ++i) {
    const xylem_policy_entity* entity = &view->entities[i];
    int fits = level;
    while (fits > entity->allowed) fits = view->levels[fits].parent;
    fits = fits == entity->allowed ? level : entity->allowed;
    if (entity->is_bubble)
      xylem_burst(plan, i, view->scope);
    else
      xylem_move_members(plan, i, 0, entity->count, fits);
  }
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "idles",
    .help = "leaves all to the first PU",
    .place = place,
    .fills_machine = 1,
};
