/* Nested parallel regions to four levels: sizes, levels, ancestors, and that every leaf of the tree
 * runs exactly once; also a nested region whose team has one member, and one opened by one member
 * only while its siblings wait. */
#include <omp.h>

#include "expect.h"

static int leaves[2][3][2][3];

static void check_ancestors(const int* path, int depth) {
  static const int sizes[] = {2, 3, 2, 3};
  expect_equal("level", omp_get_level(), depth);
  expect_equal("active level", omp_get_active_level(), depth);
  expect_equal("ancestor at level 0", omp_get_ancestor_thread_num(0), 0);
  expect_equal("team size at level 0", omp_get_team_size(0), 1);
  for (int level = 1; level <= depth; level++) {
    expect_equal("ancestor number", omp_get_ancestor_thread_num(level), path[level - 1]);
    expect_equal("ancestor's team size", omp_get_team_size(level), sizes[level - 1]);
  }
  expect_equal("ancestor below", omp_get_ancestor_thread_num(depth + 1), -1);
  expect_equal("team size below", omp_get_team_size(depth + 1), -1);
  expect_equal("ancestor at -1", omp_get_ancestor_thread_num(-1), -1);
}

static void fourth_level(int a, int b, int c) {
#pragma omp parallel num_threads(3)
  {
    int path[] = {a, b, c, omp_get_thread_num()};
    check_ancestors(path, 4);
    add_one(&leaves[a][b][c][path[3]]);
  }
}

static void third_level(int a, int b) {
#pragma omp parallel num_threads(2)
  {
    int path[] = {a, b, omp_get_thread_num()};
    check_ancestors(path, 3);
    fourth_level(a, b, path[2]);
    check_ancestors(path, 3);
#pragma omp barrier
    check_ancestors(path, 3);
  }
}

static void whole_tree(void) {
#pragma omp parallel num_threads(2)
  {
    int a = omp_get_thread_num();
#pragma omp parallel num_threads(3)
    {
      int path[] = {a, omp_get_thread_num()};
      check_ancestors(path, 2);
      third_level(a, path[1]);
      check_ancestors(path, 2);
    }
    check_ancestors(&a, 1);
  }
}

static void check_leaves(int times) {
  const int* leaf = &leaves[0][0][0][0];
  for (int i = 0; i < 36; i++) expect_equal("times a leaf ran", leaf[i], times);
}

static void serialized_inside(void) {
#pragma omp parallel num_threads(4)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(1)
    {
      expect_equal("level of a team of one", omp_get_level(), 2);
      expect_equal("active level of a team of one", omp_get_active_level(), 1);
      expect_equal("number in a team of one", omp_get_thread_num(), 0);
      expect_equal("its parent", omp_get_ancestor_thread_num(1), outer);
      expect_equal("in parallel", omp_in_parallel(), 1);
    }
  }
}

static void one_member_opens(void) {
  int ran = 0;
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 2) {
#pragma omp parallel num_threads(5)
      add_one(&ran);
    }
#pragma omp barrier
    expect_equal("members of the lone inner team", load(&ran), 5);
  }
}

int main(void) {
  omp_set_max_active_levels(8);
  whole_tree();
  check_leaves(1);
  whole_tree();
  check_leaves(2);
  serialized_inside();
  one_member_opens();
  return expect_result();
}
