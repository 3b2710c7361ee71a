/* Four members, each of which opens a team of four, and all their data lies on node 0 of a machine
 * of 4 nodes with 4 processors each: hints must not crowd the 16 threads on the node's processors.
 * The first member's team stays with its data; the others go to nodes of their own, and either
 * their data comes to them or it stays where it is, whichever costs less. Argument: what
 * XYLEM_HINTS allows, as the environment says. With a second argument: two packages of two nodes,
 * and the data on node 2: who finds no processor there goes to the node beside it. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/bubble.h"
#include "../../include/xylem/memory.h"
#include "expect.h"

enum { teams = 4, members = 4, pages = 64, rounds = 40 };
static const size_t bytes = pages * 4096;
static char* data[teams];
static int processor[teams][members]; /* where each thread ran */
static const char* allowed;

static int is(const char* word) { return strcmp(allowed, word) == 0; }

/* All of it on node 0. */
static void make_data(void) {
  for (int team = 0; team < teams; team++) {
    if (!data[team])
      data[team] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(data[team], 1, bytes);
    expect_equal("move", xylem_memory_move(data[team], bytes, 0, NULL), 0);
  }
}

static int node_of(const char* range) {
  int where[pages];
  expect_equal("locate", xylem_memory_locate(range, bytes, where), 0);
  for (int i = 1; i < pages; i++) expect_equal("one node", where[i], where[0]);
  return where[0];
}

static void run(int inner, int passes) {
  for (int team = 0; team < teams; team++)
    expect_equal("tell", xylem_hint_next(team, data[team], bytes, xylem_use_both, passes), 0);
#pragma omp parallel num_threads(teams)
  {
    const int team = omp_get_thread_num();
#pragma omp parallel num_threads(inner)
    processor[team][omp_get_thread_num()] = xylem_current_pu();
  }
}

static int node_of_processor(int pu) { return pu / 4; }

/* Each thread has a processor, and each team a node: the first that of the data. */
static void expect_whole_machine(int inner) {
  int taken[16] = {0};
  for (int team = 0; team < teams; team++)
    for (int i = 0; i < inner; i++) {
      const int pu = processor[team][i];
      expect_equal("threads on one processor", taken[pu]++, 0);
      expect_equal("node of a member of one team", node_of_processor(pu),
                   node_of_processor(processor[team][0]));
    }
  expect_equal("node of the first team", node_of_processor(processor[0][0]), 0);
}

/* A flat team as large as a package. */
static void run_nearest(void) {
  enum { threads = 8, data_node = 2 };
  int taken[16] = {0}, on_node[4] = {0};
  make_data();
  expect_equal("move", xylem_memory_move(data[0], bytes, data_node, NULL), 0);
  for (int i = 0; i < threads; i++) xylem_hint_next(i, data[0], bytes, xylem_use_both, 1);
#pragma omp parallel num_threads(threads)
  {
    const int pu = xylem_current_pu();
#pragma omp atomic
    taken[pu]++;
#pragma omp atomic
    on_node[node_of_processor(pu)]++;
  }
  for (int pu = 0; pu < 16; pu++) expect_true("a processor each", taken[pu] <= 1);
  expect_equal("threads with their data", on_node[data_node], 4);
  expect_equal("threads on the nearest node", on_node[data_node + 1], 4);
}

int main(int argc, char** argv) {
  if (!xylem_hint_next) return 77;
  allowed = argc > 1 ? argv[1] : "cheapest";
  if (argc > 2) {
    for (int round = 0; round < rounds; round++) run_nearest();
    return expect_result();
  }
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds; round++) {
    make_data();
    const int inner = round < 20 ? members : members / 2; /* the teams become smaller */
    /* Once through the data is not worth moving it, a thousand times is. */
    const int passes = round % 2 == 0 ? 1 : 1000;
    run(inner, passes);
    expect_whole_machine(inner);
    for (int team = 0; team < teams; team++) {
      const int there = node_of_processor(processor[team][0]);
      const int moves = is("pages") || is("mixed") || (is("cheapest") && passes > 1);
      expect_equal("node of the data", node_of(data[team]), moves ? there : 0);
    }
  }
  return expect_result();
}
