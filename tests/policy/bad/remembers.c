/* A policy that is no function: it puts what it is given somewhere else each time. The laws
 * (tests/policy/outside_test.py) find it; a program with it runs. */
#include <xylem/policy.h>

static int calls = 0;

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int level = calls++ % 2 == 0 ? view->scope : view->level_count - 1;
  for (int top = 0; top < view->top_count; ++top)
    xylem_move_members(plan, top, 0, view->entities[top].count, level);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "remembers",
    .help = "is no function",
    .place = place,
};
