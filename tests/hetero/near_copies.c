/* Data of codelets on a machine with several memory nodes: processors get copies on their own node
 * where these pay, and all see the last value. The argument says whether copies are allowed. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <xylem/memory.h>

#include "check.h"

enum { most_nodes = 16, doubles = 1 << 13, reads = 600, writes = 40, most_rounds = 40 };

/* By node: how often a codelet read there, how often memory of its own node's, and whether it did
 * the last time. */
static atomic_int uses[most_nodes], near_uses[most_nodes], last_near[most_nodes];
static double* memory;

static int node_of(const void* address) {
  int node = -1;
  CHECK(xylem_memory_locate(address, 1, &node) == 0);
  return node;
}

static int read_all(const xylem_view* views, void* argument) {
  const double* values = views[0].data;
  for (int i = 0; i < doubles; ++i)
    if (values[i] != *(double*)argument + i) return 1;
  const int here = xylem_current_node();
  const int near = node_of(values) == here;
  atomic_fetch_add(&uses[here], 1);
  atomic_fetch_add(&near_uses[here], near);
  atomic_store(&last_near[here], near);
  usleep(500); /* others come to run some */
  return 0;
}

static int add_one(const xylem_view* views, void* argument) {
  (void)argument;
  double* values = views[0].data;
  for (int i = 0; i < doubles; ++i) values[i] += 1;
  usleep(200);
  return 0;
}

static int copy(const xylem_view* views, void* argument) {
  (void)argument;
  memcpy(views[1].data, views[0].data, doubles * sizeof(double));
  return 0;
}

static const xylem_codelet reading = {
    .name = "read", .cpu = read_all, .accesses = 1, .modes = {xylem_read}};
static const xylem_codelet adding = {
    .name = "add", .cpu = add_one, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet copying = {
    .name = "copy", .cpu = copy, .accesses = 2, .modes = {xylem_read, xylem_write}};

static void read_often(xylem_data* data, double first) {
  memset(uses, 0, sizeof uses);
  memset(near_uses, 0, sizeof near_uses);
  for (int i = 0; i < reads; ++i)
    CHECK(xylem_submit(&reading,
                       &(xylem_task_options){
                           .data = &data, .argument = &first, .argument_bytes = sizeof first},
                       NULL) == 0);
  CHECK(xylem_wait_all() == 0);
}

/* Whether all nodes that read often, but for `home`, have a copy of their own. */
static int all_are_near(int home) {
  int others = 0, far = 0;
  for (int node = 0; node < xylem_node_count(); ++node) {
    if (node == home || atomic_load(&uses[node]) < reads / 20) continue;
    ++others;
    far += !atomic_load(&last_near[node]);
  }
  return others > 0 && far == 0;
}

/* The kernel may move a thread that is not bound after it was given the data. */
static int most_are_near(int node) {
  return 10 * atomic_load(&near_uses[node]) >= 9 * atomic_load(&uses[node]);
}

/* Where what access costs differs little from node to node, many reads pay for a copy. `home`:
 * where the data lies that nobody has written since; -1: on some node. */
static void check_copies(xylem_data* data, double first, int home) {
  for (int round = 0; round < most_rounds; ++round) {
    read_often(data, first);
    if (home >= 0) CHECK(most_are_near(home));
    if (home >= 0 && round == 0)
      for (int node = 0; node < xylem_node_count(); ++node)
        CHECK(node == home || atomic_load(&near_uses[node]) < atomic_load(&uses[node]));
    if (all_are_near(home)) return;
  }
  for (int node = 0; node < xylem_node_count(); ++node)
    fprintf(stderr, "node %d: %d reads, %d near it, the last one %d\n", node,
            atomic_load(&uses[node]), atomic_load(&near_uses[node]), atomic_load(&last_near[node]));
  CHECK(!"copies near all that read");
}

static void check_no_copies(xylem_data* data, double first, int home) {
  read_often(data, first);
  CHECK(most_are_near(home));
  for (int node = 0; node < xylem_node_count(); ++node)
    CHECK(node == home || 10 * atomic_load(&near_uses[node]) <= atomic_load(&uses[node]));
}

static void add_often(xylem_data* data) {
  for (int i = 0; i < writes; ++i)
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, NULL) == 0);
  CHECK(xylem_wait_all() == 0);
}

/* Data without memory of the program's. */
static void without_a_home(xylem_data* data, double first) {
  xylem_data* made = xylem_data_vector(NULL, doubles, sizeof(double));
  xylem_data* both[] = {data, made};
  CHECK(xylem_submit(&copying, &(xylem_task_options){.data = both}, NULL) == 0);
  add_often(made);
  read_often(made, first + writes);
  CHECK(xylem_data_unregister(made) == 0);
}

int main(int argc, char** argv) {
  const int allowed = argc > 1 && strcmp(argv[1], "on") == 0;
  const int home = xylem_node_count() - 1;
  memory = xylem_malloc_on_node(doubles * sizeof(double), home);
  CHECK(memory);
  for (int i = 0; i < doubles; ++i) memory[i] = i;
  xylem_data* data = xylem_data_vector(memory, doubles, sizeof(double));
  if (allowed)
    check_copies(data, 0, home);
  else
    check_no_copies(data, 0, home);
  add_often(data);
  if (allowed)
    check_copies(data, writes, -1);
  else
    check_no_copies(data, writes, home);
  without_a_home(data, writes);
  CHECK(xylem_data_prefetch(data, 0) == 0);
  CHECK(xylem_data_unregister(data) == 0);
  for (int i = 0; i < doubles; ++i) CHECK(memory[i] == i + writes);
  xylem_free(memory);
  return 0;
}
