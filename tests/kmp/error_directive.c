/* What the error directive prints, and that the fatal one ends the process: the test reads it. */
#include <stdio.h>

int main(void) {
#pragma omp error at(execution) severity(warning) message("a remark")
#pragma omp error at(execution) severity(fatal) message("too bad")
  fputs("went on\n", stderr);
  return 0;
}
