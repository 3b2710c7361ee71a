/* For valgrind_test: members with deep stacks that are close to each other, and nested teams. It
 * reads one word that nobody set, in a member, if it is told to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 3, members = 8, deep = 40, shallow = 5, frame = 2000 };

__attribute__((noinline)) static int descend(int depth) {
  volatile char here[frame];
  memset((void*)here, depth, sizeof here);
#pragma omp taskyield
  if (depth > 0) return descend(depth - 1) + here[depth];
#pragma omp barrier
  return here[0];
}

__attribute__((noinline)) static void read_one_unset(void) {
  volatile int* words = malloc(4 * sizeof(int));
  if (words[2] == 1) puts("one");
  free((void*)words);
}

int main(int count, char** arguments) {
  (void)arguments;
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(members) reduction(+ : sum)
    {
      sum += descend(deep);
#pragma omp parallel num_threads(2) reduction(+ : sum)
      sum += descend(shallow);
    }
  }
#pragma omp parallel num_threads(members)
  if (count > 1) read_one_unset();
  printf("%d\n", sum);
  return 0;
}
