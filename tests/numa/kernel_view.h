/* What the kernel says of pages: which node each is on (move_pages in query mode), and the policy
 * of the range that holds an address (/proc/self/numa_maps). */
#ifndef XYLEM_TESTS_KERNEL_VIEW_H
#define XYLEM_TESTS_KERNEL_VIEW_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kernel_page = 4096, pages_a_scan = 512 };

/* nodes[i]: where page i of the range is, or a negative errno; 0 or an errno value. */
static inline int kernel_locate(const void* start, size_t size, int* nodes) {
  uintptr_t first = (uintptr_t)start / kernel_page * kernel_page;
  size_t count = ((uintptr_t)start + size - first + kernel_page - 1) / kernel_page;
  void* pages[pages_a_scan];
  for (size_t done = 0; done < count; done += pages_a_scan) {
    size_t some = count - done < pages_a_scan ? count - done : pages_a_scan;
    for (size_t i = 0; i < some; i++) pages[i] = (void*)(first + (done + i) * kernel_page);
    if (syscall(SYS_move_pages, 0, some, pages, NULL, nodes + done, 0) != 0) return errno;
  }
  return 0;
}

/* The policy, such as "interleave:0-3"; "" where no range begins at or before the address. */
static inline void kernel_policy(const void* address, char* policy, size_t room) {
  char line[4096], word[256];
  unsigned long start;
  FILE* file = fopen("/proc/self/numa_maps", "r");
  policy[0] = '\0';
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%lx %255[^\n]", &start, word) == 2 && start <= (unsigned long)address) {
      snprintf(policy, room, "%s", word);
    }
  if (file) fclose(file);
}

static inline int kernel_node(void) {
  unsigned cpu = 0, node = 0;
  return syscall(SYS_getcpu, &cpu, &node, NULL) == 0 ? (int)node : -1;
}

/* Kilobytes of a line of /proc/self/status, such as "VmLck"; -1 if there is none. */
static inline long kernel_status(const char* name) {
  char line[256];
  long value = -1;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
      sscanf(line + strlen(name) + 1, "%ld", &value);
  if (file) fclose(file);
  return value;
}

#endif
