// Exceptions and stack walks in regions that have more variables than registers hold.
#include <omp.h>
#include <unwind.h>

#include <stdexcept>
#include <string>

#include "expect.h"

int main();

namespace {

[[gnu::noinline]] void fail(int who) { throw std::runtime_error("member " + std::to_string(who)); }

void caught_inside(int a, int b, int c, int d, int e) {
  int caught = 0;
#pragma omp parallel num_threads(5) firstprivate(a, b, c, d, e)
  {
    try {
      fail(omp_get_thread_num());
    } catch (const std::runtime_error& error) {
      expect_true("what was thrown",
                  error.what() == "member " + std::to_string(omp_get_thread_num()));
      if (a + b + c + d + e == 15) add_one(&caught);
    }
  }
  expect_equal("members that caught their own", caught, 5);
}

_Unwind_Reason_Code look_for_main(_Unwind_Context* context, void* found) {
  void* const function =
      _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(_Unwind_GetIP(context) - 1));
  if (function == reinterpret_cast<void*>(main)) *static_cast<bool*>(found) = true;
  return _URC_NO_REASON;
}

// Member 0 runs on its maker's stack: a profiler sees who opened the region.
void walk_reaches_main(int a, int b, int c, int d, int e) {
  bool found = false;
  _Unwind_Reason_Code end = _URC_NO_REASON;
#pragma omp parallel num_threads(3) firstprivate(a, b, c, d, e)
  {
    if (a + b + c + d + e != 15) expect_true("what was copied", 0);
#pragma omp master
    end = _Unwind_Backtrace(look_for_main, &found);
  }
  expect_equal("how the walk ended", end, _URC_END_OF_STACK);
  expect_true("the walk came to main", found);
}

}  // namespace

int main() {
  caught_inside(1, 2, 3, 4, 5);
  walk_reaches_main(1, 2, 3, 4, 5);
  return expect_result();
}
