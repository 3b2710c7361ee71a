// A program linked with the stock libgomp must get ours, once, and not the real one.
#include <stdio.h>
#include <string.h>

extern int omp_get_num_procs(void);

int main(void) {
  static volatile int never = 0;
  if (never) return omp_get_num_procs();  // keeps libgomp.so.1 needed
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int ours = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "/libxylem.so") != NULL) ours = 1;
    if (strstr(line, "libgomp") != NULL || strstr(line, "libstdc++") != NULL) {
      printf("mapped: %s", line);
      return 1;
    }
  }
  fclose(maps);
  if (!ours) printf("libxylem.so is not mapped\n");
  return ours ? 0 : 1;
}
