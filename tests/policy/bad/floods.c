/* A policy that never returns and makes moves. tests/policy/outside_test.py runs a program with it.
 */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (;;) xylem_move(plan, 0, view->scope);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "floods",
    .help = "never returns and makes moves",
    .place = place,
};
