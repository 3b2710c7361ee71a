/* A shared object with thread-local data of the three models that a library may have. Compiled
 * with -mtls-dialect=gnu2 the last is reached by a descriptor. */
#include "threads_models.h"

VARIABLES_OF(initial_exec, "initial-exec")
VARIABLES_OF(local_dynamic, "local-dynamic")
VARIABLES_OF(global_dynamic, "global-dynamic")
