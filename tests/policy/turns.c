/* Policy `turns`, for tests: as `gang`, in C. One top that has threads lies on the scope's queue,
 * the others are held back; when its slice ends who has waited longest is next. */
#include <xylem/policy.h>

static int lies_below(const xylem_view* view, int level, int ancestor) {
  while (level > ancestor) level = view->levels[level].parent;
  return level == ancestor;
}

/* On the scope, or where it is pinned; a bubble that has something pinned inside opens. */
static void lay(const xylem_view* view, int entity, xylem_plan* plan) {
  const xylem_policy_entity* one = &view->entities[entity];
  int level = lies_below(view, view->scope, one->allowed) ? view->scope : one->allowed;
  if (!one->is_bubble || !one->narrowed) {
    xylem_move_members(plan, entity, 0, one->count, level);
    return;
  }
  xylem_burst(plan, entity, level);
  for (int i = 0; i < one->child_count; ++i) lay(view, one->first_child + i, plan);
}

/* The top with threads that has the turn, `but` excepted; -1: nobody has. */
static int whose_turn(const xylem_view* view, int but) {
  for (int top = 0; top < view->top_count; ++top)
    if (top != but && view->entities[top].threads > 0 && view->entities[top].level >= 0) return top;
  return -1;
}

static int is_held(const xylem_policy_entity* top) {
  return top->threads > 0 && top->level == XYLEM_HELD_BACK;
}

static int longest_waiting(const xylem_view* view) {
  int next = -1;
  for (int top = 0; top < view->top_count; ++top)
    if (is_held(&view->entities[top]) &&
        (next < 0 || view->entities[top].held_since < view->entities[next].held_since))
      next = top;
  return next;
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int turn = whose_turn(view, -1);
  if (turn < 0) turn = longest_waiting(view);
  for (int top = 0; turn < 0 && top < view->top_count; ++top)
    if (view->entities[top].threads > 0) turn = top;
  for (int top = 0; top < view->top_count; ++top)
    if (top == turn || view->entities[top].threads == 0)
      lay(view, top, plan);
    else
      xylem_hold(plan, top, view->entities[top].count);
}

static void tick(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan) {
  (void)random;
  while (view->entities[bubble].parent >= 0) bubble = view->entities[bubble].parent;
  int next = longest_waiting(view);
  if (view->entities[bubble].level < 0 || next < 0 || whose_turn(view, bubble) >= 0) return;
  xylem_hold(plan, bubble, view->entities[bubble].count);
  lay(view, next, plan);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "turns",
    .help = "one team at a time has the machine",
    .place = place,
    .tick = tick,
    .sees_all = 1,
};
