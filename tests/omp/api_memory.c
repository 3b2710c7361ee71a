/* include/xylem/memory.h: known ranges, owners, moves and questions, on any machine: one that is
 * drawn keeps homes of pages in its books, one with one node keeps every page where it is. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { pages = 8, threads = 4 };

static size_t page;
static int nodes;

static char* map_pages(size_t count) {
  void* start =
      mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) exit(77);
  return start;
}

static int last_node(void) { return nodes - 1; }

static int bind_to(void* start, size_t size, int placement, int node, int parts, int move) {
  xylem_memory_how how = {.placement = placement, .node = node, .parts = parts};
  return xylem_memory_bind(start, size, &how, move);
}

static void expect_nodes(const char* what, const char* start, size_t count, const int* expected) {
  int seen[pages];
  expect_equal(what, xylem_memory_locate(start, count * page, seen), 0);
  for (size_t i = 0; i < count; i++) expect_equal(what, seen[i], expected[i]);
}

static void expect_all_on(const char* what, const char* start, size_t count, int node) {
  int expected[pages];
  for (size_t i = 0; i < count; i++) expected[i] = node;
  expect_nodes(what, start, count, expected);
}

static void placing(void) {
  char* start = map_pages(pages);
  expect_equal("bind", bind_to(start, pages * page, xylem_place_node, last_node(), 0, 0), 0);
  expect_all_on("pages that nobody touched", start, pages, -ENOENT);
  memset(start, 1, pages * page);
  expect_all_on("pages that are bound", start, pages, last_node());
  expect_equal("interleave", bind_to(start, pages * page, xylem_place_interleaved, 0, 0, 1), 0);
  int seen[pages];
  xylem_memory_locate(start, pages * page, seen);
  for (int i = 1; i < pages; i++) {
    for (int j = i >= nodes ? i - nodes + 1 : 0; j < i; j++)
      expect_true("interleaved pages differ", seen[i] != seen[j]);
    if (i >= nodes) expect_equal("interleaved pages take turns", seen[i], seen[i - nodes]);
  }
  expect_equal("spread", bind_to(start, pages * page, xylem_place_spread, 0, 0, 1), 0);
  for (int node = 0; node < nodes; node++)
    for (int i = pages * node / nodes; i < pages * (node + 1) / nodes; i++) seen[i] = node;
  expect_nodes("a block on each node", start, pages, seen);
  expect_equal("default", xylem_memory_bind(start, page, NULL, 1), 0);
  for (int i = 0; i < pages; i++) expect_equal("what the pages hold", start[i * page], 1);
  munmap(start, pages * page);
}

static void moving(void) {
  char* start = map_pages(pages);
  size_t moved = 99;
  xylem_memory_statistics before, after;
  bind_to(start, pages * page, xylem_place_node, 0, 0, 0);
  memset(start, 1, pages * page);
  xylem_memory_query(&before, sizeof before);
  expect_equal("move", xylem_memory_move(start + page + 7, 2 * page, last_node(), &moved), 0);
  expect_equal("pages moved", moved, nodes > 1 ? 3 : 0);
  expect_all_on("pages in front", start, 1, 0);
  expect_all_on("moved pages", start + page, 3, last_node());
  expect_all_on("pages behind", start + 4 * page, pages - 4, 0);
  expect_equal("move again", xylem_memory_move(start + page, 3 * page, last_node(), &moved), 0);
  expect_equal("pages moved again", moved, 0);
  xylem_memory_query(&after, sizeof after);
  expect_equal("moved in all", after.moved_pages - before.moved_pages, nodes > 1 ? 3 : 0);
  expect_equal("pages of a range", xylem_memory_pages(start + 1, page), 2);
  expect_equal("no pages", xylem_memory_pages(start, 0), 0);
  munmap(start, pages * page);
}

static void parts(void) {
  char* start = map_pages(pages);
  void* starts[3];
  xylem_memory_statistics before, now;
  xylem_memory_query(&before, sizeof before);
  expect_equal("unknown", xylem_memory_attach(start), ENOENT);
  expect_equal("register", xylem_memory_register(start, pages * page), 0);
  expect_equal("twice", xylem_memory_register(start + page, 1), EEXIST);
  expect_equal("too many parts", xylem_memory_split(start, pages + 1, NULL), EINVAL);
  expect_equal("split", xylem_memory_split(start, 3, starts), 0);
  expect_true("the first part", starts[0] == start);
  expect_true("the second part", starts[1] == start + 2 * page);
  xylem_memory_query(&now, sizeof now);
  expect_equal("known ranges", now.known_ranges - before.known_ranges, 3);
  memset(start, 1, pages * page);
  xylem_memory_move(start, pages * page, 0, NULL);
  expect_equal("no owner", xylem_memory_move_to_owner(starts[1], NULL), ENOENT);
  expect_equal("attach to a node", xylem_memory_attach_to_node(starts[1], last_node()), 0);
  size_t moved = 0;
  expect_equal("move a part", xylem_memory_move_to_owner(starts[1], &moved), 0);
  expect_equal("pages of the part", moved, nodes > 1 ? 3 : 0);
  expect_all_on("the part in front", start, 2, 0);
  expect_all_on("the part", starts[1], 3, last_node());
  expect_all_on("the part behind", starts[2], 3, 0);
  expect_equal("detach", xylem_memory_detach(starts[1]), 0);
  expect_equal("no owner any more", xylem_memory_move_to_owner(starts[1], NULL), ENOENT);
  expect_equal("a part alone", xylem_memory_unregister(starts[1]), ENOENT);
  expect_equal("unregister", xylem_memory_unregister(start), 0);
  expect_equal("again", xylem_memory_unregister(start), ENOENT);
  munmap(start, pages * page);
}

/* Each thread owns a part; the initial thread's is where that is, and those of a team that has
 * ended are nowhere. */
