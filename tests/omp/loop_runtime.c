/* schedule(runtime) with every kind and chunk that omp_set_schedule can ask for, the getter's
 * answer, the ICV's scope, and omp_set_schedule's fallbacks for chunks below one. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { turns = 257 };

static void loop(omp_sched_t kind, int chunk, int members) {
  int ran[turns];
  memset(ran, 0, sizeof ran);
  omp_set_schedule(kind, chunk);
#pragma omp parallel num_threads(members)
#pragma omp for schedule(runtime)
  for (int i = 0; i < turns; i++) add_one(&ran[i]);
  for (int i = 0; i < turns; i++) expect_equal("times an iteration ran", ran[i], 1);
}

static void getter(omp_sched_t kind, int chunk) {
  omp_set_schedule(kind, chunk);
  omp_sched_t kind_seen;
  int chunk_seen;
  omp_get_schedule(&kind_seen, &chunk_seen);
  expect_equal("kind", kind_seen & 0xff, kind & 0xff);
  if (kind != omp_sched_auto && chunk > 0) expect_equal("chunk", chunk_seen, chunk);
}

static void scope(void) {
  omp_set_schedule(omp_sched_guided, 4);
#pragma omp parallel num_threads(3)
  {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    expect_equal("inherited kind", kind & 0xff, omp_sched_guided);
    omp_set_schedule(omp_sched_dynamic, 1 + omp_get_thread_num());
    omp_get_schedule(&kind, &chunk);
    expect_equal("own chunk", chunk, 1 + omp_get_thread_num());
  }
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  expect_equal("kind after the region", kind & 0xff, omp_sched_guided);
  expect_equal("chunk after the region", chunk, 4);
}

/* A fixed static chunk asked for at run time has the owners that the specification gives. */
static void static_owners(void) {
  omp_set_schedule(omp_sched_static, 3);
#pragma omp parallel num_threads(4)
#pragma omp for schedule(runtime)
  for (int i = 0; i < 100; i++) {
    expect_equal("owner under static,3 at run time", omp_get_thread_num(), (i / 3) % 4);
  }
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  static const int chunks[] = {0, 1, 2, 13, 256, 257, 1000, -4};
  for (int k = 0; k < 4; k++) {
    for (int c = 0; c < 8; c++) {
      getter(kinds[k], chunks[c]);
      for (int members = 1; members <= 16; members += 5) loop(kinds[k], chunks[c], members);
    }
  }
  loop((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 2, 4);
  scope();
  static_owners();
  return expect_result();
}
