/* A policy that never returns and makes no moves. tests/policy/outside_test.py runs a program with
 * it. */
#include <xylem/policy.h>

static volatile int ends = 0;

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)view;
  (void)random;
  (void)plan;
  while (!ends) continue;
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "loops",
    .help = "never returns and makes no moves",
    .place = place,
};
