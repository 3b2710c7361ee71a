/* strerror: the text of an unknown number lies in a buffer of the thread. Used at once it is right
 * in every tier; with the argument "kept" the text must outlive the other members' calls, too. */
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <string.h>

#include "expect.h"

static void check_text(const char* text, int number, const char* what) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "Unknown error %d", number);
  expect_equal(what, strcmp(text, wanted), 0);
}

static void used_at_once(void) {
#pragma omp parallel num_threads(16)
  for (int turn = 0; turn < 50; turn++) {
    int number = 10000 + omp_get_thread_num() * 100 + turn;
    check_text(strerror(number), number, "strerror of an unknown number");
    expect_equal("strerror of a known number",
                 strcmp(strerror(ENOENT), "No such file or directory"), 0);
    expect_equal("strsignal", strcmp(strsignal(SIGSEGV), "Segmentation fault"), 0);
#pragma omp barrier
  }
}

static void kept_over_a_switch(void) {
#pragma omp parallel num_threads(16)
  for (int turn = 0; turn < 50; turn++) {
    int number = 10000 + omp_get_thread_num() * 100 + turn;
    const char* text = strerror(number);
#pragma omp barrier
    check_text(text, number, "strerror's text after a barrier");
#pragma omp barrier
  }
}

int main(int count, char** arguments) {
  used_at_once();
  if (count > 1 && strcmp(arguments[1], "kept") == 0) kept_over_a_switch();
  return expect_result();
}
