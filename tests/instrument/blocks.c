/* Each of four threads writes its own block of pages once and reads the first page of the next
   block twice; the last word of the array is counted up by all, atomically. Prints where the array
   is. */
#include <stdatomic.h>
#include <stdio.h>

enum {
  threads = 4,
  pages_a_block = 3,
  words_a_page = 512,
  words = threads * pages_a_block * words_a_page
};

static double array[words + words_a_page] __attribute__((aligned(4096)));
double sums[threads * words_a_page] __attribute__((aligned(4096)));

int main(void) {
  printf("%lu\n", (unsigned long)array / 4096);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < words; i++) array[i] = i;
#pragma omp for schedule(static)
    for (int t = 0; t < threads; t++) {
      const double* next = array + (t + 1) % threads * pages_a_block * words_a_page;
      double sum = 0;
      for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < words_a_page; i++) sum += next[i] * (turn + 1);
      sums[t * words_a_page] = sum;
    }
    for (int i = 0; i < 10; i++) atomic_fetch_add((_Atomic unsigned*)(array + words), 1);
  }
  return *(unsigned*)(array + words) == 10 * threads ? 0 : 1;
}
