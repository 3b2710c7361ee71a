/* A member forks on the kernel thread that was made last, as another one blocks: libc's next thread
 * in the child, which is the runtime's, gets the stack and the thread block of that kernel thread.
 * The child opens regions of its own, and sets its credentials, which stops each of its threads.
 * The watchdog's XYLEM_DUMP_AFTER starts the first of them while the pool's lock is held: checked
 * builds see by their record of held locks whether the two share a block. */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static int region_of_four(void) {
  int ran = 0;
#pragma omp parallel num_threads(4) reduction(+ : ran)
  ran++;
  return ran;
}

static int child_works(void) {
  for (int i = 0; i < 10; i++)
    if (region_of_four() != 4 || setuid(getuid()) != 0) return 1;
  return 0;
}

int main(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    char told;
    expect_equal("bytes read", read(ends[0], &told, 1), 1);
  } else {
    const pid_t child = fork();
    if (child == 0) _exit(child_works());
    int status = -1;
    waitpid(child, &status, 0);
    expect_equal("the child's status", status, 0);
    expect_equal("bytes written", write(ends[1], "x", 1), 1);
  }
  return expect_result();
}
