/* What is told of the members of a region holds for each later run of that region, until it is told
 * anew or the region has another number of threads: hints told before it, hints of teams inside,
 * hints of the members themselves, and which memory they own. On a synthetic machine of 4 nodes
 * with 4 processors each. Member i is on node i where nothing is told, and so told to go to another
 * one. Argument: what XYLEM_HINTS allows, as the environment says. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { nodes = 4, teams = 4, members = 4, pages = 16, runs = 6 };
static const size_t bytes = pages * 4096;
static char* data[teams];
static int node[teams][members]; /* of each thread in the last run */
static const char* allowed;

static int is(const char* word) { return strcmp(allowed, word) == 0; }

static void make_data(int shift) {
  for (int team = 0; team < teams; team++) {
    if (!data[team])
      data[team] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(data[team], 1, bytes);
    expect_equal("move", xylem_memory_move(data[team], bytes, (team + shift) % nodes, NULL), 0);
  }
}

static void tell(void) {
  for (int team = 0; team < teams; team++)
    expect_equal("tell", xylem_hint_next(team, data[team], bytes, xylem_use_both, 1), 0);
}

static void open_team(int team) {
#pragma omp parallel num_threads(members)
  {
    sched_yield();
    node[team][omp_get_thread_num()] = xylem_current_node();
  }
}

/* Three regions of the program, each known by itself. */
static void one(int threads) {
#pragma omp parallel num_threads(threads)
  open_team(omp_get_thread_num());
}

static void other(void) {
#pragma omp parallel num_threads(teams)
  open_team(omp_get_thread_num());
}

static void expect_shift(const char* what, int shift) {
  for (int team = 0; team < teams; team++)
    for (int i = 0; i < members; i++) expect_equal(what, node[team][i], (team + shift) % nodes);
}

/* All pages are where their thread is. */
static void expect_local(const char* what) {
  for (int team = 0; team < teams; team++) {
    int where[pages];
    expect_equal("locate", xylem_memory_locate(data[team], bytes, where), 0);
    for (int i = 0; i < pages; i++) expect_equal(what, where[i], node[team][0]);
  }
}

static void told_before(void) {
  const int shift = is("pages") ? 0 : 1;
  make_data(1);
  tell();
  for (int run = 0; run < runs; run++) {
    one(teams);
    expect_shift("told once", shift);
    expect_local("pages of what was told once");
    other();
    expect_shift("another region", 0);
  }
  if (is("pages")) return;
  make_data(2);
  tell();
  for (int run = 0; run < runs; run++) {
    one(teams);
    expect_shift("told anew", 2);
  }
  one(teams - 1);
  for (int run = 0; run < runs; run++) {
    one(teams);
    expect_shift("after a team of another size", 0);
  }
  tell();
  one(teams);
  expect_shift("told again", 2);
  xylem_hint_next(0, data[0], 0, xylem_use_read, 1);
  one(teams);
  one(teams);
  expect_shift("told to use nothing", 0);
}

/* Each member of the outer team tells once which of its team's members use what. */
static void told_inside(void) {
  make_data(1);
  for (int run = 0; run < runs; run++) {
#pragma omp parallel num_threads(teams)
    {
      const int team = omp_get_thread_num();
      if (run == 0)
        for (int i = 0; i < members; i++) xylem_hint_next(i, data[i], bytes, xylem_use_both, 1);
      open_team(team);
    }
    for (int team = 0; team < teams; team++)
      for (int i = 0; i < members; i++)
        expect_equal("member of a team inside", node[team][i], (i + 1) % nodes);
  }
}

static void told_of_themselves(void) {
  make_data(1);
  for (int run = 0; run < runs; run++)
#pragma omp parallel num_threads(teams)
  {
    const int me = omp_get_thread_num();
    if (run == 0) xylem_hint(data[me], bytes, xylem_use_both, 1);
    xylem_hint_apply(xylem_apply_team);
    expect_equal("told once of itself", xylem_current_node(), (me + 1) % nodes);
  }
}

static void own(int run) {
#pragma omp parallel num_threads(teams)
  {
    const int me = omp_get_thread_num();
    if (run == 0) expect_equal("attach", xylem_memory_attach(data[me]), 0);
    open_team(me);
  }
}

static void own_inside(int run) {
#pragma omp parallel num_threads(teams)
  {
    const int me = omp_get_thread_num();
#pragma omp parallel num_threads(members)
    {
      if (run == 0 && omp_get_thread_num() == members - 1)
        expect_equal("attach", xylem_memory_attach_to_team(data[me]), 0);
      node[me][omp_get_thread_num()] = xylem_current_node();
    }
  }
}

/* Nothing is told but who owns which memory. */
static void owned(void (*region)(int run)) {
  make_data(1);
  for (int team = 0; team < teams; team++)
    expect_equal("register", xylem_memory_register(data[team], bytes), 0);
  for (int run = 0; run < runs; run++) {
    region(run);
    if (run > 0) expect_shift("owners go to their memory", is("pages") || is("off") ? 0 : 1);
  }
  for (int team = 0; team < teams; team++)
    expect_equal("detach", xylem_memory_detach(data[team]), 0);
  region(runs);
  expect_shift("owners of nothing", 0);
  for (int team = 0; team < teams; team++)
    expect_equal("unregister", xylem_memory_unregister(data[team]), 0);
}

int main(int argc, char** argv) {
  if (!xylem_hint) return 77;
  allowed = argc > 1 ? argv[1] : "cheapest";
  omp_set_max_active_levels(2);
  expect_equal("nodes", xylem_node_count(), nodes);
  for (int run = 0; run < 3; run++) { /* so that the trees are known */
    one(teams);
    other();
    own(1);
    own_inside(1);
  }
  if (!is("off")) told_before();
  if (is("threads")) told_inside();
  if (is("threads") || is("cheapest")) told_of_themselves();
  owned(own);
  owned(own_inside);
  return expect_result();
}
