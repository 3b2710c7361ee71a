/* What C says of the records of xylem/codelet.h: the Fortran module's must be the same. */
#include <stddef.h>
#include <xylem/codelet.h>

size_t c_size_of_view(void) { return sizeof(xylem_view); }
size_t c_size_of_codelet(void) { return sizeof(xylem_codelet); }
size_t c_size_of_options(void) { return sizeof(xylem_task_options); }
size_t c_size_of_opencl(void) { return sizeof(xylem_opencl); }
size_t c_size_of_cuda(void) { return sizeof(xylem_cuda); }

/* A codelet as C sees what Fortran filled in: 0, or the number of the member that is not as told.
 */
int c_check_cuda(const xylem_cuda* cuda, const void* source, void (*range)(void),
                 void (*launch)(void)) {
  if (cuda->source != source) return 1;
  if ((void (*)(void))cuda->range != range) return 2;
  if (cuda->shared_bytes != 77) return 3;
  if ((void (*)(void))cuda->launch != launch) return 4;
  return cuda->image || cuda->kernel || cuda->options ? 5 : 0;
}
