/* A megabyte of stack for each member of a nested team, four by four, kept over a barrier; and deep
 * recursion on every member. */
#include <omp.h>

#include "expect.h"

enum { megabyte = 1 << 20 };

static void fill(volatile unsigned char* block, int seed) {
  for (int i = 0; i < megabyte; i += 512) block[i] = (unsigned char)(seed + i / 512);
}

static void check(const volatile unsigned char* block, int seed) {
  for (int i = 0; i < megabyte; i += 512) {
    expect_equal("byte of a member's megabyte", block[i], (unsigned char)(seed + i / 512));
  }
}

__attribute__((noinline)) static void one_member(int seed) {
  volatile unsigned char block[megabyte];
  fill(block, seed);
#pragma omp barrier
  check(block, seed);
#pragma omp barrier
}

__attribute__((noinline)) static int deep(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = (char)depth;
  return depth == 0 ? 0 : 1 + deep(depth - 1) + frame[(depth + 1) % 1024] * 0;
}

int main(void) {
  omp_set_max_active_levels(3);
  for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(4)
    {
      int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4)
      one_member(17 * (4 * outer + omp_get_thread_num()));
      expect_equal("recursion's depth", deep(900), 900);
    }
  }
  return expect_result();
}
