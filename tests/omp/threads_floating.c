/* The floating-point environment is each OpenMP thread's own: rounding, flush to zero, sticky flags
 * and traps survive every switch, are seen by nobody else, and hold in the next region. A new
 * thread begins with its maker's. */
#include <fenv.h>
#include <float.h>
#include <pmmintrin.h>
#include <string.h>

#include "threads_move.h"

enum { turns = 50 };

static const int direction[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/* What the processor does, not only what its registers say. */
static double third(void) {
  volatile double one = 1.0, three = 3.0;
  return one / three;
}

static long double long_third(void) {
  volatile long double one = 1.0L, three = 3.0L;
  return one / three;
}

static double half_of_least(void) {
  volatile double least = DBL_MIN;
  return least / 2;
}

static double of_direction[4];
static long double long_of_direction[4];

static void learn(void) {
  for (int i = 0; i < 4; i++) {
    fesetround(direction[i]);
    of_direction[i] = third();
    long_of_direction[i] = long_third();
  }
  fesetround(FE_TONEAREST);
}

static void begins_with_makers(void) {
  fesetround(FE_UPWARD);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#pragma omp parallel num_threads(members)
  {
    expect_equal("rounding of a new thread", fegetround(), FE_UPWARD);
    expect_true("denormals of a new thread",
                _MM_GET_DENORMALS_ZERO_MODE() == _MM_DENORMALS_ZERO_ON);
    meet_and_move();
    fesetround(FE_TONEAREST);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_OFF);
  }
  expect_equal("rounding of the first thread", fegetround(), FE_TONEAREST);
}

static void one_alone(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int mine = omp_get_thread_num() == turn % members ? FE_UPWARD : FE_TONEAREST;
    fesetround(mine);
    meet_and_move();
    expect_equal("rounding that one member set", fegetround(), mine);
    expect_true("a third, rounded", third() == of_direction[mine == FE_UPWARD]);
    meet_and_move();
    fesetround(FE_TONEAREST);
  }
}

static void by_thread(int mine) {
  int i = mine % 4;
  expect_equal("rounding", fegetround(), direction[i]);
  expect_true("a third", third() == of_direction[i]);
  expect_true("a long third", long_third() == long_of_direction[i]);
  int flushed = half_of_least() == 0.0;
  expect_equal("denormals flushed", flushed, mine % 2);
}

static void set_by_thread(int mine) {
  fesetround(direction[mine % 4]);
  _MM_SET_FLUSH_ZERO_MODE(mine % 2 ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
}

static void holds_over_regions(void) {
#pragma omp parallel num_threads(members)
  set_by_thread(omp_get_thread_num());
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      by_thread(omp_get_thread_num());
      meet_and_move();
      by_thread(omp_get_thread_num());
    }
  }
#pragma omp parallel num_threads(members)
  set_by_thread(0);
}

static void flags(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int mine = (omp_get_thread_num() + turn) % 2 ? FE_DIVBYZERO : FE_OVERFLOW;
    feclearexcept(FE_ALL_EXCEPT);
    meet_and_move();
    expect_equal("no flag", fetestexcept(FE_DIVBYZERO | FE_OVERFLOW), 0);
    feraiseexcept(mine);
    meet_and_move();
    expect_equal("own flag", fetestexcept(FE_DIVBYZERO | FE_OVERFLOW), mine);
    meet_and_move();
  }
#pragma omp parallel num_threads(members)
  feclearexcept(FE_ALL_EXCEPT);
}

/* What x87 instructions alone record: a division of long doubles. Of the maker, of members of a
 * nested team that run on it or beside it, and of tasks in between. */
static int divided(void) { return fetestexcept(FE_DIVBYZERO) != 0; }

static void divide_by_zero(void) {
  volatile long double one = 1.0L, zero = 0.0L;
  volatile long double infinite = one / zero;
  (void)infinite;
}

static void begin_with(int mine) {
  feclearexcept(FE_ALL_EXCEPT);
  if (mine) divide_by_zero();
}

static void in_a_nested_team(int mine) {
#pragma omp parallel num_threads(3)
  {
    int wanted = mine;
    if (omp_get_thread_num() > 0) begin_with(wanted = omp_get_thread_num() % 2);
    for (int i = 0; i < 3; i++) {
#pragma omp barrier
      expect_equal("a nested member's division", divided(), wanted);
#pragma omp taskyield
      expect_equal("a nested member's division", divided(), wanted);
    }
  }
}

static void long_flags(void) {
#pragma omp parallel num_threads(members)
  {
    for (int turn = 0; turn < turns; turn++) {
      int mine = (omp_get_thread_num() + turn) % 2;
      begin_with(mine);
      meet_and_move();
      expect_equal("own division", divided(), mine);
      in_a_nested_team(mine);
      expect_equal("own division, after a nested team", divided(), mine);
    }
    feclearexcept(FE_ALL_EXCEPT);
  }
}

/* An environment saved before a switch and restored after it. */
static void saved_environment(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    fenv_t before;
    int mine = direction[(omp_get_thread_num() + turn) % 4];
    fesetround(mine);
    feholdexcept(&before);
    fesetround(FE_TONEAREST);
    meet_and_move();
    expect_equal("rounding in between", fegetround(), FE_TONEAREST);
    feupdateenv(&before);
    move_alone();
    expect_equal("rounding restored", fegetround(), mine);
    fesetround(FE_TONEAREST);
  }
}

static void tasks_leave_nothing(void) {
  int wrong = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp single
    for (int task = 0; task < 200; task++) {
#pragma omp task shared(wrong)
      {
        if (fegetround() != FE_TONEAREST) add_one(&wrong);
        fesetround(FE_DOWNWARD);
#pragma omp taskyield
        if (fegetround() != FE_DOWNWARD) add_one(&wrong);
        fesetround(FE_TONEAREST);
      }
    }
    if (fegetround() != FE_TONEAREST) add_one(&wrong);
  }
  expect_equal("tasks with another's rounding", wrong, 0);
}

int main(void) {
  begin_threads();
  learn();
  begins_with_makers();
  one_alone();
  holds_over_regions();
  flags();
  long_flags();
  saved_environment();
  tasks_leave_nothing();
  return expect_result();
}
