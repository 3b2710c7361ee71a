/* Devices that share the processors' memory work on data where it lies, if it is dense and begins
 * on a boundary of 128 bytes; else on copies. Kernels write the address at which they find it.
 * zero_copy true|false|lost: whether that is allowed; lost: the device goes while a kernel is under
 * way (by the stand-in for libcuda.so.1 alone). */
#include <errno.h>
#include <string.h>

#include "devices.h"
#include "stand_in/control.h"

enum { boundary = 128, length = 300 };

static int allowed;

static const char source[] = KERNEL_WORDS
    "__kernel void tell(__global ulong* x, ulong n) {\n"
    "  if (get_global_id(0) == 0) x[0] = (ulong)x;\n"
    "}\n"
    "__kernel void tell_matrix(__global ulong* x, ulong n, ulong m) {\n"
    "  if (get_global_id(0) == 0 && get_global_id(1) == 0) x[0] = (ulong)x;\n"
    "}\n"
    "__kernel void tell_sparse(__global ulong* values, __global uint* columns, __global uint* "
    "starts,\n"
    "                          uint entries, uint rows, uint first) {\n"
    "  if (get_global_id(0) != 0) return;\n"
    "  values[0] = (ulong)values; values[1] = (ulong)columns; values[2] = (ulong)starts;\n"
    "}\n"
    "__kernel void twice(__global ulong* x, ulong n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) x[i] *= 2;\n"
    "}\n"
    "__kernel void take(__global ulong* sum, ulong n, __global const ulong* x, ulong m) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) sum[i] += x[i];\n"
    "}\n";
DEVICE_KERNEL(tell_kernel, source, "tell");
DEVICE_KERNEL(tell_matrix_kernel, source, "tell_matrix");
DEVICE_KERNEL(tell_sparse_kernel, source, "tell_sparse");
DEVICE_KERNEL(twice_kernel, source, "twice");
DEVICE_KERNEL(take_kernel, source, "take");

#define ON_ONE(name, kernel_name)     \
  static const xylem_codelet name = { \
      .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(kernel_name)}
ON_ONE(tell, tell_kernel);
ON_ONE(tell_matrix, tell_matrix_kernel);
ON_ONE(tell_sparse, tell_sparse_kernel);
ON_ONE(twice, twice_kernel);
static const xylem_codelet setting = {
    .accesses = 1, .modes = {xylem_write}, ON_DEVICES(tell_kernel)};
static const xylem_codelet reducing = {
    .accesses = 2, .modes = {xylem_reduce, xylem_read}, ON_DEVICES(take_kernel)};
static const xylem_codelet scratching = {
    .accesses = 2, .modes = {xylem_scratch, xylem_read}, ON_DEVICES(take_kernel)};

static int add_one(const xylem_view* views, void* argument) {
  (void)argument;
  unsigned long* x = views[0].data;
  for (unsigned long i = 0; i < views[0].x; ++i) ++x[i];
  return 0;
}
static const xylem_codelet adding = {.cpu = add_one, .accesses = 1, .modes = {xylem_read_write}};
/* Which the policy `data` gives to devices. */
static double seconds_on_processors(const xylem_view* views, const void* argument, int executor) {
  (void)views;
  (void)argument;
  return executor < xylem_executor_count() - xylem_device_count() ? 1e10 : 1e3;
}
static const xylem_codelet anywhere = {.cpu = add_one,
                                       .accesses = 1,
                                       .modes = {xylem_read_write},
                                       .nanoseconds = seconds_on_processors,
                                       ON_DEVICES(twice_kernel)};
static int fill_zero(const xylem_view* views, void* argument) {
  (void)argument;
  memset(views[0].data, 0, views[0].x * sizeof(unsigned long));
  return 0;
}
static const xylem_codelet filling = {.cpu = fill_zero, .accesses = 1, .modes = {xylem_write}};

static int run(const xylem_codelet* codelet, xylem_data* one, xylem_data* other) {
  xylem_data* used[] = {one, other};
  xylem_task* task;
  CHECK(xylem_submit(codelet, &(xylem_task_options){.data = used}, &task) == 0);
  return xylem_task_wait(task);
}

/* What the kernel finds at `at`, which lies so that it may be used there, or not. */
static void expect(unsigned long found, const void* at, int fits) {
  CHECK((found == (unsigned long)at) == (allowed && fits));
}

static void vectors(unsigned long* memory) {
  for (int shift = 0; shift < 3; ++shift) {
    unsigned long* x = memory + shift * 8; /* 64 bytes: a boundary every second time */
    for (int i = 0; i < length; ++i) x[i] = (unsigned long)i;
    xylem_data* data = xylem_data_vector(x, length, sizeof *x);
    for (int turn = 0; turn < 4; ++turn) {
      CHECK(run(&twice, data, NULL) == 0);
      CHECK(run(&adding, data, NULL) == 0);
    }
    CHECK(xylem_data_acquire(data, xylem_read_write) == 0);
    for (int i = 0; i < length; ++i) CHECK(x[i] == 16ul * (unsigned long)i + 15);
    x[length - 1] = 4; /* the program's own writes reach the device */
    CHECK(xylem_data_release(data) == 0);
    CHECK(run(&twice, data, NULL) == 0);
    CHECK(run(&tell, data, NULL) == 0);
    CHECK(xylem_data_unregister(data) == 0);
    CHECK(x[length - 1] == 8);
    expect(x[0], x, shift != 1);
  }
}

