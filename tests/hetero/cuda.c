/* What CUDA variants have beside those of OpenCL: code that was compiled before, functions that
 * launch what they like, templates, parameters that do not fit, kernels that fault, copies that
 * fail, copies between devices. */
#include <cuda.h>
#include <errno.h>
#include <nvrtc.h>
#include <string.h>

#include "devices.h"
#include "stand_in/control.h"

static const char source[] =
    "namespace blas {\n"
    "template <typename T>\n"
    "__global__ void add(T* x, unsigned long n, T by) {\n"
    "  unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] += by;\n"
    "}\n"
    "}\n"
    "__global__ void follow(int* x, unsigned long n, int* to) { to[0] = x[0]; }\n"
    "extern \"C\" __global__ void twice(int* x, unsigned long n) {\n"
    "  unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] *= BY;\n"
    "}\n"
    "__global__ void blocks(int* x, unsigned long n) {\n"
    "  if (threadIdx.x == 0) x[blockIdx.x] = gridDim.x * 100 + blockDim.x;\n"
    "}\n";

enum { n = 1000 };
static int memory[n];

static void fill(void) {
  for (int i = 0; i < n; ++i) memory[i] = i;
}

static int run(const xylem_codelet* codelet, const void* argument, size_t bytes) {
  xylem_data* data = xylem_data_vector(memory, n, sizeof *memory);
  xylem_task* task = NULL;
  CHECK(xylem_submit(
            codelet,
            &(xylem_task_options){.data = &data, .argument = argument, .argument_bytes = bytes},
            &task) == 0);
  const int error = xylem_task_wait(task);
  const int ended = xylem_data_unregister(data);
  CHECK(ended == (error == 0 ? 0 : ENODATA));
  return error;
}

static void templates(void) {
  static const xylem_cuda adding = {
      .source = source, .kernel = "blas::add<int>", .options = "-DBY=1"};
  static const xylem_codelet add = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &adding};
  const int by = 7;
  fill();
  CHECK(run(&add, &by, sizeof by) == 0);
  for (int i = 0; i < n; ++i) CHECK(memory[i] == i + 7);
}

/* 3 blocks of 5 threads are what 11 threads take. */
static void three_of_five(const xylem_view* views, const void* argument, size_t global[3],
                          size_t local[3]) {
  CHECK(views[0].x == n && !argument);
  global[0] = 11;
  local[0] = 5;
}

static void ranges(void) {
  static const xylem_cuda blocks = {
      .source = source, .kernel = "blocks", .options = "-DBY=1", .range = three_of_five};
  static const xylem_codelet codelet = {
      .accesses = 1, .modes = {xylem_read_write}, .cuda = &blocks};
  fill();
  CHECK(run(&codelet, NULL, 0) == 0);
  for (int i = 0; i < n; ++i) CHECK(memory[i] == (i < 3 ? 305 : i));
}

