/* Codelets on devices: each kind of data and each mode, kernels that do not compile, data that does
 * not fit. Codelets without a function for processors run on devices alone. */
#include "devices.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char source[] = KERNEL_WORDS
    "__kernel void scale(__global int* x, ulong n, int factor) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) x[i] *= factor;\n"
    "}\n"
    "__kernel void add(__global int* sum, __global const int* x, ulong n) { if (get_global_id(0) "
    "== 0) sum[0] += x[n - 1]; }\n"
    "__kernel void accumulate(__global int* sum, ulong m, __global const int* x, ulong n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < m) sum[i] += x[i];\n"
    "}\n"
    "__kernel void number(__global int* a, ulong x, ulong y, ulong z) {\n"
    "  size_t i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);\n"
    "  if (i < x && j < y && k < z) a[(k * y + j) * x + i] += 100 * i + 10 * j + k;\n"
    "}\n"
    "__kernel void transpose(__global int* a, ulong x, ulong y, __global int* t, ulong u, ulong v) "
    "{\n"
    "  size_t i = get_global_id(0), j = get_global_id(1);\n"
    "  if (i >= x || j >= y) return;\n"
    "  t[j * x + i] = a[j * x + i];\n"
    "  a[j * x + i] = 2 * t[j * x + i];\n"
    "}\n"
    "__kernel void times(__global const float* values, __global const uint* columns,\n"
    "                    __global const uint* starts, uint entries, uint rows, uint first,\n"
    "                    __global const float* x, ulong n, __global float* y, ulong m) {\n"
    "  size_t row = get_global_id(0);\n"
    "  if (row >= rows) return;\n"
    "  float sum = 0;\n"
    "  for (uint e = starts[row] - first; e < starts[row + 1] - first; ++e)\n"
    "    sum += values[e] * x[columns[e]];\n"
    "  y[row] = sum;\n"
    "}\n";

static int scale_on_processor(const xylem_view* views, void* argument) {
  int* x = views[0].data;
  for (unsigned long i = 0; i < views[0].x; ++i) x[i] *= *(int*)argument;
  return 0;
}

DEVICE_KERNEL(scale_kernel, source, "scale");
static const xylem_codelet scale_anywhere = {.name = "scale",
                                             .cpu = scale_on_processor,
                                             .accesses = 1,
                                             .modes = {xylem_read_write},
                                             ON_DEVICES(scale_kernel)};
static const xylem_codelet scale = {
    .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(scale_kernel)};

static void submit(const xylem_codelet* codelet, xylem_data* const* data) {
  CHECK(xylem_submit(codelet, &(xylem_task_options){.data = data}, NULL) == 0);
}

static int submit_scale(const xylem_codelet* codelet, xylem_data* data, int factor) {
  return xylem_submit(
      codelet,
      &(xylem_task_options){.data = &data, .argument = &factor, .argument_bytes = sizeof factor},
      NULL);
}

static void vectors(const xylem_codelet* codelet) {
  enum { n = 1003, parts = 7 };
  int x[n];
  for (int i = 0; i < n; ++i) x[i] = i;
  xylem_data* data = xylem_data_vector(x, n, sizeof *x);
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(xylem_data_partition(data, parts, 1, 1) == 0);
    for (int i = 0; i < parts; ++i)
      CHECK(submit_scale(codelet, xylem_data_part(data, i), turn + 2) == 0);
    CHECK(xylem_data_unpartition(data) == 0);
    CHECK(xylem_data_acquire(data, xylem_read_write) == 0);
    x[turn] += 24; /* the program's own writes reach the devices */
    CHECK(xylem_data_release(data) == 0);
  }
  CHECK(xylem_data_unregister(data) == 0);
  CHECK(xylem_wait_all() == 0);
  const int first[3] = {24 * 12, 12 * 2 + 24 * 4 - 24 * 4, 0};
  for (int i = 3; i < n; ++i) CHECK(x[i] == 24 * i);
  CHECK(x[0] == first[0] && x[1] == (1 * 2 * 3 + 24) * 4 && x[2] == 2 * 24 + 24);
}

/* A variable that many commute on, read from a vector that is only on the device. */
static void variables(void) {
  DEVICE_KERNEL(add_kernel, source, "add");
  static const xylem_codelet add = {
      .accesses = 2, .modes = {xylem_commute, xylem_read}, ON_DEVICES(add_kernel)};
  int sum = 5;
  int x[4] = {1, 2, 3, 4};
  xylem_data* data[2] = {xylem_data_variable(&sum, sizeof sum), xylem_data_vector(x, 4, sizeof *x)};
  for (int i = 0; i < 20; ++i) submit(&add, data);
  CHECK(xylem_data_unregister(data[0]) == 0 && xylem_data_unregister(data[1]) == 0);
  CHECK(sum == 5 + 20 * 4);
}

