/* Keeps devices busy until a line comes on stdin: what `xylem top` is to show. With "idle" the same
 * codelet has no kernel, and devices have nothing to do. Says a line once tasks have run. */
#include <poll.h>
#include <string.h>

#include "devices.h"

enum { vectors = 4, length = 5000, turns = 40 };

static const char source[] = KERNEL_WORDS
    "__kernel void churn(__global int* x, ulong n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i >= n) return;\n"
    "  uint y = x[i];\n"
    "  for (uint k = 0; k < 200; ++k) y = 3 * y + k;\n"
    "  x[i] = y;\n"
    "}\n";
DEVICE_KERNEL(churn_kernel, source, "churn");

static int churn(const xylem_view* views, void* argument) {
  (void)argument;
  for (unsigned long i = 0; i < views[0].x; ++i) ++((int*)views[0].data)[i];
  return 0;
}
static const xylem_codelet on_devices = {
    .name = "churn", .accesses = 1, .modes = {xylem_read_write}, ON_DEVICES(churn_kernel)};
static const xylem_codelet on_processors = {
    .name = "churn", .cpu = churn, .accesses = 1, .modes = {xylem_read_write}};

static int memory[vectors][length];

static int line_has_come(void) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  return poll(&in, 1, 0) != 0;
}

int main(int argc, char** argv) {
  const xylem_codelet* codelet =
      argc > 1 && strcmp(argv[1], "idle") == 0 ? &on_processors : &on_devices;
  xylem_data* data[vectors];
  need_devices(1);
  for (int v = 0; v < vectors; ++v) data[v] = xylem_data_vector(memory[v], length, sizeof(int));
  for (int round = 0; round == 0 || !line_has_come(); ++round) {
    for (int t = 0; t < turns; ++t)
      CHECK(xylem_submit(codelet, &(xylem_task_options){.data = &data[t % vectors]}, NULL) == 0);
    CHECK(xylem_wait_all() == 0);
    if (round == 0) puts("running");
    fflush(stdout);
  }
  for (int v = 0; v < vectors; ++v) CHECK(xylem_data_unregister(data[v]) == 0);
  return 0;
}
