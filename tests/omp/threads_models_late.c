/* A shared object that threads_models opens late: no initial-exec data, so that any amount fits. */
#include "threads_models.h"

VARIABLES_OF(local_dynamic, "local-dynamic")
VARIABLES_OF(global_dynamic, "global-dynamic")