static void owners(void) {
  char* start = map_pages(pages);
  void* starts[threads];
  xylem_memory_register(start, pages * page);
  xylem_memory_split(start, threads, starts);
  memset(start, 1, pages * page);
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    expect_equal("attach", xylem_memory_attach(starts[me]), 0);
    int node, again;
    do { /* a thread may be moved between the two */
      node = xylem_current_node();
      expect_equal("move to me", xylem_memory_move_to_owner(starts[me], NULL), 0);
      again = xylem_current_node();
    } while (node != again);
    expect_all_on("my part", starts[me], pages / threads, node);
#pragma omp barrier
#pragma omp single
    {
      int theirs[pages];
      xylem_memory_move(start, pages * page, 0, NULL);
      for (int i = 0; i < threads; i++) {
        expect_equal("move to another", xylem_memory_move_to_owner(starts[i], NULL), 0);
        expect_equal("attach to a member", xylem_memory_attach_to_member(starts[i], i), 0);
        expect_equal("move to a member", xylem_memory_move_to_owner(starts[i], NULL), 0);
      }
      xylem_memory_locate(start, pages * page, theirs);
      for (int i = 0; i < pages; i++) expect_between("a node", theirs[i], 0, nodes - 1);
      expect_equal("attach to the team", xylem_memory_attach_to_team(starts[0]), 0);
      expect_equal("move to the team", xylem_memory_move_to_owner(starts[0], NULL), 0);
      expect_equal("no such member", xylem_memory_attach_to_member(start, threads), EINVAL);
    }
  }
  for (int i = 0; i < threads; i++)
    expect_equal("of a team that ended", xylem_memory_move_to_owner(starts[i], NULL), ENOENT);
  expect_equal("attach outside", xylem_memory_attach(start), 0);
  expect_equal("move to the initial thread", xylem_memory_move_to_owner(start, NULL), 0);
  xylem_memory_unregister(start);
  munmap(start, pages * page);
}

/* What a thread or a bubble owns moves and is detached all together. */
static void expect_memory_of(const char* what, xylem_bubble* bubble, int node, size_t count) {
  long long bytes[64];
  expect_equal(what, xylem_bubble_memory(bubble, bytes, nodes), 0);
  for (int i = 0; i < nodes; i++) expect_equal(what, bytes[i], i == node ? count * page : 0);
}

