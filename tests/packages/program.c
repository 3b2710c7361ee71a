// Is this process served by Xylem alone? Opens a region of four threads; each makes a nested one.
// Ends with 0 if libxylem.so is mapped once, no other OpenMP runtime's code is, and all threads
// came.
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int mapped_code(const char* name) {
  char line[4096];
  int count = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    count += strstr(line, name) && strstr(line, " r-xp ");
  if (maps) fclose(maps);
  return count;
}

int main(void) {
  int threads = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4) reduction(+ : threads)
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  const int xylem = mapped_code("/libxylem.so"), gomp = mapped_code("/libgomp");
  printf("%d threads, %d libxylem.so, %d libgomp\n", threads, xylem, gomp);
  return !(threads == 8 && xylem == 1 && gomp == 0);
}
