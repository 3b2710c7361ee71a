/* Policy `herd`: a team stays on one memory node, for as long as that can run it. Each team is left
 * closed at the top. The worker that meets it first takes as many members along as its node has
 * PUs; neighbours take of those, and nobody steals across nodes. PUs that idle take from a
 * team that fills its node, and what waits at a PU that wakes goes to all of its node. */
#include <xylem/policy.h>

static int level_of_pu(const xylem_view* view, int pu) {
  int level = 0;
  while (view->levels[level].child_count > 0 || view->levels[level].first_pu != pu) ++level;
  return level;
}

static int is_node(const xylem_view* view, int level) {
  for (int node = 0; node < view->node_count; ++node)
    if (view->nodes[node] == level) return 1;
  return 0;
}

/* Of the level, or the lowest node round it; the machine, if there is none. */
static int node_of(const xylem_view* view, int level) {
  while (level > 0 && !is_node(view, level)) level = view->levels[level].parent;
  return level;
}

static int lies_on(const xylem_view* view, int level, int node) {
  while (level > node) level = view->levels[level].parent;
  return level == node;
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int i = 0; i < view->entity_count; ++i) {
    const xylem_policy_entity* entity = &view->entities[i];
    int level = lies_on(view, view->scope, entity->allowed) ? view->scope : entity->allowed;
    if (entity->narrowed) /* some of it may run there alone: it opens */
      xylem_burst(plan, i, view->scope);
    else if (entity->parent < 0 || view->entities[entity->parent].narrowed)
      xylem_move_members(plan, i, 0, entity->count, level);
  }
}

static xylem_share met(const xylem_view* view, int bubble, int pu, xylem_random* random) {
  (void)random;
  const xylem_policy_entity* entity = &view->entities[bubble];
  int node = node_of(view, level_of_pu(view, pu));
  int room = view->levels[node].pu_count;
  xylem_share share = {0, XYLEM_STAYS}; /* inside a node: as usual */
  if (!lies_on(view, entity->level, node))
    share.members = entity->threads < room ? entity->threads : room;
  return share;
}

/* The team that most threads of wait elsewhere, and that has a thread for each PU of its node; its
 * second half comes here. */
static void idle(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int here = level_of_pu(view, pu), node = node_of(view, here), most = -1;
  for (int top = 0; top < view->top_count; ++top) {
    const xylem_policy_entity* team = &view->entities[top];
    if (!team->is_bubble || team->allowed > 0 || lies_on(view, team->level, node)) continue;
    if (view->uses[top].running < view->levels[node_of(view, team->level)].pu_count) continue;
    if (most < 0 || team->threads > view->entities[most].threads) most = top;
  }
  if (most < 0) return;
  const xylem_policy_entity* team = &view->entities[most];
  int stay = team->threads / 2;
  xylem_burst(plan, most, team->level);
  if (stay > 0) xylem_move_members(plan, team->first_child, 0, stay, team->level);
  xylem_move_members(plan, team->first_child, stay, team->threads - stay, here);
}

static void wake(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan) {
  (void)random;
  int here = level_of_pu(view, pu);
  for (int top = 0; top < view->top_count; ++top)
    if (view->entities[top].level == here && view->entities[top].allowed == 0)
      xylem_move(plan, top, node_of(view, here));
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "herd",
    .help = "a team stays on the node of the worker that meets it first",
    .place = place,
    .steal = {.own_node_only = 1},
    .repeats = 1,
    .idle = idle,
    .wake = wake,
    .met = met,
};
