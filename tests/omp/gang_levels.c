/* Gangs on a level of the machine (XYLEM_GANG_LEVEL): on its two packages, by whichever name, and
 * two gangs of eight threads, which run at the same time, each on one package. Each thread says
 * where it is after each scheduling point. Argument: how many gangs have a turn at once: 2, or 1
 * where it has the machine. */
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { gangs = 2, threads = 8, pieces = 200 };
static int on_a_package;       /* processors */
static int packages_of[gangs]; /* a bit for each */

static void gang(int number) {
#pragma omp parallel num_threads(threads)
  for (int piece = 0; piece < pieces; piece++) {
#pragma omp taskyield
    const int package = xylem_current_pu() / on_a_package;
    const double until = omp_get_wtime() + 0.0001;
    __atomic_fetch_or(&packages_of[number], 1 << package, __ATOMIC_RELAXED);
    while (omp_get_wtime() < until) continue;
  }
}

int main(int argc, char** argv) {
  const int at_once = argc > 1 ? atoi(argv[1]) : 2;
  if (!xylem_current_pu) return 99;
  on_a_package = omp_get_num_procs() / 2;
  omp_set_max_active_levels(2);
  /* The initial thread runs on the first processor, whatever it belongs to: it is in no gang. */
#pragma omp parallel num_threads(gangs + 1)
  if (omp_get_thread_num() > 0) gang(omp_get_thread_num() - 1);
  if (at_once == 1) {
    expect_true("a gang is on both packages", packages_of[0] == 3 || packages_of[1] == 3);
    return expect_result();
  }
  for (int i = 0; i < gangs; i++)
    expect_true("a gang is on one package", packages_of[i] == 1 || packages_of[i] == 2);
  return expect_result();
}
