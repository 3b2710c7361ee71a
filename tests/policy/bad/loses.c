/* A policy that throws an entity away. tests/policy/outside_test.py runs a program with it. */
#include <xylem/policy.h>

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)view;
  (void)random;
  (void)plan;
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "loses",
    .help = "throws an entity away",
    .place = place,
};
