/* The omp_* routines: each getter after its setter, levels and numbers outside and inside regions,
 * time, and the answers the specification fixes for a host without devices. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static void outside(void) {
  expect_equal("omp_get_num_threads", omp_get_num_threads(), 1);
  expect_equal("omp_get_thread_num", omp_get_thread_num(), 0);
  expect_equal("omp_in_parallel", omp_in_parallel(), 0);
  expect_equal("omp_get_level", omp_get_level(), 0);
  expect_equal("omp_get_active_level", omp_get_active_level(), 0);
  expect_equal("omp_get_ancestor_thread_num(0)", omp_get_ancestor_thread_num(0), 0);
  expect_equal("omp_get_ancestor_thread_num(1)", omp_get_ancestor_thread_num(1), -1);
  expect_equal("omp_get_team_size(0)", omp_get_team_size(0), 1);
  expect_equal("omp_get_team_size(1)", omp_get_team_size(1), -1);
  expect_equal("omp_in_final", omp_in_final(), 0);
  expect_equal("omp_get_num_teams", omp_get_num_teams(), 1);
  expect_equal("omp_get_team_num", omp_get_team_num(), 0);
  expect_between("omp_get_num_procs", omp_get_num_procs(), 1, 1 << 20);
  expect_between("omp_get_max_threads", omp_get_max_threads(), 1, 1 << 20);
  expect_between("omp_get_thread_limit", omp_get_thread_limit(), 1, 0x7fffffff);
  expect_between("omp_get_supported_active_levels", omp_get_supported_active_levels(), 4,
                 0x7fffffff);
}

static void setters(void) {
  omp_set_num_threads(5);
  expect_equal("omp_get_max_threads", omp_get_max_threads(), 5);
  omp_set_dynamic(1);
  expect_equal("omp_get_dynamic", omp_get_dynamic(), 1);
  omp_set_dynamic(0);
  expect_equal("omp_get_dynamic", omp_get_dynamic(), 0);
  omp_set_max_active_levels(3);
  expect_equal("omp_get_max_active_levels", omp_get_max_active_levels(), 3);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  omp_set_nested(0);
  expect_equal("omp_get_nested", omp_get_nested(), 0);
  omp_set_nested(1);
  expect_equal("omp_get_nested", omp_get_nested(), 1);
#pragma GCC diagnostic pop
  expect_between("active levels after omp_set_nested(1)", omp_get_max_active_levels(), 2,
                 0x7fffffff);
  omp_set_num_teams(3);
  expect_equal("omp_get_max_teams", omp_get_max_teams(), 3);
  omp_set_teams_thread_limit(7);
  expect_equal("omp_get_teams_thread_limit", omp_get_teams_thread_limit(), 7);
}

static void schedule(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  for (int i = 0; i < 3; i++) {
    omp_sched_t kind;
    int chunk;
    omp_set_schedule(kinds[i], 10 + i);
    omp_get_schedule(&kind, &chunk);
    expect_equal("schedule kind", kind & 0xff, kinds[i]);
    expect_equal("schedule chunk", chunk, 10 + i);
  }
}

static void time_passes(void) {
  double from = omp_get_wtime();
  double by_clock = expect_seconds();
  usleep(30000);
  double passed = omp_get_wtime() - from;
  by_clock = expect_seconds() - by_clock;
  expect_true("omp_get_wtime moves with the clock", passed > 0.029 && passed < by_clock + 0.01);
  expect_true("omp_get_wtick", omp_get_wtick() > 0 && omp_get_wtick() < 1e-3);
}

/* Clang's programs find these in libomptarget, which in LLVM 19 crashes in omp_get_initial_device
 * of a program without target regions. */
#ifndef __clang__
static void devices(void) {
  expect_equal("omp_is_initial_device", omp_is_initial_device(), 1);
  expect_equal("omp_get_initial_device", omp_get_initial_device(), omp_get_num_devices());
  expect_equal("omp_get_default_device", omp_get_default_device() >= 0, 1);
  int host = omp_get_initial_device();
  char from[] = "carried";
  char to[8] = "";
  void* block = omp_target_alloc(64, host);
  expect_true("omp_target_alloc on the host", block != NULL);
  expect_equal("omp_target_memcpy", omp_target_memcpy(to, from, 8, 0, 0, host, host), 0);
  expect_equal("what it copied", strcmp(to, from), 0);
  expect_equal("omp_target_is_present", omp_target_is_present(from, host), 1);
  omp_target_free(block, host);
}
#endif

static void pause_and_go_on(void) {
  expect_equal("omp_pause_resource_all", omp_pause_resource_all(omp_pause_soft), 0);
  int ran = 0;
#pragma omp parallel num_threads(4)
  add_one(&ran);
  expect_equal("members after a pause", ran, 4);
}

int main(void) {
  outside();
  schedule();
  time_passes();
#ifndef __clang__
  devices();
#endif
  pause_and_go_on();
  setters();
  return expect_result();
}
