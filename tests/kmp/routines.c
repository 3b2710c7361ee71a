/* The routines that Clang's and Intel's omp.h has beside OpenMP's: settings of the process, memory,
 * masks of processors, and those of OpenMP that GCC's library lacks; C's and Fortran's names. */
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

/* Fortran's names, which no header declares. */
void kmp_set_blocktime_(const int* ms);
int kmp_get_blocktime_(void);
void kmp_set_stacksize_(const int* bytes);
void kmp_set_stacksize_s_(const size_t* bytes);
size_t kmp_get_stacksize_s_(void);
int kmp_get_stacksize_(void);
void kmp_set_library_(const int* mode);
int kmp_get_library_(void);
void kmp_set_defaults_(const char* text, int length);
void kmp_set_disp_num_buffers_(const int* buffers);
void* kmp_malloc_(const size_t* size);
void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment);
void* kmp_calloc_(const size_t* count, const size_t* size);
void* kmp_realloc_(void** block, const size_t* size);
void kmp_free_(void** block);
void kmp_create_affinity_mask_(kmp_affinity_mask_t* mask);
void kmp_destroy_affinity_mask_(kmp_affinity_mask_t* mask);
int kmp_set_affinity_mask_proc_(const int* cpu, kmp_affinity_mask_t* mask);
int kmp_unset_affinity_mask_proc_(const int* cpu, kmp_affinity_mask_t* mask);
int kmp_get_affinity_mask_proc_(const int* cpu, kmp_affinity_mask_t* mask);
int kmp_get_affinity_max_proc_(void);
int kmp_get_num_known_threads(void);
int kmp_get_num_known_threads_(void);
void omp_init_lock_with_hint_(omp_lock_t* lock, const intptr_t* hint);
void omp_init_nest_lock_with_hint_(omp_nest_lock_t* lock, const intptr_t* hint);
void omp_destroy_nest_lock_(omp_nest_lock_t* lock);
int omp_test_nest_lock_(omp_nest_lock_t* lock);
void omp_unset_nest_lock_(omp_nest_lock_t* lock);

/* And those for which omp.h has macros or nothing. */
void kmpc_set_blocktime(int ms);
void kmpc_set_stacksize(int bytes);
void kmpc_set_stacksize_s(size_t bytes);
void kmpc_set_library(int mode);
void kmpc_set_defaults(const char* text);
void kmpc_set_disp_num_buffers(int buffers);
void* kmpc_malloc(size_t size);
void* kmpc_aligned_malloc(size_t size, size_t alignment);
void* kmpc_calloc(size_t count, size_t size);
void* kmpc_realloc(void* block, size_t size);
void kmpc_free(void* block);
int kmpc_set_affinity_mask_proc(int cpu, kmp_affinity_mask_t* mask);
int kmpc_unset_affinity_mask_proc(int cpu, kmp_affinity_mask_t* mask);
int kmpc_get_affinity_mask_proc(int cpu, kmp_affinity_mask_t* mask);
void ompc_set_num_threads(int threads);
void ompc_set_dynamic(int value);
void ompc_set_nested(int value);
void ompc_set_max_active_levels(int levels);
void ompc_set_schedule(omp_sched_t kind, int chunk);
int ompc_get_ancestor_thread_num(int level);
int ompc_get_team_size(int level);

/* Before the first region: kmp_set_defaults and stacks must come first. */
static void before_the_first_region(void) {
  kmp_set_defaults("OMP_MAX_TASK_PRIORITY=3|KMP_NONSENSE=1|OMP_CANCELLATION=true");
  kmpc_set_defaults("OMP_THREAD_LIMIT");
  kmp_set_defaults_("OMP_MAX_TASK_PRIORITY=5|", (int)strlen("OMP_MAX_TASK_PRIORITY=5|"));
  expect_equal("kmp_set_defaults", omp_get_max_task_priority(), 5);
  expect_true("kmp_set_defaults, the last setting", omp_get_cancellation());
  kmp_set_stacksize_s(3 << 20);
  expect_equal("kmp_get_stacksize", kmp_get_stacksize(), 3 << 20);
  kmpc_set_stacksize(1 << 20);
  expect_equal("kmp_get_stacksize_s_", (long long)kmp_get_stacksize_s_(), 1 << 20);
  const size_t size = 2 << 20;
  kmp_set_stacksize_s_(&size);
  expect_equal("kmp_get_stacksize_s", (long long)kmp_get_stacksize_s(), 2 << 20);
  const int larger = 5 << 20;
  kmp_set_stacksize_(&larger);
  expect_equal("kmp_get_stacksize_", kmp_get_stacksize_(), 5 << 20);
  kmp_set_stacksize(4 << 20);
  expect_equal("kmp_get_stacksize", kmp_get_stacksize(), 4 << 20);
  kmpc_set_stacksize_s(20 << 20);
}

static void deep(int depth) {
  volatile char room[16 << 10];
  room[0] = (char)depth;
  if (depth > 0) deep(depth - 1);
  expect_equal("a frame of a deep stack", room[0], (char)depth);
}