/* A matrix with gaps between its rows is copied, as kernels expect none. */
static void matrices(unsigned long* memory) {
  for (int gap = 0; gap < 2; ++gap) {
    memory[1] = 77;
    xylem_data* data = xylem_data_matrix(memory, 16, 8, (size_t)(16 + gap), sizeof *memory);
    CHECK(run(&tell_matrix, data, NULL) == 0);
    CHECK(xylem_data_unregister(data) == 0);
    CHECK(memory[1] == 77);
    expect(memory[0], memory, gap == 0);
  }
}

static void sparse(unsigned long* values) {
  static unsigned columns[32] __attribute__((aligned(boundary))) = {0, 1, 0, 1, 0, 1};
  static unsigned starts[4] __attribute__((aligned(boundary))) = {0, 2, 4, 6};
  for (int shift = 0; shift < 2; ++shift) {
    xylem_data* data =
        xylem_data_csr(values, columns, starts + shift, 3 - (unsigned)shift, sizeof *values);
    CHECK(run(&tell_sparse, data, NULL) == 0);
    CHECK(xylem_data_unregister(data) == 0);
    expect(values[0], values, shift == 0);
    expect(values[1], columns, shift == 0);
    if (shift == 0) expect(values[2], starts, 1);
  }
}

/* Data without an address gets memory that fits. */
static void without_address(void) {
  xylem_data* data = xylem_data_vector(NULL, length, sizeof(unsigned long));
  CHECK(run(&setting, data, NULL) == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == 0);
  xylem_view view;
  CHECK(xylem_data_view(data, &view) == 0);
  expect(*(unsigned long*)view.data, view.data, 1);
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_data_unregister(data) == 0);
}

static void begin_zero(const xylem_view* copy) {
  memset(copy->data, 0, copy->x * sizeof(unsigned long));
}
static void add_copy(const xylem_view* into, const xylem_view* from) {
  for (unsigned long i = 0; i < into->x; ++i)
    ((unsigned long*)into->data)[i] += ((unsigned long*)from->data)[i];
}

static void sums(unsigned long* memory) {
  unsigned long* x = memory + length + 20;
  for (int i = 0; i < length; ++i) memory[i] = 5, x[i] = (unsigned long)i;
  xylem_data* data[] = {xylem_data_vector(memory, length, sizeof *memory),
                        xylem_data_vector(x, length, sizeof *x)};
  CHECK(xylem_data_set_reduction(data[0], begin_zero, add_copy) == 0);
  for (int turn = 0; turn < 10; ++turn) {
    CHECK(run(&reducing, data[0], data[1]) == 0);
    CHECK(run(&scratching, data[0], data[1]) == 0);
  }
  for (int i = 0; i < 2; ++i) CHECK(xylem_data_unregister(data[i]) == 0);
  for (int i = 0; i < length; ++i) CHECK(memory[i] == 5 + 10 * (unsigned long)i);
}

/* What the kernel that was under way wrote to has no value: it may have written a part of it. So
 * the task cannot run elsewhere. */
static void lost(unsigned long* memory) {
  stand_in_lose_after_function* lose_after = stand_in("stand_in_lose_after");
  CHECK(lose_after);
  unsigned long* other = memory + 2 * length;
  for (int i = 0; i < length; ++i) memory[i] = other[i] = 1;
  xylem_data* data[] = {xylem_data_vector(memory, length, sizeof *memory),
                        xylem_data_vector(other, length, sizeof *other)};
  CHECK(run(&twice, data[0], NULL) == 0);
  lose_after(0);
  CHECK(run(&anywhere, data[0], NULL) == EIO);
  CHECK(run(&adding, data[0], NULL) == ENODATA);
  CHECK(run(&adding, data[1], NULL) == 0);
  CHECK(run(&filling, data[0], NULL) == 0); /* from here on it has one again */
  CHECK(run(&adding, data[0], NULL) == 0);
  xylem_wait_all();
  for (int i = 0; i < 2; ++i) CHECK(xylem_data_unregister(data[i]) == 0);
  CHECK(memory[length - 1] == 1 && other[0] == 2);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  allowed = strcmp(argv[1], "false") != 0;
  const int loses = strcmp(argv[1], "lost") == 0;
  if (loses) CHECK(xylem_codelet_policy("data") == 0);
  need_devices(1);
  unsigned long* memory = aligned_alloc(boundary, sizeof(unsigned long) * (3 * length + 124));
  if (loses) return lost(memory), 0;
  vectors(memory);
  matrices(memory);
  sparse(memory);
  without_address();
  sums(memory);
  CHECK(xylem_wait_all() == 0);
  return 0;
}
