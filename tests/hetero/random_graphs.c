/* random_graphs POLICY SECONDS BYTES [SEED]: random graphs of tasks on processors and on devices,
 * of which each may take BYTES for data (0: on processors alone), compared with a serial replay:
 * each task is done once more, at once, on memory of the test's own. A graph has all modes, parts
 * and parts of parts, priorities, tasks named to come after others, tasks that fail, values given
 * up, accesses of the program's own, and data without an address. In every second graph two threads
 * submit one each. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <xylem/memory.h>

#include "devices.h"

#ifndef MOST_EXTENT
#define MOST_EXTENT 24
#endif

enum {
  matrices = 10,
  most_extent = MOST_EXTENT,
  elements = most_extent * most_extent,
  steps = 500,
  most_pieces = 4000
};

/* --- what tasks do, on devices, on processors, and in the replay -------------------------------
 */

#define M "__global int* "
static const char source[] = KERNEL_WORDS
    "#define HERE(w, h) const size_t c = get_global_id(0), r = get_global_id(1); const ulong k = r "
    "* (w) + c; \\\n"
    "  if (c >= (w) || r >= (h)) return\n"
    "__kernel void set(" M
    "y, ulong yx, ulong yy, int by) { HERE(yx, yy); y[k] = by * (int)k + 7; }\n"
    "__kernel void blend(" M "y, ulong yx, ulong yy, " M
    "x, ulong xx, ulong xy, int by) {\n"
    "  HERE(yx, yy); y[k] = (int)(3u * (uint)y[k] + (uint)x[(k + by) % (xx * xy)] + (uint)by); }\n"
    "__kernel void blend_two(" M "y, ulong yx, ulong yy, " M "x, ulong xx, ulong xy, " M
    "z, ulong zx, ulong zy,\n"
    "                      int by) {\n"
    "  HERE(yx, yy); y[k] = (int)(5u * (uint)x[k * by % (xx * xy)] - (uint)z[k % (zx * zy)]); }\n"
    "__kernel void add(" M "y, ulong yx, ulong yy, " M
    "x, ulong xx, ulong xy, int by) {\n"
    "  HERE(yx, yy); y[k] = (int)((uint)y[k] + (uint)by * (uint)x[k % (xx * xy)]); }\n"
    "__kernel void twice(" M "y, ulong yx, ulong yy, " M
    "s, ulong sx, ulong sy, int by) {\n"
    "  HERE(yx, yy); s[k] = (int)(2u * (uint)y[k]); y[k] = (int)((uint)s[k] + (uint)by); }\n";

/* A box of ints, which may have gaps between rows. */
typedef struct {
  int* at;
  unsigned long x, y, step;
} Box;
static Box box_of(const xylem_view* view) {
  return (Box){view->data, view->x, view->y, view->row_step};
}
static int* element(Box box, unsigned long k) { return box.at + k / box.x * box.step + k % box.x; }
static unsigned long count_of(Box box) { return box.x * box.y; }
static unsigned value(Box box, unsigned long k) {
  return (unsigned)*element(box, k % count_of(box));
}

typedef void Work(const Box* boxes, int by);
static void set(const Box* b, int by) {
  for (unsigned long k = 0; k < count_of(b[0]); ++k) *element(b[0], k) = by * (int)k + 7;
}
static void mix(const Box* b, int by) {
  for (unsigned long k = 0; k < count_of(b[0]); ++k)
    *element(b[0], k) =
        (int)(3u * value(b[0], k) + value(b[1], k + (unsigned long)by) + (unsigned)by);
}
static void mix_two(const Box* b, int by) {
  for (unsigned long k = 0; k < count_of(b[0]); ++k)
    *element(b[0], k) = (int)(5u * value(b[1], k * (unsigned long)by) - value(b[2], k));
}
static void add(const Box* b, int by) {
  for (unsigned long k = 0; k < count_of(b[0]); ++k)
    *element(b[0], k) = (int)(value(b[0], k) + (unsigned)by * value(b[1], k));
}
/* Its second box is scratch, of another size perhaps in the replay: it is not used there. */
static void twice(const Box* b, int by) {
  for (unsigned long k = 0; k < count_of(b[0]); ++k)
    *element(b[0], k) = (int)(2u * value(b[0], k) + (unsigned)by);
}
static void fail(const Box* b, int by) {
  (void)b;
  (void)by;
}