/* Two pages on node 0 that a thread of a team inside the bubble has while the team lives. */
static void expect_memory_of_teams_inside(xylem_bubble* bubble, void* start) {
  xylem_bubble* inside = NULL;
  xylem_bubble_enter(bubble);
  inside = xylem_bubble_create();
#pragma omp parallel num_threads(threads)
#pragma omp critical
  if (omp_get_thread_num() == threads - 1) {
    xylem_memory_attach(start);
    expect_memory_of("and of a thread inside", bubble, 0, 4);
    expect_memory_of("a bubble inside has none", inside, 0, 0);
  }
  xylem_bubble_leave();
  expect_memory_of("of a team that has ended", bubble, 0, 2);
  xylem_memory_attach_to_bubble(start, inside);
  expect_memory_of("and of a bubble inside", bubble, 0, 4);
  expect_equal("no bubble", xylem_bubble_memory(start, NULL, 0), EINVAL);
  expect_equal("nowhere to write", xylem_bubble_memory(bubble, NULL, 1), EINVAL);
  xylem_memory_detach(start);
  xylem_bubble_destroy(inside);
}

static void all_of_one(void) {
  char* start = map_pages(pages);
  void* starts[4];
  size_t moved = 99;
  xylem_bubble* bubble = xylem_bubble_create();
  xylem_memory_register(start, pages * page);
  xylem_memory_split(start, 4, starts);
  bind_to(start, pages * page, xylem_place_node, 0, 0, 0);
  memset(start, 1, pages * page);
  xylem_memory_attach(starts[0]);
  xylem_memory_attach(starts[2]);
  xylem_memory_attach_to_bubble(starts[1], bubble);
  expect_memory_of("a bubble's own", bubble, 0, 2);
  expect_memory_of_teams_inside(bubble, starts[3]);
  expect_equal("move mine", xylem_memory_move_all(NULL, last_node(), &moved), 0);
  expect_equal("pages of mine", moved, nodes > 1 ? 4 : 0);
  expect_all_on("mine", starts[2], 2, last_node());
  expect_all_on("the bubble's", starts[1], 2, 0);
  expect_equal("move the bubble's", xylem_memory_move_all(bubble, last_node(), &moved), 0);
  expect_all_on("the bubble's moved", starts[1], 2, last_node());
  expect_memory_of("a bubble's own, moved", bubble, last_node(), 2);
  expect_all_on("nobody's", starts[3], 2, 0);
  expect_equal("no node", xylem_memory_move_all(NULL, nodes, NULL), EINVAL);
  expect_equal("detach mine", xylem_memory_detach_all(NULL), 0);
  xylem_memory_move_all(NULL, 0, &moved);
  expect_equal("nothing is mine", moved, 0);
  expect_equal("detach the bubble's", xylem_memory_detach_all(bubble), 0);
  expect_equal("nobody's now", xylem_memory_move_to_owner(starts[1], NULL), ENOENT);
  xylem_bubble_destroy(bubble);
  expect_equal("no bubble", xylem_memory_detach_all(bubble), EINVAL);
  xylem_memory_unregister(start);
  munmap(start, pages * page);
}

/* What is printed names each known range, its owner and its nodes. */
static void printing(void) {
  char* start = map_pages(2);
  char text[4096] = "", address[32];
  xylem_memory_register(start, 2 * page);
  bind_to(start, 2 * page, xylem_place_node, 0, 0, 0);
  memset(start, 1, page);
  xylem_memory_attach_to_node(start, 0);
  FILE* file = tmpfile();
  int kept = dup(2);
  dup2(fileno(file), 2);
  xylem_memory_print();
  dup2(kept, 2);
  close(kept);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  snprintf(address, sizeof address, "%p ", (void*)start);
  const char* line = strstr(text, address);
  expect_true("the range is shown", line != NULL);
  if (line != NULL) {
    char expected[128];
    snprintf(expected, sizeof expected,
             "%p %zu bytes, registered, of a node on node 0; node 0: %zu; nowhere yet: %zu\n",
             (void*)start, 2 * page, page, page);
    expect_equal("its line", strncmp(line, expected, strlen(expected)), 0);
  }
  xylem_memory_unregister(start);
  munmap(start, 2 * page);
}

/* The default is of all threads, and of blocks and binding alike. */
static void defaults(void) {
  xylem_memory_how how = {.placement = xylem_place_node, .node = last_node()};
  char* start = map_pages(1);
  expect_equal("set the default", xylem_memory_set_default(&how), 0);
  expect_equal("bind by it", xylem_memory_bind(start, page, NULL, 0), 0);
  memset(start, 1, page);
  expect_all_on("a page by default", start, 1, last_node());
  how.placement = xylem_place_spread;
  expect_equal("spread", xylem_memory_set_default(&how), EINVAL);
  expect_equal("none", xylem_memory_set_default(NULL), 0);
  expect_between("the least loaded", xylem_least_loaded_node(), 0, nodes - 1);
  munmap(start, page);
}

