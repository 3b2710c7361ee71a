/* A policy that answers a level that does not exist. tests/policy/outside_test.py runs a program
 * with it. */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  xylem_move(plan, 0, view->level_count);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "nowhere",
    .help = "answers a level that does not exist",
    .place = place,
};
