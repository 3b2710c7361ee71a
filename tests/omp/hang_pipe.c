/* Teams of 8 and 16 whose members block in read() on pipes in a ring, in both directions, and a
 * team whose members all wait for one that writes last. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

enum { most = 16 };

static int ring[most][2];

static void open_pipes(void) {
  for (int i = 0; i < most; i++) {
    if (pipe(ring[i]) != 0) exit(77);
  }
}

static void pass(int from, int to) {
  int token = -1;
  expect_equal("bytes read", read(ring[from][0], &token, sizeof token), sizeof token);
  token++;
  expect_equal("bytes written", write(ring[to][1], &token, sizeof token), sizeof token);
}

/* The token goes `rounds` times round; member 0 puts it in and takes it out. */
static void around(int members, int step, int rounds) {
  int token = 0;
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    int next = (me + step + members) % members;
    for (int round = 0; round < rounds; round++) {
      if (me == 0) {
        expect_equal("bytes put in", write(ring[next][1], &token, sizeof token), sizeof token);
        expect_equal("bytes taken out", read(ring[0][0], &token, sizeof token), sizeof token);
      } else {
        pass(me, next);
      }
    }
  }
  expect_equal("token after the rounds", token, (members - 1) * rounds);
}

static void last_one_writes(int members) {
  int sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  {
    int me = omp_get_thread_num();
    if (me == members - 1) {
      for (int i = 0; i < members - 1; i++) {
        expect_equal("bytes written", write(ring[i][1], &i, sizeof i), sizeof i);
      }
    } else {
      int seen = -1;
      expect_equal("bytes read", read(ring[me][0], &seen, sizeof seen), sizeof seen);
      sum += seen;
    }
  }
  expect_equal("sum of what was read", sum, (members - 1) * (members - 2) / 2);
}

int main(void) {
  open_pipes();
  for (int members = 8; members <= most; members += 8) {
    around(members, 1, 5);
    around(members, -1, 5);
    last_one_writes(members);
  }
  return expect_result();
}
