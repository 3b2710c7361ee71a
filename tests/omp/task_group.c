/* taskgroup and taskwait: a taskgroup waits for descendants, a taskwait for children only; groups
 * nest; groups in several members at once do not wait for each other's tasks. */
#include <omp.h>

#include "expect.h"

static void grow(int depth, int* ran) {
  for (int i = 0; i < 3 && depth > 0; i++) {
#pragma omp task
    {
      add_one(ran);
      grow(depth - 1, ran);
    }
  }
}

static void waits_for_descendants(int members) {
  int ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskgroup
    grow(5, &ran);
    expect_equal("descendants done after the group", load(&ran), 3 + 9 + 27 + 81 + 243);
  }
}

static void groups_nest(int members) {
#pragma omp parallel num_threads(members)
#pragma omp single
  {
    int outer = 0;
    int inner = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(outer)
      grow(3, &outer);
#pragma omp taskgroup
      grow(3, &inner);
      expect_equal("inner group", load(&inner), 39);
    }
    expect_equal("outer group", load(&outer), 39);
  }
}

static void in_every_member(int members) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 20; turn++) {
    int ran = 0;
#pragma omp taskgroup
    grow(3, &ran);
    expect_equal("each member's own group", load(&ran), 39);
  }
}

/* The group waits for its own tasks, not for one made before it that waits for the group's end. */
static void not_for_older_tasks(void) {
  int group_over = 0;
  int ran = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp task
    while (!load(&group_over)) {
#pragma omp taskyield
    }
#pragma omp taskgroup
    grow(2, &ran);
    expect_equal("the group's tasks", load(&ran), 12);
    store(&group_over, 1);
  }
}

static void taskwait_for_children(int members) {
  int children = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
    for (int i = 0; i < 50; i++) {
#pragma omp task
      {
#pragma omp task
        add_one(&children);
        add_one(&children);
      }
    }
#pragma omp taskwait
    expect_between("children done at the taskwait", load(&children), 50, 100);
  }
  expect_equal("all tasks at the region's end", children, 100);
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    for (int turn = 0; turn < 10; turn++) {
      waits_for_descendants(members);
      groups_nest(members);
      in_every_member(members);
      taskwait_for_children(members);
    }
  }
  not_for_older_tasks();
  return expect_result();
}
