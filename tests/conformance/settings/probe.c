/* Prints all of an OpenMP runtime's internal control variables that a program can ask for, one
 * `name: value` a line; compare.py runs it under many environments.
 *
 * Words: `team` also runs a region of two threads; `touch BYTES` uses that much stack in each of
 * them. At the end the runtime shows its settings on standard error, first as by
 * OMP_DISPLAY_ENV=true, then all. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char* name, long value) { printf("%s: %ld\n", name, value); }

static void show_schedule(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("schedule: 0x%x,%d\n", (unsigned)kind, chunk);
}

static void show_places(void) {
  show("num_places", omp_get_num_places());
  for (int i = 0; i < omp_get_num_places(); i++) {
    int count = omp_get_place_num_procs(i);
    int* processors = calloc((size_t)count + 1, sizeof *processors);
    omp_get_place_proc_ids(i, processors);
    printf("place %d:", i);
    for (int j = 0; j < count; j++) printf(" %d", processors[j]);
    printf("\n");
    free(processors);
  }
}

static void show_partition(void) {
  int count = omp_get_partition_num_places();
  int* places = calloc((size_t)count + 1, sizeof *places);
  omp_get_partition_place_nums(places);
  printf("partition of level %d:", omp_get_level());
  for (int i = 0; i < count; i++) printf(" %d", places[i]);
  printf("\n");
  free(places);
}

/* What may differ from one nesting level to the next. */
static void show_level(void) {
  printf("level %d: threads %d bind %d place %d dynamic %d levels %d limit %d\n", omp_get_level(),
         omp_get_max_threads(), (int)omp_get_proc_bind(), omp_get_place_num(), omp_get_dynamic(),
         omp_get_max_active_levels(), omp_get_thread_limit());
  show_partition();
}

static void show_levels(void) {
  show_level();
#pragma omp parallel num_threads(1)
  {
    show_level();
#pragma omp parallel num_threads(1)
    {
      show_level();
#pragma omp parallel num_threads(1)
      show_level();
    }
  }
}

static void show_process(void) {
  char format[512];
  show("num_procs", omp_get_num_procs());
  show("nested", omp_get_nested());
  show("supported_active_levels", omp_get_supported_active_levels());
  show("max_task_priority", omp_get_max_task_priority());
  show("cancellation", omp_get_cancellation());
  show("default_device", omp_get_default_device());
  show("num_devices", omp_get_num_devices());
  show("initial_device", omp_get_initial_device());
  show("default_allocator", (long)omp_get_default_allocator());
  show("max_teams", omp_get_max_teams());
  show("teams_thread_limit", omp_get_teams_thread_limit());
  size_t length = omp_get_affinity_format(format, sizeof format);
  printf("affinity_format: %zu %s\n", length, format);
}

static void use_stack(size_t bytes) {
  volatile char block[4096];
  memset((char*)block, 1, sizeof block);
  if (bytes > sizeof block) use_stack(bytes - sizeof block);
  block[0] = 2;
}

static void show_team(size_t bytes) {
  int sizes[2] = {0, 0}, places[2] = {-9, -9}, inner[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    sizes[me] = omp_get_num_threads();
    places[me] = omp_get_place_num();
    if (bytes > 0) use_stack(bytes);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) inner[me] = omp_get_num_threads();
  }
  for (int i = 0; i < 2; i++)
    printf("member %d: of %d, place %d, inner team of %d\n", i, sizes[i], places[i], inner[i]);
}

int main(int count, char** words) {
  show_process();
  show_schedule();
  show_places();
  show_levels();
  if (count > 1 && strcmp(words[1], "team") == 0) show_team(0);
  if (count > 2 && strcmp(words[1], "touch") == 0) show_team(strtoull(words[2], NULL, 10));
  fflush(stdout);
  omp_display_env(0);
  omp_display_env(1);
  return 0;
}
