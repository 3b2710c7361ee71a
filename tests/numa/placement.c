/* Where pages are, as the kernel says (move_pages in query mode, numa_maps), after every placement,
 * bind, move, split and owner of include/xylem/memory.h, in a machine with several nodes. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { pages = 700, threads = 4, nodes_at_most = 64 };

static size_t page;
static int nodes;                      /* ours */
static int kernel_node[nodes_at_most]; /* by our number */
static int usable[nodes_at_most];      /* ours, that have memory, in the kernel's order */
static int by_number[nodes_at_most];   /* the same, by our number */
static int usable_count;

static char* map_pages(size_t count) {
  void* start =
      mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) exit(77);
  madvise(start, count * page, MADV_NOHUGEPAGE); /* such a page lies whole on one node */
  return start;
}

/* The kernel's node of a page, or a negative errno. */
static int where(const char* address) {
  void* at = (void*)((unsigned long)address / page * page);
  int status = -ENOENT;
  if (syscall(SYS_move_pages, 0, 1UL, &at, NULL, &status, 0) != 0) return -errno;
  return status;
}

/* Ours and the kernel's answer are the same, and what was expected (a node of ours). */
static void expect_page(const char* what, const char* address, int expected) {
  int ours = -1;
  xylem_memory_locate(address, 1, &ours);
  expect_equal(what, where(address), kernel_node[expected]);
  expect_equal(what, ours, expected);
}

static void expect_pages(const char* what, const char* start, size_t count, int expected) {
  for (size_t i = 0; i < count; i++) expect_page(what, start + i * page, expected);
}

/* The policy of a mapping as numa_maps names it begins with `expected`. */
static void expect_policy(const char* what, const void* start, const char* expected) {
  if (nodes == 1) return; /* nothing is asked of the kernel */
  FILE* file = fopen("/proc/self/numa_maps", "r");
  char line[4096], policy[64] = "";
  unsigned long at;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char found[64];
    if (sscanf(line, "%lx %63s", &at, found) == 2 && at == (unsigned long)start)
      strcpy(policy, found);
  }
  if (file != NULL) fclose(file);
  if (strncmp(policy, expected, strlen(expected)) != 0 && expect_failed())
    fprintf(stderr, "FAIL: %s: expected policy %s, seen '%s'\n", what, expected, policy);
}

static long long kernel_total(int node) {
  char name[96];
  long long kib = -1;
  snprintf(name, sizeof name, "/sys/devices/system/node/node%d/meminfo", node);
  FILE* file = fopen(name, "r");
  if (file != NULL && fscanf(file, "Node %*d MemTotal: %lld", &kib) != 1) kib = -1;
  if (file != NULL) fclose(file);
  return kib * 1024;
}

/* Which of the kernel's nodes each of ours is: where a page goes that is moved there. Each is
 * another one, of the same size. */
static void learn_nodes(void) {
  char* one = map_pages(1);
  memset(one, 1, page);
  for (int node = 0; node < nodes; node++) {
    xylem_node_info info;
    xylem_node_query(node, &info, sizeof info);
    if (info.total <= 0) continue;
    expect_equal("move a page", xylem_memory_move(one, page, node, NULL), 0);
    kernel_node[node] = where(one);
    expect_equal("the node's memory", info.total, kernel_total(kernel_node[node]));
    for (int i = 0; i < usable_count; i++)
      expect_true("another node", kernel_node[usable[i]] != kernel_node[node]);
    by_number[usable_count] = node;
    int at = usable_count++;
    for (; at > 0 && kernel_node[usable[at - 1]] > kernel_node[node]; at--)
      usable[at] = usable[at - 1];
    usable[at] = node;
  }
  munmap(one, page);
}

static int last(void) { return usable[usable_count - 1]; }

static int bind_to(void* start, size_t size, int placement, int node, int parts, int move) {
  xylem_memory_how how = {.placement = placement, .node = node, .parts = parts};
  return xylem_memory_bind(start, size, &how, move);
}

