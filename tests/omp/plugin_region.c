/* A plugin that uses OpenMP, for plugin_closed.c, which does not. */
#include <omp.h>

int members_of_a_region(int wanted);

int members_of_a_region(int wanted) {
  int members = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : members)
  members += 1;
  return members;
}
