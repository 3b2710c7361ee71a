/* Two threads hand a word to and fro, so many times: each hand-over moves the word's line once to
 * be read and once to be written, and nothing else. With `apart` each has a line of its own, which
 * the other never touches. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "meter.h"

static _Alignas(64) int word;
static struct { _Alignas(64) int own; } lines[2];
static int times, apart;
static pthread_barrier_t begin, end;

static void* play(void* raw) {
  const int side = raw != NULL;
  pthread_barrier_wait(&begin);
  for (int i = 0; i < times; i++) {
    if (apart) {
      __atomic_fetch_add(&lines[side].own, 1, __ATOMIC_RELAXED);
      continue;
    }
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != 2 * i + side) __builtin_ia32_pause();
    __atomic_store_n(&word, 2 * i + side + 1, __ATOMIC_RELEASE);
  }
  pthread_barrier_wait(&end);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  times = atoi(argv[2]);
  apart = strcmp(argv[1], "apart") == 0;
  volatile char* page = mmap((void*)METER_PAGE, METER_SIZE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (page == MAP_FAILED) return 1;
  pthread_barrier_init(&begin, NULL, 3);
  pthread_barrier_init(&end, NULL, 3);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, play, NULL);
  pthread_create(&threads[1], NULL, play, &page);
  page[METER_SWITCH + 1] = 1;
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
  page[METER_SWITCH] = 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
