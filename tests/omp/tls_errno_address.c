/* A member that keeps errno's address across a barrier still finds its own errno there, and no two
 * members share an address: compilers do keep it, as the C library promises it is constant. */
#include <errno.h>
#include <omp.h>

#include "expect.h"

enum { members = 16 };

int main(void) {
  int* address[members];
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    int* mine = address[me] = &errno;
    for (int turn = 0; turn < 200; turn++) {
      *mine = turn * members + me;
#pragma omp barrier
      expect_equal("errno by a kept address", *mine, turn * members + me);
    }
  }
  for (int i = 0; i < members; i++) {
    for (int j = 0; j < i; j++) expect_true("errno addresses differ", address[i] != address[j]);
  }
  return expect_result();
}
