/* Tasks of OpenMP whose depend clauses name data of codelets are codelets with one variant, for
 * processors: they run in the order of submission with codelets that use the data, and find its
 * value in main memory. omp_tasks [POLICY [THREADS]] */
#include <omp.h>
#include <string.h>

#include "devices.h"

enum { vectors = 6, length = 300, steps = 400 };

static const char source[] = KERNEL_WORDS
    "__kernel void blend(__global int* to, ulong n, __global const int* from, ulong m, int by) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) to[i] = 3 * to[i] + from[i] + by;\n"
    "}\n";
DEVICE_KERNEL(kernel, source, "blend");

static void mix(int* to, const int* from, int by) {
  for (int i = 0; i < length; ++i)
    to[i] = (int)(3u * (unsigned)to[i] + (unsigned)from[i] + (unsigned)by);
}

static int mix_views(const xylem_view* views, void* argument) {
  mix(views[0].data, views[1].data, *(int*)argument);
  return 0;
}

static const xylem_codelet mixing = {
    .cpu = mix_views, .accesses = 2, .modes = {xylem_read_write, xylem_read}, ON_DEVICES(kernel)};
static const xylem_codelet on_devices = {
    .accesses = 2, .modes = {xylem_read_write, xylem_read}, ON_DEVICES(kernel)};

static int memory[vectors][length], serial[vectors][length];
static xylem_data* data[vectors];
static int plain; /* no codelet knows of it */

static void register_all(void) {
  for (int v = 0; v < vectors; ++v) {
    for (int i = 0; i < length; ++i) memory[v][i] = serial[v][i] = 10 * v + i;
    data[v] = xylem_data_vector(memory[v], length, sizeof(int));
  }
}

static void check_all(void) {
  for (int v = 0; v < vectors; ++v) CHECK(xylem_data_unregister(data[v]) == 0);
  CHECK(memcmp(memory, serial, sizeof memory) == 0);
}

static void submit(const xylem_codelet* codelet, int to, int from, int by) {
  xylem_data* used[] = {data[to], data[from]};
  CHECK(xylem_submit(
            codelet,
            &(xylem_task_options){.data = used, .argument = &by, .argument_bytes = sizeof by},
            NULL) == 0);
}

static int any_device;

/* One step of a random graph; what is done in place is done in the serial copy at once. */
static void step(unsigned* state) {
  const int to = (int)(next_random(state) % vectors);
  const int from = (to + 1 + (int)(next_random(state) % (vectors - 1))) % vectors;
  const int other = (to + 1 + (int)(next_random(state) % (vectors - 1))) % vectors;
  const int by = (int)(next_random(state) % 100);
  int *a = memory[to], *b = memory[from], *c = memory[other]; /* clauses alone name c */
  (void)c;
  switch (next_random(state) % 10) {
    case 0:
    case 1:
      submit(&mixing, to, from, by);
      break;
    case 2:
    case 3:
      submit(any_device ? &on_devices : &mixing, to, from, by);
      break;
    case 4:
#pragma omp task depend(inout : a[0]) depend(in : b[0])
      mix(a, b, by);
      break;
    case 5:
#pragma omp task depend(out : a[0]) depend(in : b[0], c[0]) depend(inout : plain)
      mix(a, b, by), ++plain;
      break;
    case 6: /* the value of what is out is found, too */
#pragma omp task depend(mutexinoutset : a[0]) depend(in : b[0], plain)
      mix(a, b, by);
      break;
    case 7:
#pragma omp task if (0) depend(inout : a[0]) depend(in : b[0])
      mix(a, b, by);
      break;
    case 8: {
#pragma omp taskwait depend(inout : a[0]) depend(in : b[0])
      mix(a, b, by);
      break;
    }
    default:
#pragma omp task depend(mutexinoutset : a[0]) depend(in : c[0], b[0])
      mix(a, b, by);
  }
  mix(serial[to], serial[from], by);
}

