/* Random tasks on processors and on devices that hold a part of the data only, compared with the
 * same in the order of submission. */
#include <string.h>

#include "devices.h"

enum { vectors = 24, length = 250, tasks = 600 };

static const char source[] = KERNEL_WORDS
    "__kernel void blend(__global int* y, ulong n, __global const int* x, ulong m, int by) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) y[i] = 3 * y[i] + x[(i + by) % n] + by;\n"
    "}\n"
    "__kernel void set(__global int* y, ulong n, int by) {\n"
    "  if (get_global_id(0) < n) y[get_global_id(0)] = by * (int)get_global_id(0);\n"
    "}\n";

static void mix(int* y, const int* x, int by) {
  for (int i = 0; i < length; ++i)
    y[i] = (int)(3u * (unsigned)y[i] + (unsigned)x[(i + by) % length] + (unsigned)by);
}
static void set(int* y, int by) {
  for (int i = 0; i < length; ++i) y[i] = by * i;
}

static int mix_task(const xylem_view* views, void* argument) {
  mix(views[0].data, views[1].data, *(int*)argument);
  return 0;
}
static int set_task(const xylem_view* views, void* argument) {
  set(views[0].data, *(int*)argument);
  return 0;
}

DEVICE_KERNEL(mix_kernel, source, "blend");
DEVICE_KERNEL(set_kernel, source, "set");
/* Anywhere, on devices, on processors. */
static const xylem_codelet mixing[3] = {
    {"mix", mix_task, 2, {xylem_read_write, xylem_read}, &mix_kernel, &mix_kernel_cuda},
    {"mix", NULL, 2, {xylem_read_write, xylem_read}, &mix_kernel, &mix_kernel_cuda},
    {"mix", mix_task, 2, {xylem_read_write, xylem_read}, NULL, NULL}};
static const xylem_codelet setting[3] = {
    {"set", set_task, 1, {xylem_write}, &set_kernel, &set_kernel_cuda},
    {"set", NULL, 1, {xylem_write}, &set_kernel, &set_kernel_cuda},
    {"set", set_task, 1, {xylem_write}, NULL, NULL}};

static int memory[vectors][length];
static int serial[vectors][length];

static void one_task(unsigned* seed, xylem_data** data) {
  const int y = (int)(next_random(seed) % vectors);
  const int x = (y + 1 + (int)(next_random(seed) % (vectors - 1))) % vectors;
  const int by = (int)(next_random(seed) % 100);
  const int where = (int)(next_random(seed) % 4) % 3;
  const int sets = next_random(seed) % 8 == 0;
  xylem_data* used[2] = {data[y], data[x]};
  xylem_task_options options = {.data = used,
                                .argument = &by,
                                .argument_bytes = sizeof by,
                                .priority = (int)(next_random(seed) % 10)};
  CHECK(xylem_submit(sets ? &setting[where] : &mixing[where], &options, NULL) == 0);
  if (sets)
    set(serial[y], by);
  else
    mix(serial[y], serial[x], by);
}

static void one_round(unsigned seed) {
  xylem_data* data[vectors];
  for (int v = 0; v < vectors; ++v) {
    for (int i = 0; i < length; ++i) memory[v][i] = serial[v][i] = v + i;
    data[v] = xylem_data_vector(memory[v], length, sizeof(int));
    CHECK(data[v]);
  }
  for (int t = 0; t < tasks; ++t) {
    one_task(&seed, data);
    if (t % 100 != 50) continue;
    const int v = t / 100 % vectors;
    CHECK(xylem_data_acquire(data[v], xylem_read) == 0);
    CHECK(memcmp(memory[v], serial[v], sizeof memory[v]) == 0);
    CHECK(xylem_data_release(data[v]) == 0);
  }
  for (int v = 0; v < vectors; ++v) CHECK(xylem_data_unregister(data[v]) == 0);
  CHECK(xylem_wait_all() == 0);
  CHECK(memcmp(memory, serial, sizeof memory) == 0);
}

/* device_graphs POLICY ROUNDS */
int main(int argc, char** argv) {
  choose_policy(argc, argv);
  need_devices(1);
  const int rounds = argc > 2 ? atoi(argv[2]) : 3;
  for (int seed = 1; seed <= rounds; ++seed) one_round((unsigned)seed);
  return 0;
}