static void stacks(void) {
#pragma omp parallel num_threads(3)
  deep((16 << 20) / (17 << 10)); /* more than the 8 MiB that there usually are */
  kmp_set_stacksize_s(1 << 20);
  expect_equal("stacks keep their size", (long long)kmp_get_stacksize_s(), 20 << 20);
}

static void block_time(void) {
  kmp_set_blocktime(7);
  expect_equal("kmp_get_blocktime", kmp_get_blocktime(), 7);
  kmpc_set_blocktime(0);
  expect_equal("kmp_get_blocktime_", kmp_get_blocktime_(), 0);
  const int minute = 60000;
  kmp_set_blocktime_(&minute);
  expect_equal("kmp_get_blocktime", kmp_get_blocktime(), 60000);
  kmp_set_blocktime(-5);
  expect_equal("a negative block time", kmp_get_blocktime(), 0);
  kmp_set_blocktime(200);
}

static int team_size(int wanted) {
  int size = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp master
  size = omp_get_num_threads();
  return size;
}

enum { serial = 1, turnaround = 2, throughput = 3 };

static void library(void) {
  const int before = kmp_get_library();
  expect_between("kmp_get_library", before, turnaround, throughput);
  kmp_set_library_turnaround();
  expect_equal("turnaround", kmp_get_library(), turnaround);
  expect_equal("a team in turnaround mode", team_size(3), 3);
  kmpc_set_library(serial);
  expect_equal("serial", kmp_get_library_(), serial);
  expect_equal("a team in serial mode", team_size(3), 1);
  kmp_set_library_throughput();
  expect_equal("throughput", kmp_get_library(), throughput);
  expect_equal("a team in throughput mode", team_size(3), 3);
  kmp_set_library_serial();
  expect_equal("serial", kmp_get_library(), serial);
  expect_equal("omp_get_max_threads in serial mode", omp_get_max_threads(), 1);
  kmp_set_library_(&before);
  expect_equal("the mode of before", kmp_get_library(), before);
}

static void others(void) {
  kmp_set_warnings_off();
  kmp_set_warnings_on();
  const int buffers = 8;
  kmp_set_disp_num_buffers(9);
  kmpc_set_disp_num_buffers(9);
  kmp_set_disp_num_buffers_(&buffers);
#pragma omp parallel num_threads(4)
  {
    expect_between("kmp_get_num_known_threads", kmp_get_num_known_threads(), 4, 1 << 20);
    expect_between("kmp_get_num_known_threads_", kmp_get_num_known_threads_(), 4, 1 << 20);
  }
}

static void check_block(const char* what, unsigned char* block, int size, int zeros) {
  expect_true(what, block != NULL);
  for (int i = 0; zeros && i < size; i++) expect_equal(what, block[i], 0);
  memset(block, 7, size);
}

static void memory(void) {
  unsigned char* block = kmp_malloc(1000);
  check_block("kmp_malloc", block, 1000, 0);
  block = kmp_realloc(block, 50000);
  for (int i = 0; i < 1000; i++) expect_equal("kept by kmp_realloc", block[i], 7);
  kmp_free(block);
  block = kmp_calloc(10, 100);
  check_block("kmp_calloc", block, 1000, 1);
  kmpc_free(block);
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    block = kmp_aligned_malloc(100, alignment);
    expect_equal("kmp_aligned_malloc", (long long)((uintptr_t)block % alignment), 0);
    check_block("kmp_aligned_malloc", block, 100, 0);
    kmp_free(block);
  }
  errno = 0;
  expect_true("an alignment of 24", kmp_aligned_malloc(100, 24) == NULL && errno == EINVAL);
  kmp_free(NULL);

  const size_t size = 300, count = 3, alignment = 128;
  void* other = kmp_malloc_(&size);
  check_block("kmp_malloc_", other, 300, 0);
  other = kmp_realloc_(&other, &size);
  kmp_free_(&other);
  other = kmp_calloc_(&count, &size);
  check_block("kmp_calloc_", other, 900, 1);
  kmp_free_(&other);
  other = kmp_aligned_malloc_(&size, &alignment);
  expect_equal("kmp_aligned_malloc_", (long long)((uintptr_t)other % 128), 0);
  kmp_free_(&other);
  other = kmpc_realloc(kmpc_malloc(10), 20);
  kmpc_free(other);
  kmpc_free(kmpc_calloc(2, 3));
  other = kmpc_aligned_malloc(20, 64);
  expect_equal("kmpc_aligned_malloc", (long long)((uintptr_t)other % 64), 0);
  kmpc_free(other);
}

static int first_processor(void) {
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  expect_equal("kmp_get_affinity", kmp_get_affinity(&mask), 0);
  int first = -1;
  for (int cpu = kmp_get_affinity_max_proc() - 1; cpu >= 0; cpu--)
    if (kmp_get_affinity_mask_proc(cpu, &mask) == 1) first = cpu;
  kmp_destroy_affinity_mask(&mask);
  return first;
}