static void begin_zero(const xylem_view* copy) {
  for (unsigned long i = 0; i < copy->x; ++i) ((int*)copy->data)[i] = 0;
}
static void add_copy(const xylem_view* into, const xylem_view* from) {
  for (unsigned long i = 0; i < into->x; ++i) ((int*)into->data)[i] += ((int*)from->data)[i];
}

/* Each device has a copy of its own; they and the old value are added. The second time there is no
 * old value. */
static void reductions(void) {
  DEVICE_KERNEL(accumulate_kernel, source, "accumulate");
  static const xylem_codelet accumulate = {
      .accesses = 2, .modes = {xylem_reduce, xylem_read}, ON_DEVICES(accumulate_kernel)};
  int sum[5] = {100, 200, 300, 400, 500};
  int x[5] = {1, 2, 3, 4, 5};
  xylem_data* data[2] = {xylem_data_vector(sum, 5, sizeof *sum),
                         xylem_data_vector(x, 5, sizeof *x)};
  CHECK(xylem_data_set_reduction(data[0], begin_zero, add_copy) == 0);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 30; ++i) submit(&accumulate, data);
    CHECK(xylem_data_acquire(data[0], xylem_read) == 0);
    for (int i = 0; i < 5; ++i) CHECK(sum[i] == (turn == 0 ? 100 * (i + 1) : 0) + 30 * (i + 1));
    CHECK(xylem_data_release(data[0]) == 0);
    CHECK(xylem_data_invalidate(data[0]) == 0);
  }
  CHECK(xylem_data_unregister(data[0]) == ENODATA && xylem_data_unregister(data[1]) == 0);
}

/* A box inside a larger one, and memory for a task alone. */
static void boxes(void) {
  enum { x = 3, y = 4, z = 2, row = 5, plane = 23 };
  DEVICE_KERNEL(number_kernel, source, "number");
  static const xylem_codelet number = {
      .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(number_kernel)};
  int box[z * plane];
  memset(box, 0, sizeof box);
  xylem_data* data = xylem_data_block(box, x, y, z, row, plane, sizeof *box);
  submit(&number, &data);
  CHECK(xylem_data_unregister(data) == 0);
  for (int k = 0; k < z; ++k)
    for (int at = 0; at < plane; ++at) {
      const int inside = at % row < x && at / row < y;
      CHECK(box[k * plane + at] == (inside ? 100 * (at % row) + 10 * (at / row) + k : 0));
    }
  DEVICE_KERNEL(double_kernel, source, "transpose");
  static const xylem_codelet twice = {
      .accesses = 2, .modes = {xylem_read_write, xylem_scratch}, ON_DEVICES(double_kernel)};
  int matrix[y * row];
  for (int i = 0; i < y * row; ++i) matrix[i] = i;
  xylem_data* used[2] = {xylem_data_matrix(matrix, x, y, row, sizeof *matrix),
                         xylem_data_matrix(NULL, x, y, x, sizeof *matrix)};
  submit(&twice, used);
  submit(&twice, used);
  CHECK(xylem_data_unregister(used[0]) == 0);
  CHECK(xylem_data_unregister(used[1]) == 0);
  for (int i = 0; i < y * row; ++i) CHECK(matrix[i] == (i % row < x ? 4 * i : i));
}

/* A sparse matrix in parts times a vector. */
static void sparse(void) {
  enum { rows = 9 };
  DEVICE_KERNEL(times_kernel, source, "times");
  static const xylem_codelet times = {
      .accesses = 3, .modes = {xylem_read, xylem_read, xylem_write}, ON_DEVICES(times_kernel)};
  float values[2 * rows];
  uint32_t columns[2 * rows];
  uint32_t starts[rows + 1];
  float x[rows];
  float y[rows];
  for (uint32_t i = 0; i < rows; ++i) {
    starts[i] = 2 * i;
    columns[2 * i] = i;
    columns[2 * i + 1] = (i + 1) % rows;
    values[2 * i] = 2;
    values[2 * i + 1] = 1;
    x[i] = (float)i;
  }
  starts[rows] = 2 * rows;
  xylem_data* a = xylem_data_csr(values, columns, starts, rows, sizeof *values);
  xylem_data* vector = xylem_data_vector(x, rows, sizeof *x);
  xylem_data* result = xylem_data_vector(y, rows, sizeof *y);
  CHECK(xylem_data_partition(a, 1, 2, 1) == 0 && xylem_data_partition(result, 2, 1, 1) == 0);
  for (int part = 0; part < 2; ++part)
    submit(&times,
           (xylem_data*[]){xylem_data_part(a, part), vector, xylem_data_part(result, part)});
  CHECK(xylem_data_unpartition(a) == 0 && xylem_data_unpartition(result) == 0);
  CHECK(xylem_data_unregister(result) == 0 && xylem_data_unregister(a) == 0);
  CHECK(xylem_data_unregister(vector) == 0 && xylem_wait_all() == 0);
  for (int i = 0; i < rows; ++i) CHECK(y[i] == 2 * (float)i + (float)((i + 1) % rows));
}

