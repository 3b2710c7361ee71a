/* Policy `shift`, for tests: member i goes to PU i + too_big_percent, round the machine, and nobody
 * steals; so a program that asks where its threads run can tell what the policy was shown. */
#include <xylem/policy.h>

static int level_of_pu(const xylem_view* view, int pu) {
  int level = 0;
  while (view->levels[level].child_count > 0 || view->levels[level].first_pu != pu) ++level;
  return level;
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int pus = view->levels[0].pu_count;
  for (int i = 0; i < view->entity_count; ++i) {
    const xylem_policy_entity* entity = &view->entities[i];
    if (entity->is_bubble) xylem_burst(plan, i, 0);
    for (int member = 0; !entity->is_bubble && member < entity->count; ++member)
      xylem_move_members(plan, i, member, 1,
                         level_of_pu(view, (member + view->too_big_percent) % pus));
  }
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "shift",
    .help = "each member a number of PUs further on",
    .place = place,
    .steal = {.order = XYLEM_STEAL_NONE},
    .repeats = 1,
};
