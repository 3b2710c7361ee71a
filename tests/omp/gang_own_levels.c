/* Gangs with turns on levels of their own (xylem_bubble_set_gang_level): two packages of two
 * processors, two gangs with turns on packages, and one with turns on the machine. The initial
 * thread, which is in no gang, looks where each of them is. */
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>
#include <unistd.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { gangs = 3, threads = 4, wide = 2, least_turns = 5 };

static xylem_bubble* bubbles[gangs];
static int ready, done;
static long pieces[gangs];

static void gang(int number) {
  xylem_bubble_enter(bubbles[number]);
  add_one(&ready);
#pragma omp parallel num_threads(threads)
  while (!load(&done)) {
#pragma omp taskyield
    const double until = omp_get_wtime() + 0.0001;
    while (omp_get_wtime() < until) continue;
#pragma omp atomic
    pieces[number]++;
  }
  xylem_bubble_leave();
}

/* Processors of the level to which the bubble is attached, or what stands in place of a level. */
static int width_of(const xylem_bubble* bubble) {
  xylem_bubble_info info;
  xylem_level level;
  expect_equal("query", xylem_bubble_query(bubble, &info, sizeof info), 0);
  if (info.level < 0) return info.level;
  expect_equal("level", xylem_level_query(info.level, &level, sizeof level), 0);
  return level.pu_count;
}

static void watch(void) {
  int turns[gangs] = {0}, had_turn[gangs] = {0};
  for (int least = 0; least < least_turns;) {
    usleep(200);
    for (int i = 0; i < gangs; i++) {
      const int width = width_of(bubbles[i]), has_turn = width >= 0;
      if (has_turn) expect_equal("processors of a gang's level", width, i == wide ? 4 : 2);
      turns[i] += has_turn && !had_turn[i];
      had_turn[i] = has_turn;
    }
    least = turns[0];
    for (int i = 1; i < gangs; i++) least = turns[i] < least ? turns[i] : least;
  }
}

int main(void) {
  if (!xylem_current_pu) return 99;
  for (int i = 0; i < gangs; i++) {
    bubbles[i] = xylem_bubble_create();
    expect_equal("no such kind", xylem_bubble_set_gang_level(bubbles[i], 99), EINVAL);
    expect_equal("gang level",
                 xylem_bubble_set_gang_level(bubbles[i], i == wide ? -1 : xylem_level_package), 0);
  }
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(gangs + 1)
  if (omp_get_thread_num() > 0) {
    gang(omp_get_thread_num() - 1);
  } else {
    while (load(&ready) < gangs) usleep(200);
    watch();
    add_one(&done);
  }
  for (int i = 0; i < gangs; i++) {
    expect_true("each gang works", pieces[i] > 0);
    expect_equal("destroy", xylem_bubble_destroy(bubbles[i]), 0);
  }
  return expect_result();
}
