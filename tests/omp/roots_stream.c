/* Two threads of the program have a team open at once, and both told what memory their members
 * read. What the first team's data is to do depends on the second one's streams, on the machine of
 * paper 000, Table 1 (4 nodes of 4; the costs are those of tests/unit/paper_machine.hpp): four
 * threads of one node read pages of all nodes as fast as their own node's while nobody else reads,
 * and less than two thirds as fast while the threads of the other nodes read theirs. So the pages
 * stay in the first case, come to the node in the second, and stay again once the second team has
 * ended. Teams are bound, so that only pages can move. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { nodes = 4, on_a_node = 4, processors = nodes * on_a_node, pages = 64, passes = 1000 };
static const size_t page_bytes = 4096, bytes = pages * 4096;
static int is_open, may_end; /* of the second team */

static void await(const int* flag) {
  while (!load(flag)) sched_yield();
}

static char* new_data(void) {
  char* start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(start, 1, bytes);
  return start;
}

static void tell(int member, char* start) {
  expect_equal("tell", xylem_hint_next(member, start, bytes, xylem_use_read, passes), 0);
}

static void nodes_of_members(int threads, int* node) {
#pragma omp parallel num_threads(threads)
  node[omp_get_thread_num()] = xylem_current_node();
}

/* --- the first team, whose members are on one node ----------------------------------------------
 */

static char* data[on_a_node];

/* A quarter of each member's data on each node. */
static void spread_data(void) {
  const size_t part = pages / nodes * page_bytes;
  for (int member = 0; member < on_a_node; member++)
    for (int node = 0; node < nodes; node++)
      expect_equal("spread", xylem_memory_move(data[member] + node * part, part, node, NULL), 0);
}

static int pages_on(int node) {
  int count = 0;
  for (int member = 0; member < on_a_node; member++) {
    int where[pages];
    expect_equal("locate", xylem_memory_locate(data[member], bytes, where), 0);
    for (int page = 0; page < pages; page++) count += where[page] == node;
  }
  return count;
}

/* Pages on node 0 after a region of which the program told. */
static int read_all(void) {
  spread_data();
  for (int member = 0; member < on_a_node; member++) tell(member, data[member]);
  int node[on_a_node];
  nodes_of_members(on_a_node, node);
  for (int member = 0; member < on_a_node; member++)
    expect_equal("node of the first team", node[member], 0);
  return pages_on(0);
}

/* --- the second team, all over the machine -------------------------------------------------------
 */

/* Its members on the nodes beside the first read what lies on their own. */
static void* second_root(void* unused) {
  int node[processors];
  nodes_of_members(processors, node);
  int told = 0;
  for (int member = 0; member < processors; member++) {
    if (node[member] == 0) continue;
    char* mine = new_data();
    expect_equal("move", xylem_memory_move(mine, bytes, node[member], NULL), 0);
    tell(member, mine);
    told++;
  }
  expect_equal("members that read", told, processors - on_a_node);
#pragma omp parallel num_threads(processors)
  {
#pragma omp masked
    {
      store(&is_open, 1);
      await(&may_end);
    }
  }
  return unused;
}

int main(void) {
  for (int member = 0; member < on_a_node; member++) data[member] = new_data();
  const int all = on_a_node * pages;
  expect_equal("pages on the node, alone", read_all(), all / nodes);

  pthread_t second;
  pthread_create(&second, NULL, second_root, NULL);
  await(&is_open);
  expect_equal("pages on the node while others read", read_all(), all);
  store(&may_end, 1);
  pthread_join(second, NULL);
  expect_equal("pages on the node, alone again", read_all(), all / nodes);
  return expect_result();
}