static void graphs(int members, unsigned seed) {
  unsigned state = seed;
  register_all();
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int i = 0; i < steps; ++i) step(&state);
  check_all();
}

/* The thread that made the tasks ends the data itself, inside the region. */
static void ends_inside(int members) {
  register_all();
#pragma omp parallel num_threads(members)
#pragma omp single
  {
    int *a = memory[0], *b = memory[1];
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : a[0]) depend(in : b[0])
      mix(a, b, i);
      submit(&mixing, 0, 1, i);
      for (int twice = 0; twice < 2; ++twice) mix(serial[0], serial[1], i);
    }
    CHECK(xylem_wait_all() == 0);
    check_all();
  }
}

/* A task with an event has ended when that is fulfilled: what comes after it waits so long. */
static void events(int members) {
  register_all();
#pragma omp parallel num_threads(members)
#pragma omp single
  {
    int *a = memory[0], *b = memory[1];
    omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : a[0]) depend(in : b[0])
    mix(a, b, 1);
    submit(&mixing, 0, 1, 2);
#pragma omp task depend(inout : a[0]) depend(in : b[0])
    mix(a, b, 3);
    submit(&mixing, 1, 0, 4);
    omp_fulfill_event(event);
    for (int by = 1; by <= 3; ++by) mix(serial[0], serial[1], by);
    mix(serial[1], serial[0], 4);
  }
  check_all();
}

static int add_view(const xylem_view* views, void* argument) {
  (void)argument;
  for (unsigned long i = 0; i < views[0].x; ++i) ++((int*)views[0].data)[i];
  return 0;
}
static const xylem_codelet adding = {.cpu = add_view, .accesses = 1, .modes = {xylem_read_write}};

/* Several threads, whose tasks are no siblings, and codelets of each of them, on one vector. */
static void many_parents(int members) {
  static int sum[length];
  memset(sum, 0, sizeof sum);
  xylem_data* all = xylem_data_vector(sum, length, sizeof(int));
  int made = 0;
#pragma omp parallel num_threads(members) reduction(+ : made)
  for (int i = 0; i < 50; ++i) {
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &all}, NULL) == 0);
#pragma omp task depend(inout : sum[0])
    for (int k = 0; k < length; ++k) ++sum[k];
    made += 2;
  }
  CHECK(xylem_data_unregister(all) == 0);
  for (int k = 0; k < length; ++k) CHECK(sum[k] == made);
}

/* A part begins where its whole does: what is cut is named by its parts. */
static void parts(int members) {
  static int x[4 * length];
  for (int i = 0; i < 4 * length; ++i) x[i] = i;
  xylem_data* whole = xylem_data_vector(x, 4 * length, sizeof(int));
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(xylem_data_partition(whole, 4, 1, 1) == 0);
    for (int part = 0; part < 4; ++part) {
      int* at = x + part * length;
      xylem_data* one = xylem_data_part(whole, part);
      CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &one}, NULL) == 0);
#pragma omp task depend(inout : at[0])
      for (int i = 0; i < length; ++i) at[i] *= 2;
    }
    CHECK(xylem_data_unpartition(whole) == 0);
#pragma omp task depend(inout : x[0])
    for (int i = 0; i < 4 * length; ++i) x[i] -= 1;
  }
  CHECK(xylem_data_unregister(whole) == 0);
  for (int i = 0; i < 4 * length; ++i) CHECK(x[i] == 8 * i + 7);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  const int most = argc > 2 ? atoi(argv[2]) : 4;
  any_device = xylem_device_count() > 0;
  for (int members = 1; members <= most; members *= 2) {
    for (unsigned seed = 1; seed <= 3; ++seed) graphs(members, seed);
    ends_inside(members);
    events(members);
    many_parents(members);
    parts(members);
  }
  CHECK(xylem_wait_all() == 0);
  return 0;
}