/* What is said on stderr while `act` runs, up to `room` bytes. */
static void listen(void (*act)(void), char* heard, size_t room) {
  fflush(stderr);
  FILE* file = tmpfile();
  CHECK(file);
  const int saved = dup(2);
  CHECK(dup2(fileno(file), 2) == 2);
  act();
  CHECK(dup2(saved, 2) == 2);
  close(saved);
  rewind(file);
  heard[fread(heard, 1, room - 1, file)] = 0;
  fclose(file);
}

static void run_wrong_kernels(void) {
  static const char wrong_source[] =
      KERNEL_WORDS "__kernel void scale(__global int* x) { x[0] = y; }";
  DEVICE_KERNEL(wrong, wrong_source, "scale");
  DEVICE_KERNEL(nameless, source, "nothing");
  const xylem_codelet codelets[2] = {
      {.accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(wrong)},
      {.accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(nameless)}};
  for (int i = 0; i < 2; ++i) {
    xylem_codelet codelet = codelets[i];
    int x = 1;
    xylem_data* data = xylem_data_vector(&x, 1, sizeof x);
    CHECK(submit_scale(&codelet, data, 2) == 0);
    CHECK(xylem_wait_all() == ENOEXEC);
    CHECK(xylem_data_unregister(data) == ENODATA);
    data = xylem_data_vector(&x, 1, sizeof x);
    CHECK(submit_scale(&codelet, data, 2) == ENODEV); /* all devices know */
    CHECK(xylem_data_unregister(data) == 0);
    codelet.cpu = scale_on_processor;
    vectors(&codelet);
  }
}

static void wrong_kernels(void) {
  char heard[8192];
  listen(run_wrong_kernels, heard, sizeof heard);
  CHECK(strstr(heard, "kernel 'scale' does not run on device "));
  /* what the compiler says: Clang for PoCL, NVRTC, g++ for the stand-in */
  CHECK(strstr(heard, "identifier 'y'") || strstr(heard, "identifier \"y\"") ||
        strstr(heard, "'y' was not declared"));
  CHECK(strstr(heard, "kernel 'nothing' does not run on device "));
}

/* XYLEM_DEVICE_MEMORY is 64K. */
static void too_large(void) {
  enum { n = 64 * 1024 / sizeof(int) + 1 };
  static int x[n];
  x[n - 1] = 7;
  xylem_data* data = xylem_data_vector(x, n, sizeof *x);
  CHECK(submit_scale(&scale, data, 2) == ENOSPC);
  CHECK(submit_scale(&scale_anywhere, data, 2) == 0);
  CHECK(xylem_data_prefetch(data, xylem_executor_count() - 1) == 0); /* a hint */
  CHECK(xylem_data_unregister(data) == 0);
  CHECK(x[n - 1] == 14);
}

static void names(void) {
  const int count = xylem_executor_count();
  const int devices = xylem_device_count();
  CHECK(strncmp(xylem_executor_name(0), "processor 0", 11) == 0);
  CHECK(strncmp(xylem_executor_name(count - devices), "device 1 (", 10) == 0);
  CHECK(!xylem_executor_name(count) && !xylem_executor_name(-1));
  int x = 3;
  xylem_data* data = xylem_data_vector(&x, 1, sizeof x);
  CHECK(xylem_data_prefetch(data, count) == EINVAL);
  for (int i = 0; i < count; ++i) CHECK(xylem_data_prefetch(data, i) == 0);
  CHECK(submit_scale(&scale, data, 5) == 0);
  CHECK(xylem_data_unregister(data) == 0 && x == 15);
  CHECK(submit_scale(&(xylem_codelet){.accesses = 0}, NULL, 0) == EINVAL);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  need_devices(1);
  vectors(&scale);
  vectors(&scale_anywhere);
  variables();
  reductions();
  boxes();
  sparse();
  names();
  too_large();
  wrong_kernels();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