/* As nvcc would have made it. */
static char* compiled(void) {
  nvrtcProgram program;
  const char* options[] = {"-DBY=2", "--gpu-architecture=sm_90"};
  size_t size = 0;
  CHECK(nvrtcCreateProgram(&program, source, "cuda.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
  CHECK(nvrtcAddNameExpression(program, "twice") == NVRTC_SUCCESS);
  CHECK(nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
  CHECK(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS);
  char* code = malloc(size);
  CHECK(nvrtcGetCUBIN(program, code) == NVRTC_SUCCESS);
  CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
  return code;
}

static void images(void) {
  static xylem_cuda twice = {.kernel = "twice"};
  static const xylem_codelet codelet = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &twice};
  twice.image = compiled();
  fill();
  CHECK(run(&codelet, NULL, 0) == 0);
  for (int i = 0; i < n; ++i) CHECK(memory[i] == 2 * i);
}

/* Sets what *argument says; 0 is refused. */
static int set(const xylem_view* views, void* argument, void* stream) {
  const unsigned value = *(unsigned*)argument;
  if (value == 0) return EDOM;
  CHECK(views[0].row_step == views[0].x && views[0].data != memory);
  return cuMemsetD32Async((CUdeviceptr)views[0].data, value, views[0].x, stream) ? EIO : 0;
}

static void functions(void) {
  static const xylem_cuda setting = {.launch = set};
  static const xylem_codelet codelet = {.accesses = 1, .modes = {xylem_write}, .cuda = &setting};
  unsigned value = 42;
  fill();
  CHECK(run(&codelet, &value, sizeof value) == 0);
  for (int i = 0; i < n; ++i) CHECK(memory[i] == 42);
  value = 0;
  CHECK(run(&codelet, &value, sizeof value) == EDOM);
  CHECK(xylem_wait_all() == EDOM);
  value = 9; /* it is as good as before */
  CHECK(run(&codelet, &value, sizeof value) == 0);
}

/* Argument of another size, one too few, one too many: each is refused on all devices. */
static void parameters(void) {
  static const xylem_cuda adding = {
      .source = source, .kernel = "blas::add<int>", .options = "-DBY=3"};
  const xylem_codelet add = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &adding};
  static const xylem_cuda doubling = {.source = source, .kernel = "twice", .options = "-DBY=3"};
  const xylem_codelet twice = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &doubling};
  static const xylem_cuda other = {
      .source = source, .kernel = "blas::add<int>", .options = "-DBY=4"};
  const xylem_codelet without = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &other};
  const double by = 7;
  CHECK(run(&add, &by, sizeof by) == ENOEXEC);
  CHECK(run(&twice, &by, sizeof by) == ENOEXEC);
  CHECK(run(&without, NULL, 0) == ENOEXEC);
  CHECK(xylem_wait_all() == ENOEXEC);
}

static int on_processor(const xylem_view* views, void* argument) {
  (void)argument;
  ((int*)views[0].data)[0] = 5;
  return 0;
}

static int lost_devices(void) {
  stand_in_lost_function* lost = stand_in("stand_in_lost");
  CHECK(lost);
  return lost();
}

/* A card does not say. */
static void expect_one_lost(void) {
  if (stand_in("stand_in_lost") || getenv("DEVICES_MUST_BE_THERE")) CHECK(lost_devices() == 1);
}

/* A kernel that takes its device with it is tried once. A processor does what it was to do, with
 * the values that were there before. */
static void fault_of_one(void) {
  static const xylem_cuda following = {.source = source, .kernel = "follow", .options = "-DBY=1"};
  const xylem_codelet on_devices = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &following};
  const xylem_codelet anywhere = {
      .cpu = on_processor, .accesses = 1, .modes = {xylem_read_write}, .cuda = &following};
  const int* to = memory; /* an address that is none of the device's */
  fill();
  CHECK(run(&on_devices, &to, sizeof to) == EFAULT);
  expect_one_lost();
  CHECK(xylem_wait_all() == EFAULT);
  fill();
  for (int i = 0; i < 5; ++i) CHECK(run(&anywhere, &to, sizeof to) == 0);
  CHECK(memory[0] == 5 && memory[1] == 1);
  CHECK(xylem_wait_all() == 0);
  expect_one_lost();
}

/* ... and another device goes on. */
static void fault(void) {
  fault_of_one();
  templates();
}

static void one(void) {
  templates();
  ranges();
  images();
  functions();
  parameters();
}

static void fail_copies(int count) {
  stand_in_fail_copies_function* fail = stand_in("stand_in_fail_copies");
  CHECK(fail);
  fail(count);
}

/* A copy that fails is an error of the task or call that wants it, and of nobody else. */
static void copies(void) {
  static const xylem_cuda adding = {
      .source = source, .kernel = "blas::add<int>", .options = "-DBY=1"};
  static const xylem_codelet add = {.accesses = 1, .modes = {xylem_read_write}, .cuda = &adding};
  const int by = 7;
  templates();
  fill();
  fail_copies(1); /* to the device */
  CHECK(run(&add, &by, sizeof by) == EIO);
  CHECK(xylem_wait_all() == EIO);
  templates();
  xylem_data* data = xylem_data_vector(memory, n, sizeof *memory);
  CHECK(xylem_submit(
            &add,
            &(xylem_task_options){.data = &data, .argument = &by, .argument_bytes = sizeof by},
            NULL) == 0);
  CHECK(xylem_wait_all() == 0);
  fail_copies(1); /* from it */
  CHECK(xylem_data_acquire(data, xylem_read) == EIO);
  CHECK(xylem_data_acquire(data, xylem_read) == 0);
  for (int i = 0; i < n; ++i) CHECK(memory[i] == i + 14);
  CHECK(xylem_data_release(data) == 0 && xylem_data_unregister(data) == 0);
  CHECK(lost_devices() == 0);
}

