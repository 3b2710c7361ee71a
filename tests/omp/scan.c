/* In-scan reductions against serial prefixes: inclusive and exclusive, on for and parallel for,
 * several sizes, two variables, and a reduction of the user's. (GCC 12 fails to compile one of an
 * array.) */
#include <omp.h>

#include "expect.h"

enum { most = 1000 };

static int in[most];
static long out[most], other[most];

static void inclusive(int members, int n) {
  long sum = 10;
#pragma omp parallel num_threads(members)
#pragma omp for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  long expected = 10;
  for (int i = 0; i < n; i++) {
    expected += in[i];
    expect_equal("inclusive prefix", out[i], expected);
  }
  expect_equal("inclusive: the variable after", sum, expected);
}

static void exclusive(int members, int n) {
  long sum = 0;
  int least = 1000000;
#pragma omp parallel for num_threads(members) reduction(inscan, + : sum) \
    reduction(inscan, min : least)
  for (int i = 0; i < n; i++) {
    out[i] = sum;
    other[i] = least;
#pragma omp scan exclusive(sum, least)
    sum += in[i];
    if (in[i] < least) least = in[i];
  }
  long expected = 0;
  long expected_least = 1000000;
  for (int i = 0; i < n; i++) {
    expect_equal("exclusive prefix", out[i], expected);
    expect_equal("exclusive minimum", other[i], expected_least);
    expected += in[i];
    if (in[i] < expected_least) expected_least = in[i];
  }
  expect_equal("exclusive: the variable after", sum, expected);
}

typedef struct Most {
  int value, at;
} Most;

static void keep(Most* to, const Most* from) {
  if (from->value > to->value || (from->value == to->value && from->at < to->at)) *to = *from;
}

#pragma omp declare reduction(most:Most                  \
                              : keep(&omp_out, &omp_in)) \
    initializer(omp_priv = (Most){-1000000, most})

static void of_the_users(int members, int n) {
  Most best = {-1000000, most};
#pragma omp parallel for num_threads(members) reduction(inscan, most : best)
  for (int i = 0; i < n; i++) {
    {
      const Most here = {in[i], i};
      keep(&best, &here);
    }
#pragma omp scan inclusive(best)
    out[i] = best.at;
  }
  Most expected = {-1000000, most};
  for (int i = 0; i < n; i++) {
    const Most here = {in[i], i};
    keep(&expected, &here);
    expect_equal("place of the prefix's maximum", out[i], expected.at);
  }
}

int main(void) {
  for (int i = 0; i < most; i++) in[i] = (i * 7919) % 1009 - 300;
  const int sizes[] = {1, 2, 7, 100, most};
  for (int s = 0; s < 5; s++) {
    for (int members = 1; members <= 16; members += 5) {
      inclusive(members, sizes[s]);
      exclusive(members, sizes[s]);
      of_the_users(members, sizes[s]);
    }
  }
  return expect_result();
}
