/* A policy that never returns from tick(). tests/policy/outside_test.py runs a program with it. */
#include <xylem/policy.h>

static volatile int ends = 0;

static void tick(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan) {
  (void)view;
  (void)bubble;
  (void)random;
  (void)plan;
  while (!ends) continue;
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int top = 0; top < view->top_count; ++top)
    xylem_move_members(plan, top, 0, view->entities[top].count, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "ticks-loop",
    .help = "never returns from tick()",
    .place = place,
    .tick = tick,
    .sees_all = 1,
};