static void clear(Box box) {
  for (unsigned long k = 0; k < count_of(box); ++k) *element(box, k) = 0;
}
static void start_sum(const xylem_view* copy) { clear(box_of(copy)); }
static void add_sum(const xylem_view* into, const xylem_view* from) {
  add((Box[2]){box_of(into), box_of(from)}, 1);
}

/* --- codelets ----------------------------------------------------------------------------------
 */

static int run(Work* work, int count, const xylem_view* views, void* argument) {
  Box boxes[3];
  for (int i = 0; i < count; ++i) boxes[i] = box_of(&views[i]);
  work(boxes, *(int*)argument);
  return 0;
}
#define ON_PROCESSOR(work, count)                                   \
  static int work##_task(const xylem_view* views, void* argument) { \
    return run(work, count, views, argument);                       \
  }
ON_PROCESSOR(set, 1)
ON_PROCESSOR(mix, 2)
ON_PROCESSOR(mix_two, 3)
ON_PROCESSOR(add, 2)
static int twice_task(const xylem_view* views, void* argument) {
  const Box y = box_of(&views[0]);
  const Box s = box_of(&views[1]);
  for (unsigned long k = 0; k < count_of(y); ++k) *element(s, k) = (int)(2u * value(y, k));
  for (unsigned long k = 0; k < count_of(y); ++k)
    *element(y, k) = (int)(value(s, k) + (unsigned)*(int*)argument);
  return 0;
}
static int fail_task(const xylem_view* views, void* argument) {
  set(&(Box){views[0].data, views[0].x, views[0].y, views[0].row_step}, *(int*)argument);
  return EDOM;
}

/* One size of groups: PoCL compiles a kernel for each size that it meets. */
static void range(const xylem_view* views, const void* argument, size_t global[3],
                  size_t local[3]) {
  (void)argument;
  local[0] = 8;
  local[1] = local[2] = 1;
  global[0] = (views[0].x + 7) / 8 * 8;
  global[1] = views[0].y;
}
#define RANGED_KERNEL(name, kernel_name)                                                        \
  static const xylem_opencl name = {.source = source, .kernel = (kernel_name), .range = range}; \
  static const xylem_cuda name##_cuda = {.source = source, .kernel = (kernel_name), .range = range}

RANGED_KERNEL(set_kernel, "set");
RANGED_KERNEL(mix_kernel, "blend");
RANGED_KERNEL(mix_two_kernel, "blend_two");
RANGED_KERNEL(add_kernel, "add");
RANGED_KERNEL(twice_kernel, "twice");

typedef struct {
  Work* work;
  xylem_codelet anywhere, on_devices, on_processors;
} Kind;
#define MODES(...) \
  { __VA_ARGS__ }