static void binding(void) {
  for (int i = 0; i < usable_count; i++) {
    char* start = map_pages(pages);
    expect_equal("bind", bind_to(start, pages * page, xylem_place_node, usable[i], 0, 0), 0);
    expect_policy("bind", start, "prefer");
    memset(start, 1, pages * page);
    expect_pages("bound pages", start, pages, usable[i]);
    munmap(start, pages * page);
  }
  char* start = map_pages(pages);
  expect_equal("interleave", bind_to(start, pages * page, xylem_place_interleaved, 0, 0, 0), 0);
  expect_policy("interleave", start, "interleave");
  memset(start, 1, pages * page);
  int first = 0;
  while (kernel_node[usable[first]] != where(start)) first++;
  for (int i = 0; i < pages; i++)
    expect_page("interleaved pages", start + i * page, usable[(first + i) % usable_count]);
  expect_equal("spread", bind_to(start, pages * page, xylem_place_spread, 0, 0, 1), 0);
  for (int block = 0; block < usable_count; block++) {
    size_t from = (size_t)pages * block / usable_count;
    size_t to = (size_t)pages * (block + 1) / usable_count;
    expect_pages("blocks", start + from * page, to - from, by_number[block]);
  }
  expect_equal("bind, move", bind_to(start, pages * page, xylem_place_interleaved, 0, 0, 1), 0);
  first = 0;
  while (kernel_node[usable[first]] != where(start)) first++;
  for (int i = 0; i < pages; i++)
    expect_page("moved to take turns", start + i * page, usable[(first + i) % usable_count]);
  munmap(start, pages * page);
}

static void first_touch(void) {
  char* start = map_pages(threads * pages);
  bind_to(start, threads * pages * page, xylem_place_node, last(), 0, 0);
  expect_equal("local", bind_to(start, threads * pages * page, xylem_place_first_touch, 0, 0, 0),
               0);
  expect_policy("local", start, "local");
#pragma omp parallel num_threads(threads)
  {
    char* mine = start + (size_t)omp_get_thread_num() * pages * page;
    int node = xylem_current_node();
    memset(mine, 1, page);
    int is_usable = 0;
    for (int i = 0; i < usable_count; i++) is_usable |= usable[i] == node;
    if (is_usable && node == xylem_current_node()) expect_page("my first touch", mine, node);
  }
  munmap(start, threads * pages * page);
}

static void moving(void) {
  char* start = map_pages(pages);
  size_t moved = 0;
  bind_to(start, pages * page, xylem_place_node, usable[0], 0, 0);
  memset(start, 1, pages * page);
  for (int i = usable_count - 1; i >= 0; i--) {
    size_t expected = usable_count > 1 ? pages : 0;
    expect_equal("move", xylem_memory_move(start, pages * page, usable[i], &moved), 0);
    expect_equal("pages moved", moved, expected);
    expect_pages("moved pages", start, pages, usable[i]);
  }
  expect_equal("a part", xylem_memory_move(start + 5 * page + 1, 3 * page, last(), &moved), 0);
  expect_equal("pages of the part", moved, usable_count > 1 ? 4 : 0);
  expect_pages("in front", start, 5, usable[0]);
  expect_pages("the part", start + 5 * page, 4, last());
  expect_pages("behind", start + 9 * page, pages - 9, usable[0]);
  munmap(start, pages * page);

  start = map_pages(pages);
  memset(start, 1, 10 * page);
  expect_equal("half touched", xylem_memory_move(start, pages * page, last(), NULL), 0);
  memset(start, 1, pages * page);
  expect_pages("pages that came later", start, pages, last());
  munmap(start, pages * page);
}

