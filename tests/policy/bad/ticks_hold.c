/* A policy that holds everything back at the end of a time slice. tests/policy/outside_test.py runs
 * a program with it. */
#include <xylem/policy.h>

static void tick(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan) {
  (void)bubble;
  (void)random;
  for (int top = 0; top < view->top_count; ++top) xylem_hold(plan, top, view->entities[top].count);
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int top = 0; top < view->top_count; ++top)
    xylem_move_members(plan, top, 0, view->entities[top].count, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "ticks-hold",
    .help = "holds everything back at the end of a time slice",
    .place = place,
    .tick = tick,
    .sees_all = 1,
};
