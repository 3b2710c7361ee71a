/* Binds a page to each node that has memory and asks the kernel where it is; then moves one page
 * through all nodes. Plain system calls, no library: the lab's own proof that its nodes are real.
 * Prints `page on N` for each node; exit code 1 when the kernel says otherwise. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { mpol_bind = 2, mpol_mf_move = 2, nodes_at_most = 64 };

static int failures;

static void fail(const char* what, int node, int seen) {
  fprintf(stderr, "FAIL: %s: expected node %d, seen %d (%s)\n", what, node, seen,
          seen < 0 ? strerror(-seen) : "a node");
  failures++;
}

/* The node of the page, or -errno. */
static int where(void* page) {
  int status = -ENOENT;
  if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0) != 0) return -errno;
  return status;
}

/* Nodes with memory, as a bit mask. */
static unsigned long nodes_with_memory(void) {
  unsigned long nodes = 0;
  FILE* file = fopen("/sys/devices/system/node/has_memory", "r");
  int first, last;
  while (file != NULL && fscanf(file, "%d", &first) == 1) {
    last = first;
    if (fscanf(file, "-%d", &last) < 0) last = first;
    for (int node = first; node <= last && node < nodes_at_most; node++) nodes |= 1UL << node;
    if (fgetc(file) != ',') break;
  }
  if (file != NULL) fclose(file);
  return nodes;
}

static char* new_page(void) {
  void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? NULL : page;
}

static void bind_a_page(int node) {
  char* page = new_page();
  unsigned long mask = 1UL << node;
  if (page == NULL || syscall(SYS_mbind, page, 4096UL, mpol_bind, &mask, 65UL, 0UL) != 0) {
    fail("mbind", node, -errno);
    return;
  }
  if (where(page) >= 0) fail("a page that nobody touched", -ENOENT, where(page)); /* or -EFAULT */
  memset(page, 1, 4096);
  int seen = where(page);
  if (seen != node) fail("a page bound before its first touch", node, seen);
  printf("page on %d\n", seen);
  munmap(page, 4096);
}

static void move_a_page(void* page, int node) {
  int status = -ENOENT;
  if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, mpol_mf_move) != 0) {
    fail("move_pages", node, -errno);
  }
  int seen = where(page);
  if (seen != node) fail("a page that was moved", node, seen);
}

int main(void) {
  unsigned long nodes = nodes_with_memory();
  if (nodes == 0) fail("nodes with memory", 0, -ENOENT);
  char* wanderer = new_page();
  memset(wanderer, 42, 4096);
  for (int node = 0; node < nodes_at_most; node++) {
    if ((nodes >> node & 1) == 0) continue;
    bind_a_page(node);
    move_a_page(wanderer, node);
  }
  for (int i = 0; i < 4096; i++) failures += wanderer[i] != 42;
  return failures != 0;
}
