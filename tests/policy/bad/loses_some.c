/* A policy that throws members of a run away. tests/policy/outside_test.py runs a program with it.
 */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  xylem_burst(plan, 0, view->scope);
  xylem_move_members(plan, 1, 1, view->entities[1].count - 1, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "loses-some",
    .help = "throws members of a run away",
    .place = place,
};
