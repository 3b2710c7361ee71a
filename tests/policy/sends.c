/* Policy `sends`, for tests: all threads but the first are put at PU 1, and nobody steals. PU 2
 * gets two of them when it idles; when it wakes, what waits there goes to its node, where PU 3
 * takes it. */
#include <xylem/policy.h>

static int level_of_pu(const xylem_view* view, int pu) {
  int level = 0;
  while (view->levels[level].child_count > 0 || view->levels[level].first_pu != pu) ++level;
  return level;
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int i = 0; i < view->entity_count; ++i) {
    const xylem_policy_entity* entity = &view->entities[i];
    if (entity->is_bubble)
      xylem_burst(plan, i, 0);
    else
      xylem_move_members(plan, i, 0, entity->count,
                         entity->allowed > 0 ? entity->allowed : level_of_pu(view, 1));
  }
}

static void idle(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan) {
  (void)random;
  const xylem_policy_entity* bubble = &view->entities[0];
  if (pu != 2 || !bubble->is_bubble || bubble->level != level_of_pu(view, 1)) return;
  int all = bubble->threads, sent = all < 2 ? all : 2;
  xylem_burst(plan, 0, bubble->level);
  xylem_move_members(plan, bubble->first_child, 0, sent, level_of_pu(view, 2));
  if (sent < all) xylem_move_members(plan, bubble->first_child, sent, all - sent, bubble->level);
}

/* Of PU 2 alone: PU 1, too, may have idled for long before its members come. */
static void wake(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan) {
  (void)random;
  if (pu != 2) return;
  int level = level_of_pu(view, pu);
  for (int top = 0; top < view->top_count; ++top)
    if (view->entities[top].level == level) xylem_move(plan, top, view->levels[level].parent);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "sends",
    .help = "all at PU 1, and from there as hooks say",
    .place = place,
    .steal = {.order = XYLEM_STEAL_NONE},
    .repeats = 1,
    .idle = idle,
    .wake = wake,
};
