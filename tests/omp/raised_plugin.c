/* What raised.c must not find in its process. */
#include <stdlib.h>

__attribute__((constructor)) static void leave_a_mark(void) {
  setenv("RAISED_PLUGIN", "loaded", 1);
}
