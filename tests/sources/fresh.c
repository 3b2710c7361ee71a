/* Members write pages that nobody wrote before, so that each write is a page fault. Prints each
   page and the member that ran last in that region on the kernel thread that wrote it. */
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { threads = 8, iterations = 60, page_bytes = 4096 };
static char pages[iterations][threads][page_bytes] __attribute__((aligned(4096)));

int main(void) {
  for (int it = 0; it < iterations; it++) {
    long kernel_thread[threads];
    int order[threads], next = 0;
#pragma omp parallel num_threads(threads)
    {
      const int self = omp_get_thread_num();
      kernel_thread[self] = syscall(SYS_gettid);
#pragma omp atomic capture
      order[self] = next++;
      pages[it][self][it] = 1;
    }
    for (int t = 0; t < threads; t++) {
      int last = t;
      for (int other = 0; other < threads; other++)
        if (kernel_thread[other] == kernel_thread[t] && order[other] > order[last]) last = other;
      printf("%lu %d\n", (unsigned long)&pages[it][t] / page_bytes, last);
    }
  }
  return 0;
}
