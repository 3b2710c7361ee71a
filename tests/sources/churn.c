/* Threads that map, fill, check and unmap blocks all the time, and read them through system calls,
   while pages of theirs are watched; one in a while forks. Argument: iterations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 4, bytes = 1 << 20 };

static long fill_and_check(int number, int turn) {
  const int by_malloc = (number + turn) % 2;
  unsigned char* block =
      by_malloc ? malloc(bytes)
                : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(block, 1 + number, bytes);
  int ends[2];
  long wrong = pipe(ends) != 0;
  for (int at = 0; at < bytes; at += 65536) { /* the kernel touches the pages, too */
    wrong += write(ends[1], block + at, 4096) != 4096;
    wrong += read(ends[0], block + at + 4096, 4096) != 4096;
  }
  close(ends[0]);
  close(ends[1]);
  block = by_malloc ? realloc(block, 2 * bytes) : block;
  long sum = 0;
  for (int i = 0; i < bytes; i++) sum += block[i];
  if (by_malloc)
    free(block);
  else
    munmap(block, bytes);
  return wrong + (sum != (long)bytes * (1 + number));
}

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? atoi(argv[1]) : 200;
  long wrong = 0;
  double* stays = malloc(sizeof *stays * 100000);
  for (int i = 0; i < 100000; i++) stays[i] = 1;
  for (int it = 0; it < iterations; it++) {
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
#pragma omp for
      for (int i = 0; i < threads; i++) wrong += fill_and_check(i, it);
#pragma omp for
      for (int i = 0; i < 100000; i++) stays[i] += 1;
    }
    if (it % 20 != 7) continue;
    const pid_t child = fork();
    if (child == 0) { /* the child sees what its parent had */
      for (int i = 0; i < 100000; i++)
        if (stays[i] != it + 2) _exit(1);
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    wrong += status != 0;
  }
  for (int i = 0; i < 100000; i++) wrong += stays[i] != iterations + 1;
  printf("wrong %ld\n", wrong);
  return wrong != 0;
}
