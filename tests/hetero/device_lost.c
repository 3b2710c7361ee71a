/* A device that disappears in the middle (loss.h). */
#include <errno.h>
#include <string.h>

#include "devices.h"
#include "loss.h"

static const char source[] = KERNEL_WORDS
    "__kernel void add(__global int* x, ulong n, int by) {\n"
    "  if (get_global_id(0) < n) x[get_global_id(0)] += by;\n"
    "}\n";
DEVICE_KERNEL(kernel, source, "add");

static int add(const xylem_view* views, void* argument) {
  int* x = views[0].data;
  for (unsigned long i = 0; i < views[0].x; ++i) x[i] += *(int*)argument;
  return 0;
}

static const xylem_codelet anywhere = {
    .cpu = add, .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(kernel)};
static const xylem_codelet on_devices = {
    .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(kernel)};

enum { count = 40, length = 50, turns = 10 };
static int memory[count][length];
static xylem_data* data[count];

static void register_all(void) {
  memset(memory, 0, sizeof memory);
  for (int v = 0; v < count; ++v) data[v] = xylem_data_vector(memory[v], length, sizeof(int));
}

static void submit_all(const xylem_codelet* codelet) {
  for (int turn = 1; turn <= turns; ++turn)
    for (int v = 0; v < count; ++v)
      CHECK(xylem_submit(codelet,
                         &(xylem_task_options){
                             .data = &data[v], .argument = &turn, .argument_bytes = sizeof turn},
                         NULL) == 0);
}

/* Each value is right, or was on the device and is told as lost. Returns how many were lost. */
static int check_all(void) {
  const int error = xylem_wait_all();
  CHECK(error == 0 || error == EIO || error == ENODATA);
  int lost = 0;
  for (int v = 0; v < count; ++v) {
    const int ended = xylem_data_unregister(data[v]);
    CHECK(ended == 0 || ended == EIO || ended == ENODATA);
    lost += ended != 0;
    for (int i = 0; ended == 0 && i < length; ++i) CHECK(memory[v][i] == turns * (turns + 1) / 2);
  }
  CHECK(error == 0 || lost > 0);
  return lost;
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  need_devices(1);
  const int devices = xylem_device_count();
  register_all();
  submit_all(&on_devices);
  CHECK(check_all() == 0);
  register_all();
  lose_after(77);
  submit_all(&anywhere);
  check_all();
  if (!is_lost()) return 0; /* processors were faster */
  register_all();           /* what is submitted from here on knows of it */
  submit_all(&anywhere);
  CHECK(check_all() == 0);
  if (devices > 1) return 0;
  register_all();
  CHECK(xylem_submit(&on_devices, &(xylem_task_options){.data = data}, NULL) == ENODEV);
  for (int v = 0; v < count; ++v) CHECK(xylem_data_unregister(data[v]) == 0);
  return 0;
}