static void bubbles(void) {
  char* start = map_pages(1);
  xylem_memory_register(start, page);
  memset(start, 1, page);
  xylem_bubble* bubble = xylem_bubble_create();
  expect_equal("attach to a bubble", xylem_memory_attach_to_bubble(start, bubble), 0);
  expect_equal("an empty one", xylem_memory_move_to_owner(start, NULL), ENOENT);
  xylem_bubble_enter(bubble);
  expect_equal("where I am", xylem_memory_move_to_owner(start, NULL), 0);
  xylem_bubble_leave();
  xylem_bubble_destroy(bubble);
  expect_equal("of a bubble that ended", xylem_memory_move_to_owner(start, NULL), ENOENT);
  expect_equal("no bubble", xylem_memory_attach_to_bubble(start, NULL), EINVAL);
  xylem_memory_unregister(start);
  munmap(start, page);
}

static void asking(void) {
  long long processors = 0;
  xylem_node_info info;
  for (int node = 0; node < nodes; node++) {
    expect_equal("a node", xylem_node_query(node, &info, sizeof info), 0);
    expect_true("total", info.total > 0);
    expect_between("free", info.free, 0, info.total);
    processors += info.processors;
  }
  expect_equal("processors", processors, omp_get_num_procs());
  expect_equal("no such node", xylem_node_query(nodes, &info, sizeof info), EINVAL);
  expect_equal("a size of no version", xylem_node_query(0, &info, 1), EINVAL);
  expect_between("this node", xylem_current_node(), 0, nodes - 1);
  expect_equal("no such node", xylem_memory_move(&info, 1, nodes, NULL), EINVAL);
  expect_equal("no range", xylem_memory_move(NULL, 1, 0, NULL), EINVAL);
  expect_equal("no range", xylem_memory_move(&info, (size_t)-1, 0, NULL), EINVAL);
  expect_equal("no placement", bind_to(&info, 1, 17, 0, 0, 0), EINVAL);
  expect_equal("no node", bind_to(&info, 1, xylem_place_node, nodes, 0, 0), EINVAL);
  expect_equal("no parts", bind_to(&info, 1, xylem_place_spread, 0, -1, 0), EINVAL);
}

/* Moves of one range to different nodes come one after the other: it is never left between. */
static void at_once(void) {
  enum { many = 64, rounds = 20 };
  char* start = map_pages(many);
  int seen[many];
  memset(start, 1, many * page);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(threads)
    xylem_memory_move(start, many * page, omp_get_thread_num() % nodes, NULL);
    xylem_memory_locate(start, many * page, seen);
    for (int i = 1; i < many; i++) expect_equal("pages of one move", seen[i], seen[0]);
  }
  munmap(start, many * page);
}

/* A child that is made while others move, register and split can do the same. Run alone, by the
 * argument `fork`, because the sanitizers do not take their own locks around fork(). */
static void forking(void) {
  enum { children = 10 };
  char* start = map_pages(threads * pages);
#pragma omp parallel num_threads(threads)
  {
    char* mine = start + omp_get_thread_num() * pages * page;
    memset(mine, 1, pages * page);
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
          int failed = xylem_memory_register(mine, pages * page) != 0;
          failed |= xylem_memory_move(start, threads * pages * page, last_node(), NULL) == EINVAL;
          _exit(failed | (xylem_memory_split(mine, 2, NULL) != 0));
        }
        int status = -1;
        waitpid(child, &status, 0);
        expect_equal("a child", status, 0);
      }
    } else {
      for (int i = 0; i < 200; i++) {
        xylem_memory_register(mine, pages * page);
        xylem_memory_split(mine, 2, NULL);
        xylem_memory_move(mine, pages * page, i % nodes, NULL);
        xylem_memory_unregister(mine);
      }
    }
  }
  munmap(start, threads * pages * page);
}

int main(int argc, char** argv) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  nodes = xylem_node_count();
  if (argc > 1 && strcmp(argv[1], "fork") == 0) {
    forking();
    return expect_result();
  }
  asking();
  placing();
  moving();
  parts();
  owners();
  all_of_one();
  defaults();
  printing();
  bubbles();
  at_once();
  return expect_result();
}