/* What each of the two devices has of the data. */
static int copies_of[2][n];
static _Atomic int looks[2];

static int look(const xylem_view* views, void* argument, void* stream) {
  (void)argument;
  const int device = xylem_current_executor() - (xylem_executor_count() - 2);
  ++looks[device];
  return cuMemcpyDtoHAsync(copies_of[device], (CUdeviceptr)views[0].data, sizeof memory, stream)
             ? EIO
             : 0;
}

static void look_on_both(xylem_data* data) {
  static const xylem_cuda looking = {.launch = look};
  static const xylem_codelet codelet = {.accesses = 1, .modes = {xylem_read}, .cuda = &looking};
  while (looks[0] == 0 || looks[1] == 0) {
    for (int i = 0; i < 10; ++i)
      CHECK(xylem_submit(&codelet, &(xylem_task_options){.data = &data}, NULL) == 0);
    CHECK(xylem_wait_all() == 0);
  }
}

/* From one device to the other, without main memory. */
static void peers(void) {
  static const xylem_cuda setting = {.launch = set};
  static const xylem_codelet codelet = {.accesses = 1, .modes = {xylem_write}, .cuda = &setting};
  stand_in_peer_copies_function* peer_copies = stand_in("stand_in_peer_copies");
  CHECK(peer_copies);
  const unsigned value = 0x77665544;
  const int before = peer_copies();
  xylem_data* data = xylem_data_vector(memory, n, sizeof *memory);
  CHECK(xylem_submit(&codelet,
                     &(xylem_task_options){
                         .data = &data, .argument = &value, .argument_bytes = sizeof value},
                     NULL) == 0);
  const int count = xylem_executor_count();
  CHECK(xylem_data_prefetch(data, count - 1) == 0 && xylem_data_prefetch(data, count - 2) == 0);
  CHECK(xylem_wait_all() == 0 && peer_copies() == before + 1);
  look_on_both(data);
  CHECK(peer_copies() == before + 1);
  CHECK(xylem_data_unregister(data) == 0);
  for (int i = 0; i < n; ++i)
    CHECK(memory[i] == (int)value && copies_of[0][i] == memory[i] && copies_of[1][i] == memory[i]);
}

/* Pieces of many sizes on devices with memory for a few: what is kept of one size is given up for
 * another (XYLEM_STAND_IN_CUDA: really=8K, more than any piece and less than all). */
static void sizes(void) {
  static const xylem_cuda setting = {.launch = set};
  static const xylem_codelet codelet = {.accesses = 1, .modes = {xylem_write}, .cuda = &setting};
  const unsigned value = 3;
  for (int elements = 100; elements <= n; elements += 100) {
    xylem_data* data = xylem_data_vector(memory, (size_t)elements, sizeof *memory);
    CHECK(xylem_submit(&codelet,
                       &(xylem_task_options){
                           .data = &data, .argument = &value, .argument_bytes = sizeof value},
                       NULL) == 0);
    CHECK(xylem_data_unregister(data) == 0);
    for (int i = 0; i < elements; ++i) CHECK(memory[i] == 3);
  }
}

int main(int argc, char** argv) {
  need_devices(1);
  if (argc > 1 && strcmp(argv[1], "one") == 0) return one(), 0;
  if (argc > 1 && strcmp(argv[1], "fault_of_one") == 0) return fault_of_one(), 0;
  need_devices(2);
  if (argc > 1 && strcmp(argv[1], "fault") == 0) return fault(), 0;
  if (argc > 1 && strcmp(argv[1], "copies") == 0) return copies(), 0;
  if (argc > 1 && strcmp(argv[1], "sizes") == 0) return sizes(), 0;
  one();
  peers();
  return 0;
}
