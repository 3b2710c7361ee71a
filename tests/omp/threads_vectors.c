/* Vector registers: sums in SSE, AVX and AVX-512 that are live over switches, upper halves not
 * cleaned, come out as they would alone; likewise x87 and mask registers. */
#include <string.h>

#include "threads_move.h"

enum { turns = 50, width = 16 };

/* Each value lives in a register wherever the compiler finds one. */
__attribute__((always_inline)) static inline double steps(int me) {
  double sum[width];
  for (int i = 0; i < width; i++) sum[i] = me + i;
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < width; i++) sum[i] = sum[i] * 0.5 + i;
    if (turn % 8 == 0) meet_and_move();
    for (int i = 0; i < width; i++) sum[i] = sum[i] + me;
    move_alone();
  }
  double total = 0;
  for (int i = 0; i < width; i++) total += sum[i];
  return total;
}

static double alone(int me) {
  double sum[width], total = 0;
  for (int i = 0; i < width; i++) sum[i] = me + i;
  for (int turn = 0; turn < turns; turn++)
    for (int i = 0; i < width; i++) sum[i] = sum[i] * 0.5 + i + me;
  for (int i = 0; i < width; i++) total += sum[i];
  return total;
}

static double with_sse(int me) { return steps(me); }
__attribute__((target("avx2"))) static double with_avx(int me) { return steps(me); }
__attribute__((target("avx512f,avx512vl"))) static double with_avx512(int me) { return steps(me); }

static void all(const char* what, double (*kind)(int)) {
#pragma omp parallel num_threads(members)
  expect_near(what, kind(omp_get_thread_num()), alone(omp_get_thread_num()), 1e-14);
}

/* Upper halves are dirty when the member gives way: neither slower nor another's afterwards. */
__attribute__((target("avx"))) static void dirty_uppers(double me) {
  typedef double four __attribute__((vector_size(32)));
  four value = {me, me + 1, me + 2, me + 3};
  __asm__ volatile("" : "+x"(value));
  move_alone();
  __asm__ volatile("" : "+x"(value));
  for (int i = 0; i < 4; i++) expect_true("four doubles", value[i] == me + i);
}

static void all_dirty_uppers(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) dirty_uppers(omp_get_thread_num());
}

static void on_x87(void) {
#pragma omp parallel num_threads(members)
  {
    long double me = omp_get_thread_num(), sum = 0;
    for (int turn = 0; turn < turns; turn++) {
      sum = sum * 0.5L + me;
      move_alone();
    }
    expect_near("a sum in long double", (double)sum, 2.0 * (double)me, 1e-12);
  }
}

int main(void) {
  begin_threads();
  all("a sum in SSE", with_sse);
  if (__builtin_cpu_supports("avx2")) {
    all("a sum in AVX", with_avx);
    all_dirty_uppers();
  }
  if (__builtin_cpu_supports("avx512vl")) all("a sum in AVX-512", with_avx512);
  on_x87();
  return expect_result();
}
