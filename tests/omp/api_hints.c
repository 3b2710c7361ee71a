/* include/xylem/memory.h, hints: threads go to their data, or data to its threads. On a synthetic
 * machine of 4 nodes with 4 processors each. Argument: what XYLEM_HINTS allows, as the environment
 * says. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { nodes = 4, teams = 4, members = 4, pages = 8, vectors = 3 };
static const size_t bytes = pages * 4096;
static char* data[teams][vectors]; /* team t's, on node t */
static const char* allowed;

static int is(const char* word) { return strcmp(allowed, word) == 0; }

static int node_of(const void* vector) {
  int where[pages];
  expect_equal("locate", xylem_memory_locate(vector, bytes, where), 0);
  for (int i = 1; i < pages; i++) expect_equal("one node", where[i], where[0]);
  return where[0];
}

static void make_data(void) {
  for (int team = 0; team < teams; team++)
    for (int i = 0; i < vectors; i++) {
      char** mine = &data[team][i];
      if (!*mine)
        *mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memset(*mine, 1, bytes);
      expect_equal("move", xylem_memory_move(*mine, bytes, team, NULL), 0);
      expect_equal("where it begins", node_of(*mine), team);
    }
}

/* Vectors of which team `team` uses as number i: all three of the next team, or one of its own. */
static char* used(int team, int i, int mixed) {
  return data[mixed && i == 1 ? team : (team + 1) % teams][i];
}

/* Every member of the team that `me` opens is on `node`. */
static void expect_team_on(int node) {
#pragma omp parallel num_threads(members)
  expect_equal("node of a member of its team", xylem_current_node(), node);
}

static void expect_result_of(int me, int home, int mixed) {
  const int go = is("threads") || is("mixed") || is("cheapest");
  const int node = go ? (me + 1) % nodes : home;
  expect_equal("node of a thread", xylem_current_node(), node);
  expect_team_on(node);
#pragma omp barrier
  for (int i = 0; i < vectors; i++) {
    const int left_behind = mixed && i == 1;
    const int before = left_behind ? me : (me + 1) % nodes;
    const int moves = is("pages") ? before != home : is("mixed") && left_behind;
    const int after = is("off") || !moves ? before : node;
    expect_equal("node of a vector", node_of(used(me, i, mixed)), after);
  }
}

static void told_for_the_next_region(int mixed) {
  make_data();
  /* Where they are without hints that say something: untouched data spreads them over the nodes. */
  for (int team = 0; team < teams; team++)
    for (int i = 0; i < vectors; i++)
      xylem_hint_next(team, used(team, i, mixed), bytes, i == 2 ? xylem_use_write : xylem_use_read,
                      1);
#pragma omp parallel num_threads(teams)
  {
#pragma omp barrier
    if (!is("off")) expect_result_of(omp_get_thread_num(), omp_get_thread_num(), mixed);
  }
}

static void told_inside(int mixed) {
  make_data();
  for (int team = 0; team < teams; team++) xylem_hint_next(team, data[team][0], bytes, 1, 1);
#pragma omp parallel num_threads(teams)
  {
    const int me = omp_get_thread_num();
    const int home = xylem_current_node();
    if (!is("off") && !is("pages")) expect_equal("where it begins", home, me);
    for (int i = 0; i < vectors; i++)
      xylem_hint(used(me, i, mixed), bytes, i == 2 ? xylem_use_write : xylem_use_read, 1);
    expect_equal("apply", xylem_hint_apply(xylem_apply_team), 0);
#pragma omp barrier
    if (!is("off") && !is("pages")) expect_result_of(me, home, mixed);
#pragma omp barrier
    /* Nothing was told since: nothing moves. */
    const int after = xylem_current_node();
    expect_equal("apply nothing", xylem_hint_apply(xylem_apply_team), 0);
    if (!is("off") && !is("pages")) expect_equal("stays", xylem_current_node(), after);
  }
}

static void told_alone(void) {
  make_data();
  for (int team = 0; team < teams; team++) xylem_hint_next(team, data[team][0], bytes, 1, 1);
#pragma omp parallel num_threads(teams)
  {
    const int me = omp_get_thread_num();
    if (me == 2) {
      xylem_hint(data[0][0], bytes, xylem_use_both, 1);
      expect_equal("apply alone", xylem_hint_apply(xylem_apply_now), 0);
      if (is("threads")) expect_equal("went alone", xylem_current_node(), 0);
    }
#pragma omp barrier
    if (is("threads") && me != 2) expect_equal("the others stay", xylem_current_node(), me);
  }
}

static void refused(void) {
  expect_equal("no range", xylem_hint_next(0, NULL, 1, 1, 1), EINVAL);
  expect_equal("no member", xylem_hint_next(-1, data, 1, 1, 1), EINVAL);
  expect_equal("no use", xylem_hint(data, 1, 0, 1), EINVAL);
  expect_equal("no such use", xylem_hint(data, 1, 4, 1), EINVAL);
  expect_equal("passes below 0", xylem_hint(data, 1, 1, -1), EINVAL);
  expect_equal("no such time", xylem_hint_apply(2), EINVAL);
  expect_equal("nothing told", xylem_hint_apply(xylem_apply_now), 0);
  /* Hints about members that do not come are spent with the region. */
  expect_equal("member 9", xylem_hint_next(9, data[0][0], bytes, 1, 1), 0);
#pragma omp parallel num_threads(2)
  {}
}

int main(int argc, char** argv) {
  if (!xylem_hint) return 77;
  allowed = argc > 1 ? argv[1] : "cheapest";
  omp_set_max_active_levels(2);
  expect_equal("nodes", xylem_node_count(), nodes);
  for (int round = 0; round < 3; round++)
    for (int mixed = 0; mixed < 2; mixed++) {
      told_for_the_next_region(mixed);
      told_inside(mixed);
    }
  told_alone();
  refused();
  return expect_result();
}