#define KIND(work, count, modes)                                                   \
  {                                                                                \
    work, {#work, work##_task, count, modes, &work##_kernel, &work##_kernel_cuda}, \
        {#work, NULL, count, modes, &work##_kernel, &work##_kernel_cuda},          \
        {#work, work##_task, count, modes, NULL, NULL},                            \
  }
enum { setting, mixing, mixing_two, commuting, reducing, with_scratch, failing, kind_count };
static const Kind kinds[kind_count] = {KIND(set, 1, MODES(xylem_write)),
                                       KIND(mix, 2, MODES(xylem_read_write, xylem_read)),
                                       KIND(mix_two, 3, MODES(xylem_write, xylem_read, xylem_read)),
                                       KIND(add, 2, MODES(xylem_commute, xylem_read)),
                                       KIND(add, 2, MODES(xylem_reduce, xylem_read)),
                                       KIND(twice, 2, MODES(xylem_read_write, xylem_scratch)),
                                       {fail,
                                        {"fail", fail_task, 1, {xylem_read_write}, NULL, NULL},
                                        {"fail", fail_task, 1, {xylem_read_write}, NULL, NULL},
                                        {"fail", fail_task, 1, {xylem_read_write}, NULL, NULL}}};

/* --- a graph -----------------------------------------------------------------------------------
 */

/* A matrix or a part of one. Parts of a piece have the numbers from `parts` on. */
typedef struct {
  xylem_data* data;
  int matrix;
  unsigned long x, y, width, height;
  int has_value;
  int part_count, parts;
} Piece;

typedef struct {
  unsigned first_seed, seed;
  unsigned long bytes;            /* that a device may take */
  int fails;                      /* tasks may */
  int* memory[matrices];          /* on all memory nodes in turn */
  int serial[matrices][elements]; /* the replay's */
  int has_home[matrices];
  Piece pieces[most_pieces];
  int count;
  int leaves[most_pieces]; /* that are not cut, and not parts of a piece that is whole again */
  int leaf_count;
  xylem_task* named; /* to come after; or NULL */
  long submitted;
} Graph;

static atomic_long called_back;
static void count_call(void* argument) {
  (void)argument;
  atomic_fetch_add(&called_back, 1);
}

static int draw(Graph* graph, int below) {
  return (int)(next_random(&graph->seed) % (unsigned)below);
}

static void complain(const Graph* graph, const char* what, int number) {
  fprintf(stderr, "graph of seed %u: %s (%d)\n", graph->first_seed, what, number);
  exit(1);
}
static void expect(const Graph* graph, const char* what, int error, int wanted) {
  if (error == wanted) return;
  fprintf(stderr, "not %d\n", wanted);
  complain(graph, what, error);
}

static Box replay_box(Graph* graph, const Piece* piece) {
  return (Box){graph->serial[piece->matrix] + piece->y * most_extent + piece->x, piece->width,
               piece->height, most_extent};
}

/* What the program sees of a piece beside the replay. */
static void compare(Graph* graph, const Piece* piece, Box seen) {
  const Box wanted = replay_box(graph, piece);
  if (seen.x != wanted.x || seen.y != wanted.y) complain(graph, "wrong extents", piece->matrix);
  for (unsigned long k = 0; k < count_of(wanted); ++k)
    if (*element(seen, k) != *element(wanted, k)) {
      fprintf(stderr, "element %lu is %d, not %d\n", k, *element(seen, k), *element(wanted, k));
      complain(graph, "wrong value", piece->matrix);
    }
}

static void forget_leaf(Graph* graph, int number) {
  for (int i = 0; i < graph->leaf_count; ++i)
    if (graph->leaves[i] == number) graph->leaves[i] = graph->leaves[--graph->leaf_count];
}

/* --- steps: tasks ------------------------------------------------------------------------------
 */

static unsigned long bytes_on_device(const Piece* piece) {
  return (piece->width * piece->height * sizeof(int) + 63) / 64 * 64;
}

/* The replay of an accepted task. */
static void replay(Graph* graph, int kind, Piece* const* used, int by) {
  const xylem_codelet* codelet = &kinds[kind].anywhere;
  Box boxes[3];
  int runs = kind != failing;
  for (int i = 0; i < codelet->accesses; ++i) {
    boxes[i] = replay_box(graph, used[i]);
    const xylem_mode mode = codelet->modes[i];
    const int is_read = mode == xylem_read || mode == xylem_read_write || mode == xylem_commute;
    runs &= used[i]->has_value || !is_read;
  }
  if (kind == reducing) { /* who reduces adds to a neutral copy at least */
    if (!used[0]->has_value) clear(boxes[0]);
    used[0]->has_value = 1;
  } else {
    used[0]->has_value = runs;
  }
  if (runs) kinds[kind].work(boxes, by);
}

static const xylem_codelet* variant(Graph* graph, int kind) {
  const int where = draw(graph, 4);
  if (where == 0 || graph->bytes == 0) return &kinds[kind].on_processors;
  return where == 1 ? &kinds[kind].on_devices : &kinds[kind].anywhere;
}

static void name_task(Graph* graph, xylem_task* task) {
  if (graph->named) xylem_task_release(graph->named);
  graph->named = task;
}

static void submit(Graph* graph, int kind, Piece* const* used) {
  const xylem_codelet* codelet = variant(graph, kind);
  xylem_data* data[3];
  unsigned long bytes = 0;
  const int by = draw(graph, 100);
  for (int i = 0; i < codelet->accesses; ++i) {
    data[i] = used[i]->data;
    bytes += bytes_on_device(used[i]);
  }
  xylem_task* task = NULL;
  const int named = draw(graph, 6) == 0;
  const xylem_task_options options = {.data = data,
                                      .argument = &by,
                                      .argument_bytes = sizeof by,
                                      .priority = draw(graph, 10),
                                      .callback = count_call,
                                      .after = &graph->named,
                                      .after_count = graph->named && draw(graph, 3) == 0};
  const int error = xylem_submit(codelet, &options, named ? &task : NULL);
  const int too_large = !codelet->cpu && bytes > graph->bytes;
  expect(graph, "submission", error, too_large ? ENOSPC : 0);
  if (error != 0) return;
  if (named) name_task(graph, task);
  ++graph->submitted;
  replay(graph, kind, used, by);
}

/* Of the pieces that may be used, different ones. False: there are not as many. */
static int draw_pieces(Graph* graph, int count, Piece** used) {
  if (graph->leaf_count < count) return 0;
  for (int i = 0; i < count; ++i) {
    int fresh = 0;
    while (!fresh) {
      used[i] = &graph->pieces[graph->leaves[draw(graph, graph->leaf_count)]];
      fresh = 1;
      for (int before = 0; before < i; ++before) fresh &= used[before] != used[i];
    }
  }
  return 1;
}

static void task_step(Graph* graph) {
  static const int by_chance[] = {setting,   mixing,    mixing,   mixing,       mixing_two,
                                  commuting, commuting, reducing, with_scratch, failing};
  const int kind = by_chance[draw(graph, graph->fails ? 10 : 9)];
  Piece* used[3];
  if (!draw_pieces(graph, kinds[kind].anywhere.accesses, used)) return;
  if (kind == with_scratch) used[1] = used[0]; /* of its extents; never the data itself */
  if (kind != with_scratch) return submit(graph, kind, used);
  Piece scratch = *used[0];
  scratch.data = xylem_data_matrix(NULL, scratch.width, scratch.height, scratch.width, sizeof(int));
  CHECK(scratch.data);
  submit(graph, kind, (Piece* [2]){used[0], &scratch});
  CHECK(xylem_data_unregister_later(scratch.data) == 0);
}

/* Several that commute or reduce on one piece in a row. */
static void burst_step(Graph* graph) {
  Piece* used[2];
  const int kind = draw(graph, 2) ? commuting : reducing;
  if (!draw_pieces(graph, 2, used)) return;
  Piece* const into = used[0];
  for (int i = draw(graph, 12); i >= 0; --i) {
    submit(graph, kind, used);
    do
      if (!draw_pieces(graph, 1, &used[1])) return;
    while (used[1] == into);
  }
}

/* --- steps: parts ------------------------------------------------------------------------------
 */

static unsigned long begin_of(unsigned long extent, int parts, int number) {
  const unsigned long n = (unsigned long)parts;
  const unsigned long i = (unsigned long)number;
  const unsigned long larger = extent % n;
  return i * (extent / n) + (i < larger ? i : larger);
}

static void add_part(Graph* graph, const Piece* whole, int number, const unsigned long box[4]) {
  Piece* part = &graph->pieces[graph->count];
  *part = (Piece){.data = xylem_data_part(whole->data, number),
                  .matrix = whole->matrix,
                  .x = whole->x + box[0],
                  .y = whole->y + box[1],
                  .width = box[2],
                  .height = box[3],
                  .has_value = whole->has_value};
  CHECK(part->data);
  CHECK(xylem_data_set_reduction(part->data, start_sum, add_sum) == 0);
  graph->leaves[graph->leaf_count++] = graph->count++;
}

/* The first row alone, then columns of two sizes below it. */
static void cut_box(unsigned long width, unsigned long height, int number, unsigned long box[4]) {
  const unsigned long third = (width + 2) / 3;
  box[0] = number == 2 ? third : 0;
  box[1] = number == 0 ? 0 : 1;
  box[2] = number == 0 ? width : number == 1 ? third : width - third;
  box[3] = number == 0 ? 1 : height - 1;
}
static int cut_by_hand(const xylem_view* whole, int number, xylem_view* part, void* argument) {
  unsigned long box[4];
  cut_box(whole->x, whole->y, number, box);
  part->data = (int*)whole->data + box[1] * whole->row_step + box[0];
  part->x = box[2];
  part->y = box[3];
  return *(int*)argument;
}

static void cut_step(Graph* graph) {
  Piece* whole;
  if (graph->count > most_pieces - 40 || !draw_pieces(graph, 1, &whole)) return;
  const int by_hand = draw(graph, 4) == 0 && whole->width > 1 && whole->height > 1;
  const int columns = 1 + draw(graph, 3);
  const int rows = 1 + draw(graph, 3);
  int refused = 0;
  if ((unsigned long)columns > whole->width || (unsigned long)rows > whole->height) return;
  expect(graph, "partition",
         by_hand ? xylem_data_partition_by(whole->data, 3, cut_by_hand, &refused)
                 : xylem_data_partition(whole->data, columns, rows, 1),
         0);
  forget_leaf(graph, (int)(whole - graph->pieces));
  whole->parts = graph->count;
  whole->part_count = by_hand ? 3 : columns * rows;
  for (int number = 0; number < whole->part_count; ++number) {
    unsigned long box[4];
    cut_box(whole->width, whole->height, number, box);
    if (!by_hand) {
      const int column = number % columns;
      const int row = number / columns;
      box[0] = begin_of(whole->width, columns, column);
      box[1] = begin_of(whole->height, rows, row);
      box[2] = begin_of(whole->width, columns, column + 1) - box[0];
      box[3] = begin_of(whole->height, rows, row + 1) - box[1];
    }
    add_part(graph, whole, number, box);
  }
}

/* Parts that are cut are brought together before. */
static void gather(Graph* graph, Piece* whole) {
  whole->has_value = 1;
  for (int number = whole->parts; number < whole->parts + whole->part_count; ++number) {
    Piece* part = &graph->pieces[number];
    if (part->part_count > 0) gather(graph, part);
    whole->has_value &= part->has_value;
    forget_leaf(graph, number);
  }
  expect(graph, "unpartition", xylem_data_unpartition(whole->data), 0);
  whole->part_count = 0;
  graph->leaves[graph->leaf_count++] = (int)(whole - graph->pieces);
}

static void gather_step(Graph* graph) {
  Piece* matrix = &graph->pieces[draw(graph, matrices)];
  if (matrix->part_count > 0) gather(graph, matrix);
}

/* --- steps: the program's own ------------------------------------------------------------------
 */

static void access_step(Graph* graph) {
  Piece* piece;
  if (!draw_pieces(graph, 1, &piece)) return;
  const xylem_mode mode = (xylem_mode)(xylem_read + draw(graph, 3));
  const int wanted = piece->has_value || mode == xylem_write ? 0 : ENODATA;
  expect(graph, "acquire", xylem_data_acquire(piece->data, mode), wanted);
  if (wanted != 0) return;
  xylem_view view;
  CHECK(xylem_data_view(piece->data, &view) == 0);
  const Box box = box_of(&view);
  if (mode != xylem_write) compare(graph, piece, box);
  if (mode != xylem_read) {
    const int by = draw(graph, 1000);
    const Box serial = replay_box(graph, piece);
    set(&box, by);
    set(&serial, by);
    piece->has_value = 1;
  }
  CHECK(xylem_data_release(piece->data) == 0);
}

static void hint_step(Graph* graph) {
  Piece* piece;
  if (!draw_pieces(graph, 1, &piece)) return;
  if (graph->fails && draw(graph, 4) == 0) {
    expect(graph, "invalidate", xylem_data_invalidate(piece->data), 0);
    piece->has_value = 0;
  } else {
    expect(graph, "prefetch", xylem_data_prefetch(piece->data, draw(graph, xylem_executor_count())),
           0);
  }
}

static void one_step(Graph* graph) {
  const int chance = draw(graph, 40);
  if (chance < 30) return task_step(graph);
  if (chance < 32) return burst_step(graph);
  if (chance < 34) return cut_step(graph);
  if (chance < 36) return gather_step(graph);
  if (chance < 38) return access_step(graph);
  hint_step(graph);
}

/* --- a graph's life ----------------------------------------------------------------------------
 */

static void begin(Graph* graph) {
  graph->fails = draw(graph, 2);
  for (int m = 0; m < matrices; ++m) {
    graph->has_home[m] = draw(graph, 4) > 0;
    Piece* piece = &graph->pieces[graph->count];
    *piece = (Piece){.matrix = m,
                     .width = 1 + (unsigned long)draw(graph, most_extent),
                     .height = 1 + (unsigned long)draw(graph, most_extent),
                     .has_value = graph->has_home[m]};
    graph->memory[m] = xylem_malloc_on_node(elements * sizeof(int), m % xylem_node_count());
    CHECK(graph->memory[m]);
    for (int i = 0; i < elements; ++i) graph->memory[m][i] = graph->serial[m][i] = m + i;
    piece->data = xylem_data_matrix(graph->has_home[m] ? graph->memory[m] : NULL, piece->width,
                                    piece->height, most_extent, sizeof(int));
    CHECK(piece->data);
    CHECK(xylem_data_set_reduction(piece->data, start_sum, add_sum) == 0);
    graph->leaves[graph->leaf_count++] = graph->count++;
    while (!piece->has_value) submit(graph, setting, &piece); /* a device alone may be too small */
  }
}

static void end_matrix(Graph* graph, Piece* piece) {
  if (piece->part_count > 0) gather(graph, piece);
  if (!graph->has_home[piece->matrix] && piece->has_value) {
    xylem_view view;
    expect(graph, "last acquire", xylem_data_acquire(piece->data, xylem_read), 0);
    CHECK(xylem_data_view(piece->data, &view) == 0);
    compare(graph, piece, box_of(&view));
    CHECK(xylem_data_release(piece->data) == 0);
  }
  if (draw(graph, 2)) {
    CHECK(xylem_data_unregister_later(piece->data) == 0);
    return;
  }
  const int wanted = piece->has_value || !graph->has_home[piece->matrix] ? 0 : ENODATA;
  expect(graph, "unregister", xylem_data_unregister(piece->data), wanted);
}

static void run_graph(Graph* graph, unsigned seed, unsigned long bytes) {
  memset(graph, 0, sizeof *graph);
  graph->first_seed = graph->seed = seed;
  graph->bytes = bytes;
  begin(graph);
  for (int step = 0; step < steps; ++step) one_step(graph);
  name_task(graph, NULL);
  for (int m = 0; m < matrices; ++m) end_matrix(graph, &graph->pieces[m]);
}

/* After all tasks have ended. */
static void compare_all(Graph* graph) {
  for (int m = 0; m < matrices; ++m) {
    const Piece* piece = &graph->pieces[m];
    const Box box = {graph->memory[m], piece->width, piece->height, most_extent};
    if (graph->has_home[m] && piece->has_value) compare(graph, piece, box);
    xylem_free(graph->memory[m]);
  }
}

/* Graphs of this many threads at once. */
static void one_round(unsigned seed, int threads, unsigned long bytes) {
  static Graph graphs[2];
  long submitted = 0;
  atomic_store(&called_back, 0);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; ++i) run_graph(&graphs[i], seed + (unsigned)i, bytes);
  const int error = xylem_wait_all();
  int may_fail = 0;
  for (int i = 0; i < threads; ++i) {
    compare_all(&graphs[i]);
    submitted += graphs[i].submitted;
    may_fail |= graphs[i].fails;
  }
  if (error != 0 && !may_fail) complain(&graphs[0], "a task failed", error);
  if (submitted != atomic_load(&called_back)) complain(&graphs[0], "callbacks", (int)submitted);
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  CHECK(argc > 3);
  if (atol(argv[3]) > 0) need_devices(1);
  const double wanted = atof(argv[2]);
  const unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
  const time_t began = time(NULL);
  unsigned seed = first;
  int rounds = 0;
  do {
    const int threads = 1 + rounds++ % 2;
    one_round(seed, threads, (unsigned long)atol(argv[3]));
    seed += (unsigned)threads;
  } while (difftime(time(NULL), began) < wanted);
  printf("%s: %d rounds, %u graphs of %d steps\n", argv[1], rounds, seed - first, steps);
  return 0;
}
