/* A policy that holds everything back. tests/policy/outside_test.py runs a program with it. */
#include <xylem/policy.h>

static void tick(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan) {
  (void)random;
  xylem_hold(plan, bubble, view->entities[bubble].count);
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int top = 0; top < view->top_count; ++top) xylem_hold(plan, top, view->entities[top].count);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "holds-all",
    .help = "holds everything back",
    .place = place,
    .tick = tick,
};