/* A page that another process has too cannot move; those around it do. */
static void shared_pages(void) {
  char* start = map_pages(pages);
  size_t moved = 0;
  bind_to(start, pages * page, xylem_place_node, usable[0], 0, 0);
  memset(start, 1, pages * page);
  int gate[2];
  if (pipe(gate) != 0) exit(77);
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) != 0);
  }
  memset(start, 2, 300 * page); /* our own copies now */
  memset(start + 301 * page, 2, (pages - 301) * page);
  expect_equal("one page is shared", xylem_memory_move(start, pages * page, last(), &moved),
               usable_count > 1 ? EBUSY : 0);
  expect_equal("the others moved", moved, usable_count > 1 ? pages - 1 : 0);
  expect_page("the shared one", start + 300 * page, usable[0]);
  expect_page("behind it", start + 301 * page, last());
  close(gate[0]);
  close(gate[1]);
  waitpid(child, NULL, 0);
  munmap(start, pages * page);
}

static void owners(void) {
  char* start = map_pages(threads * pages);
  void* starts[threads];
  memset(start, 1, threads * pages * page);
  expect_equal("register", xylem_memory_register(start + 1, threads * pages * page - 1), 0);
  expect_equal("split", xylem_memory_split(start + 1, threads, starts), 0);
  for (int i = 0; i < threads; i++)
    xylem_memory_attach_to_node(starts[i], usable[i % usable_count]);
  for (int i = 0; i < threads; i++) {
    expect_equal("to its node", xylem_memory_move_to_owner(starts[i], NULL), 0);
    expect_pages("an owner's part", start + (size_t)i * pages * page, pages,
                 usable[i % usable_count]);
  }
  xylem_memory_move(start, threads * pages * page, usable[0], NULL);
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num(), node, again;
    do {
      node = xylem_current_node();
      expect_equal("attach", xylem_memory_attach(starts[me]), 0);
      expect_equal("to me", xylem_memory_move_to_owner(starts[me], NULL), 0);
      again = xylem_current_node();
    } while (node != again);
    int is_usable = 0;
    for (int i = 0; i < usable_count; i++) is_usable |= usable[i] == node;
    if (is_usable) expect_pages("my part", start + (size_t)me * pages * page, pages, node);
  }
  expect_equal("unregister", xylem_memory_unregister(start + 1), 0);
  munmap(start, threads * pages * page);
}

/* Blocks of Xylem's own. */
static void allocating(void) {
  if (!xylem_malloc_placed) return;
  const size_t size = pages * page;
  for (int i = 0; i < usable_count; i++) {
    xylem_node_info before, now;
    xylem_memory_how how = {.placement = xylem_place_node, .node = usable[i]};
    xylem_node_query(usable[i], &before, sizeof before);
    char* block = xylem_malloc_placed(size, &how);
    expect_true("a block", block != NULL);
    if (block == NULL) return;
    xylem_node_query(usable[i], &now, sizeof now);
    expect_true("counted", now.allocated - before.allocated >= (long long)size);
    memset(block, 1, size);
    expect_pages("its pages", block, pages, usable[i]);
    xylem_free(block);
    xylem_node_query(usable[i], &now, sizeof now);
    expect_equal("given back", now.allocated, before.allocated);
  }
  xylem_memory_how least = {.placement = xylem_place_least_loaded, .alignment = 1 << 16};
  long long most = -1;
  for (int i = 0; i < usable_count; i++) {
    xylem_node_info info;
    xylem_node_query(usable[i], &info, sizeof info);
    if (info.free > most) most = info.free;
  }
  char* block = xylem_malloc_placed(size, &least);
  memset(block, 1, size);
  xylem_node_info info;
  int seen = -1;
  xylem_memory_locate(block, 1, &seen);
  xylem_node_query(seen, &info, sizeof info);
  /* What was free then, less the block, and what others took meanwhile. */
  expect_true("the least loaded node", info.free + (16 << 20) >= most);
  expect_equal("aligned", (unsigned long)block % (1 << 16), 0);
  expect_pages("all of it", block, pages, seen);
  xylem_free(block);
}

int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  nodes = xylem_node_count();
  learn_nodes();
  printf("%d nodes, %d with memory\n", nodes, usable_count);
  binding();
  first_touch();
  moving();
  shared_pages();
  owners();
  allocating();
  return expect_result();
}
