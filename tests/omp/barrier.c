/* The barrier construct: no member passes before all have come, and what was written before is
 * seen after; many in a row, in nested teams at once, and with members that come late. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

enum { most_members = 64 };

static void phases(int members, int turns) {
  int phase[most_members] = {0};
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    for (int turn = 1; turn <= turns; turn++) {
      phase[me] = turn;
#pragma omp barrier
      for (int other = 0; other < members; other++) {
        expect_equal("phase of a member after the barrier", phase[other], turn);
      }
#pragma omp barrier
    }
  }
}

static void nested_phases(void) {
  omp_set_max_active_levels(4);
  int outer_sum = 0;
#pragma omp parallel num_threads(4)
  {
    int counter = 0;
#pragma omp parallel num_threads(4) shared(counter)
    for (int turn = 1; turn <= 50; turn++) {
      add_one(&counter);
#pragma omp barrier
      expect_equal("inner count", load(&counter), 4 * turn);
#pragma omp barrier
    }
#pragma omp atomic
    outer_sum += counter;
#pragma omp barrier
    expect_equal("sum of the inner teams", outer_sum, 4 * 200);
  }
}

static void late_member(void) {
  int arrived = 0;
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 3) usleep(20000);
    add_one(&arrived);
#pragma omp barrier
    expect_equal("arrived when the late one came", load(&arrived), 4);
  }
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 7, 8, 16, 33};
  for (int i = 0; i < 8; i++) phases(sizes[i], sizes[i] > 8 ? 30 : 200);
  nested_phases();
  late_member();
  return expect_result();
}
