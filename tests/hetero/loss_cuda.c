/* The stand-in for libcuda.so.1 loses its device itself. */
#include "check.h"
#include "loss.h"
#include "stand_in/control.h"

void lose_after(int kernels) {
  stand_in_lose_after_function* lose = stand_in("stand_in_lose_after");
  CHECK(lose);
  lose(kernels);
}

int is_lost(void) {
  stand_in_lost_function* lost = stand_in("stand_in_lost");
  CHECK(lost);
  return lost() > 0;
}
