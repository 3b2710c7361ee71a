/* A policy that bursts a run. tests/policy/outside_test.py runs a program with it. */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  xylem_burst(plan, 0, view->scope);
  xylem_burst(plan, 1, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "bursts-run",
    .help = "bursts a run",
    .place = place,
};
