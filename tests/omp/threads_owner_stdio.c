/* flockfile and ftrylockfile know their owner, and so does stdio within each of its functions:
 * lines that members print beside each other stay whole. */
#include <string.h>

#include "threads_inside.h"

enum { turns = 30, lines = 200 };

static void hold(FILE* file) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    flockfile(file);
#pragma omp taskyield
    flockfile(file);
    alone_inside("holders of flockfile");
    funlockfile(file);
    funlockfile(file);
  }
}

static void refused(FILE* file) {
#pragma omp parallel num_threads(members)
  {
    int holder = omp_get_thread_num() == 0;
    if (holder) flockfile(file);
    meet_and_move();
    int got = ftrylockfile(file) == 0;
    expect_equal("ftrylockfile of a held file", got, holder);
    meet_and_move();
    if (got) funlockfile(file);
    if (holder) funlockfile(file);
  }
}

/* Three words of one line, printed under the lock with a switch between each. */
static void whole_lines(FILE* file) {
#pragma omp parallel num_threads(members)
  for (int line = 0; line < lines; line++) {
    flockfile(file);
    for (int word = 0; word < 3; word++) {
      fprintf(file, "%d ", omp_get_thread_num());
#pragma omp taskyield
    }
    putc_unlocked('\n', file);
    funlockfile(file);
  }
  rewind(file);
  int count = 0;
  char text[64];
  while (fgets(text, sizeof text, file)) {
    int a = -1, b = -2, c = -3;
    sscanf(text, "%d %d %d", &a, &b, &c);
    expect_true("one thread's words in a line", a == b && b == c);
    count++;
  }
  expect_equal("lines", count, members * lines);
}

int main(void) {
  begin_threads();
  FILE* file = tmpfile();
  hold(file);
  refused(file);
  whole_lines(file);
  fclose(file);
  return expect_result();
}
