/* A forked child of a program with codelets calls no malloc before fork() returns there, and runs
 * codelets of its own. Arguments: the policy. */
#include "../omp/fork_calls.h"
#include "check.h"

static int ran;

static int run(const xylem_view* views, void* argument) {
  (void)argument;
  *(int*)views[0].data += 1;
  add_one(&ran);
  return 0;
}
static const xylem_codelet running = {
    .name = "run", .cpu = run, .accesses = 1, .modes = {xylem_read_write}};

static void burst(void) {
  int sum = 0;
  xylem_data* data = xylem_data_variable(&sum, sizeof sum);
  for (int i = 0; i < 20; ++i)
    CHECK(xylem_submit(&running, &(xylem_task_options){.data = &data}, NULL) == 0);
  CHECK(xylem_data_unregister(data) == 0 && sum == 20);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  for (int turn = 0; turn < 3; ++turn) {
    fork_once("calls of malloc in a child");
    burst();
  }
  const pid_t child = fork();
  if (child == 0) {
    for (int turn = 0; turn < 3; ++turn) {
      fork_once("calls of malloc in a child's child");
      burst();
    }
    exit(expect_result());
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(load(&ran) == 60);
  return expect_result();
}
