// copyprivate in a region that is cancelled: the others copy from the frame of the member that ran
// the single, which must not leave the region, and so end what is there, before they have.
// Registered with OMP_CANCELLATION=true. Stock libgomp 12 hangs.
#include <omp.h>

#include "expect.h"

namespace {

constexpr int members = 4, regions = 500, many = 1000;

// Says whether what is copied from has ended.
struct Values {
  Values() { fill(0); }
  ~Values() { fill(-1); }
  Values& operator=(const Values& other) {
    for (int i = 0; i < many; i++) {
      at[i] = other.at[i];
      if (at[i] == -1) add_one(&ended_ones);
    }
    return *this;
  }
  void fill(int value) {
    for (volatile int& each : at) each = value;
  }
  volatile int at[many];
  static int ended_ones;
};
int Values::ended_ones = 0;

void cancelled_region() {
#pragma omp parallel num_threads(members)
  {
    Values values;
    if (omp_get_thread_num() == members - 1) {
#pragma omp cancel parallel
    }
#pragma omp single copyprivate(values)
    values.fill(1);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < regions; i++) cancelled_region();
  expect_equal("values copied from an object that has ended", Values::ended_ones, 0);
  return expect_result();
}
