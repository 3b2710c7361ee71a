/* Threads write an array in iterations for some seconds, and the kernel is asked what the threads
 * of the process took meanwhile that ran none of it. Argument: seconds. Prints the percentage of
 * the time that passed, of one processor, on stderr; a checksum on stdout. */
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { pages = 4096, words = 4096 / sizeof(double), most_threads = 256 };
static double* array;

struct thread {
  long number;
  double seconds; /* of processor time */
  int is_member;  /* it ran a part of a region */
};
static struct thread threads[most_threads];
static int thread_count;

static struct thread* thread_of(long number) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].number == number) return &threads[i];
  if (thread_count == most_threads) exit(2);
  threads[thread_count].number = number;
  return &threads[thread_count++];
}

static void add(double what) {
#pragma omp parallel
  {
    const long self = syscall(SYS_gettid);
#pragma omp critical
    thread_of(self)->is_member = 1;
#pragma omp barrier
#pragma omp for schedule(static)
    for (int page = 0; page < pages; page++)
      for (int word = 0; word < words; word++) array[page * words + word] += what;
  }
}

/* Seconds that the threads took since the last call which ran no part of a region so far. */
static double bystanders(void) {
  double sum = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* task; (task = readdir(tasks)) != NULL;) {
    char path[300];
    long long ns = 0;
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL) continue;
    struct thread* thread = thread_of(atol(task->d_name));
    if (fscanf(file, "%lld", &ns) == 1 && !thread->is_member) sum += ns / 1e9 - thread->seconds;
    thread->seconds = ns / 1e9;
    fclose(file);
  }
  closedir(tasks);
  return sum;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  array = calloc(pages * words, sizeof *array);
  add(0);
  const double begun = omp_get_wtime();
  bystanders();
  while (omp_get_wtime() < begun + seconds) add(1);
  const double passed = omp_get_wtime() - begun;
  fprintf(stderr, "bystanders %.2f%%\n", 100 * bystanders() / passed);
  for (int i = 1; i < pages * words; i++)
    if (array[i] != array[0]) return 1;
  printf("alike\n");
  return 0;
}