static void masks(void) {
  const int cpu = first_processor();
  expect_between("a processor of the process", cpu, 0, kmp_get_affinity_max_proc_() - 1);
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask_(&mask);
  expect_equal("an empty mask", kmp_get_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("kmp_set_affinity_mask_proc", kmp_set_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("the processor is there", kmp_get_affinity_mask_proc_(&cpu, &mask), 1);
  expect_equal("kmp_unset_affinity_mask_proc", kmp_unset_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("the processor is gone", kmpc_get_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("kmp_set_affinity_mask_proc_", kmp_set_affinity_mask_proc_(&cpu, &mask), 0);
  expect_equal("kmp_unset_affinity_mask_proc_", kmp_unset_affinity_mask_proc_(&cpu, &mask), 0);
  expect_equal("kmpc_set_affinity_mask_proc", kmpc_set_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("kmpc_unset_affinity_mask_proc", kmpc_unset_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("processor -1", kmp_set_affinity_mask_proc(-1, &mask), -1);
  expect_equal("a processor too many",
               kmp_set_affinity_mask_proc(kmp_get_affinity_max_proc(), &mask), -1);
  kmp_destroy_affinity_mask_(&mask);
  expect_true("a destroyed mask", mask == NULL);
}

static void hinted_locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nested, fortrans;
  const intptr_t hint = omp_lock_hint_speculative;
  omp_init_lock_with_hint(&lock, omp_lock_hint_contended);
  omp_init_nest_lock_with_hint(&nested, omp_lock_hint_uncontended);
  omp_init_nest_lock_with_hint_(&fortrans, &hint);
  int sum = 0, nested_sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 500; i++) {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nested);
    omp_set_nest_lock(&nested);
    nested_sum++;
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
  }
  expect_equal("under a lock with a hint", sum, 2000);
  expect_equal("under a nested lock with a hint", nested_sum, 2000);
  expect_equal("omp_test_nest_lock_", omp_test_nest_lock_(&fortrans), 1);
  expect_equal("omp_test_nest_lock_", omp_test_nest_lock_(&fortrans), 2);
  omp_unset_nest_lock_(&fortrans);
  omp_unset_nest_lock_(&fortrans);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
  omp_destroy_nest_lock_(&fortrans);
  omp_init_lock_with_hint_(&lock, &hint);
  expect_equal("omp_test_lock", omp_test_lock(&lock), 1);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

static void interop(void) {
  int code = 1;
  expect_equal("omp_get_num_interop_properties", omp_get_num_interop_properties(omp_interop_none),
               0);
  expect_equal("omp_get_interop_int", omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, &code),
               0);
  expect_true("omp_get_interop_ptr",
              omp_get_interop_ptr(omp_interop_none, omp_ipr_device, NULL) == NULL);
  expect_true("omp_get_interop_str",
              omp_get_interop_str(omp_interop_none, omp_ipr_vendor_name, &code) == NULL);
  expect_true("omp_get_interop_name",
              omp_get_interop_name(omp_interop_none, omp_ipr_fr_id) == NULL);
  expect_true("omp_get_interop_type_desc",
              omp_get_interop_type_desc(omp_interop_none, omp_ipr_fr_id) == NULL);
  expect_true("omp_get_interop_rc_desc",
              omp_get_interop_rc_desc(omp_interop_none, omp_irc_empty) == NULL);
}

static void other_names(void) {
  omp_sched_t kind;
  int chunk;
  ompc_set_num_threads(6);
  expect_equal("ompc_set_num_threads", omp_get_max_threads(), 6);
  ompc_set_dynamic(1);
  expect_equal("ompc_set_dynamic", omp_get_dynamic(), 1);
  ompc_set_dynamic(0);
  ompc_set_max_active_levels(3);
  expect_equal("ompc_set_max_active_levels", omp_get_max_active_levels(), 3);
  ompc_set_nested(0);
  expect_equal("ompc_set_nested", omp_get_max_active_levels(), 1);
  ompc_set_schedule(omp_sched_guided, 9);
  omp_get_schedule(&kind, &chunk);
  expect_equal("ompc_set_schedule", kind, omp_sched_guided);
  expect_equal("ompc_set_schedule, the chunk", chunk, 9);
  char text[64];
  omp_set_affinity_format("%n of %N"); /* macros for ompc_ names from here on */
  expect_equal("omp_get_affinity_format", (long long)omp_get_affinity_format(text, sizeof text), 8);
  expect_equal("the format", strcmp(text, "%n of %N"), 0);
#pragma omp parallel num_threads(2)
  {
    char line[64];
    expect_equal("ompc_get_team_size", ompc_get_team_size(1), 2);
    expect_equal("ompc_get_ancestor_thread_num", ompc_get_ancestor_thread_num(1),
                 omp_get_thread_num());
    omp_capture_affinity(line, sizeof line, NULL);
    expect_equal("omp_capture_affinity", strcmp(line, omp_get_thread_num() ? "1 of 2" : "0 of 2"),
                 0);
  }
}

int main(void) {
  before_the_first_region();
  stacks();
  block_time();
  library();
  others();
  memory();
  masks();
  hinted_locks();
  interop();
  other_names();
  return expect_result();
}
