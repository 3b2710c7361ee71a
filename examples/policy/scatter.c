/* Policy `scatter`: neighbours far apart. Fiber after fiber goes where most is free: to the next
 * memory node in turn, there to the next core, and to a core's second PU last; so what consecutive
 * threads touch first comes to rest on different nodes. Bubbles open at the top.
 *
 * Invariant: dealt[l] fibers lie on PUs below level l, and idle[l] of those PUs have none. */
#include <stdlib.h>
#include <xylem/policy.h>

typedef struct {
  const xylem_view* view;
  int* idle;
  int* dealt;
} deal;

static int lies_below(const xylem_view* view, int level, int ancestor) {
  while (level > ancestor) level = view->levels[level].parent;
  return level == ancestor;
}

/* Of two siblings the one with more idle PUs for its size; of equals the one with fewer fibers. */
static int is_freer(const deal* now, int a, int b) {
  int64_t pus_a = now->view->levels[a].pu_count;
  int64_t pus_b = now->view->levels[b].pu_count;
  int64_t idle = now->idle[a] * pus_b - now->idle[b] * pus_a;
  return idle != 0 ? idle > 0 : now->dealt[a] * pus_b < now->dealt[b] * pus_a;
}

/* The freest PU below the level; of equals the first. */
static int freest_pu(const deal* now, int level) {
  while (now->view->levels[level].child_count > 0) {
    const xylem_policy_level* here = &now->view->levels[level];
    level = here->first_child;
    for (int child = level + 1; child < here->first_child + here->child_count; ++child)
      if (is_freer(now, child, level)) level = child;
  }
  return level;
}

static void deal_run(deal* now, int run, xylem_plan* plan) {
  const xylem_view* view = now->view;
  const xylem_policy_entity* entity = &view->entities[run];
  /* Inside the scope, unless it is pinned elsewhere. */
  int below = lies_below(view, view->scope, entity->allowed) ? view->scope : entity->allowed;
  for (int member = 0; member < entity->count; ++member) {
    int pu = freest_pu(now, below);
    int first = now->dealt[pu] == 0;
    for (int level = pu; level >= 0; level = view->levels[level].parent) {
      now->dealt[level] += 1;
      now->idle[level] -= first;
    }
    xylem_move_members(plan, run, member, 1, pu);
  }
}

static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random; /* no lots are drawn here */
  int* counts = calloc(2 * (size_t)view->level_count, sizeof *counts);
  if (counts == NULL) return; /* no answer: the runtime says so */
  deal now = {view, counts, counts + view->level_count};
  for (int level = 0; level < view->level_count; ++level)
    now.idle[level] = view->levels[level].pu_count;
  for (int i = 0; i < view->entity_count; ++i)
    if (view->entities[i].is_bubble) xylem_burst(plan, i, view->scope);
  /* The narrowest first, so that nobody takes a place from one who has no other: a level comes
   * after the levels that it lies in. */
  for (int level = view->level_count - 1; level >= 0; --level)
    for (int i = 0; i < view->entity_count; ++i)
      if (!view->entities[i].is_bubble && view->entities[i].allowed == level)
        deal_run(&now, i, plan);
  free(counts);
}

const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION,
    .size = sizeof(xylem_policy),
    .name = "scatter",
    .help = "neighbours far apart: nodes in turn, then cores, then their PUs",
    .place = place,
    .fills_machine = 1,
    .repeats = 1,
};
