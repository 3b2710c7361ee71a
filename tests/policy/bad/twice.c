/* A policy that moves an entity twice. tests/policy/outside_test.py runs a program with it. */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  xylem_move(plan, 0, view->scope);
  xylem_move(plan, 0, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "twice",
    .help = "moves an entity twice",
    .place = place,
};
