/* Random graphs over ranks (ranks.c), beside a serial replay that each rank makes on its own: what
 * each task reads, what each rank finds at the end, which tasks fail, what has no value, and how
 * many messages and bytes each rank sends. All kinds of data, all modes, tasks on other ranks than
 * the owner's, values brought and given up. */
#include <errno.h>
#include <string.h>
#include <xylem/codelet_mpi.h>

#include "check.h"
#include "ranks.h"

enum { pieces = 12, tasks = 300, most_ranks = 16, rows = 5 };

static int rank, size;
static unsigned seed;
static int drawn(int below) { return (int)(next_random(&seed) % (unsigned)below); }

/* --- pieces: each has a number, and its k-th element is number + k ------------------------------
 */

typedef struct {
  xylem_kind kind;
  unsigned long x, y, z, gap;
  int owner;
  int reduces;
  int* memory;
  uint32_t *columns, *row_starts;
  xylem_data* data;
  /* In the replay. */
  int number, has_value;
  int have[most_ranks];
  int lost; /* this rank had a value that is not the piece's any more */
} piece;

static unsigned long count_of(const piece* p) { return p->x * p->y * p->z; }
static unsigned long bytes_of(const piece* p) {
  const unsigned long elements = count_of(p) * sizeof(int);
  return p->kind == xylem_csr ? 2 * elements + (rows + 1) * sizeof(uint32_t) : elements;
}

static int* element(const xylem_view* v, unsigned long k) {
  if (v->kind == xylem_csr || v->kind == xylem_user) return (int*)v->data + k;
  const unsigned long plane = k / (v->x * v->y), row = k / v->x % v->y;
  return (int*)v->data + plane * v->plane_step + row * v->row_step + k % v->x;
}
static unsigned long elements_of(const xylem_view* v) {
  if (v->kind == xylem_csr) return v->entries;
  if (v->kind == xylem_user) return v->element_bytes / sizeof(int);
  return v->x * v->y * v->z;
}
static void set_number(const xylem_view* v, int number) {
  for (unsigned long k = 0; k < elements_of(v); ++k) *element(v, k) = number + (int)k;
}
/* 0: it is so. */
static int differs(const xylem_view* v, int number) {
  for (unsigned long k = 0; k < elements_of(v); ++k)
    if (*element(v, k) != number + (int)k) return 1;
  return 0;
}
static void add_to(const xylem_view* v, int number) {
  for (unsigned long k = 0; k < elements_of(v); ++k) *element(v, k) += number;
}

static void begin_sum(const xylem_view* copy) { memset(copy->data, 0, sizeof(int)); }
static void add_sum(const xylem_view* into, const xylem_view* from) {
  *(int*)into->data += *(const int*)from->data;
}

static void draw_extents(piece* p) {
  p->kind = (xylem_kind)drawn(6);
  p->x = p->kind == xylem_variable ? 1 : 1 + (unsigned long)drawn(40);
  p->y = p->kind == xylem_matrix || p->kind == xylem_block ? 1 + (unsigned long)drawn(6) : 1;
  p->z = p->kind == xylem_block ? 1 + (unsigned long)drawn(4) : 1;
  p->gap = (unsigned long)drawn(3);
  if (p->kind == xylem_csr) p->x = rows * 3;
  p->owner = drawn(size);
  p->reduces = p->kind == xylem_variable;
}

static xylem_data* make_data(piece* p, int* at) {
  const unsigned long row = p->x + (at ? p->gap : 0);
  switch (p->kind) {
    case xylem_variable:
      return xylem_data_variable(at, sizeof(int));
    case xylem_vector:
      return xylem_data_vector(at, p->x, sizeof(int));
    case xylem_matrix:
      return xylem_data_matrix(at, p->x, p->y, row, sizeof(int));
    case xylem_block:
      return xylem_data_block(at, p->x, p->y, p->z, row, row * p->y, sizeof(int));
    case xylem_csr:
      return xylem_data_csr(at, p->columns, p->row_starts, rows, sizeof(int));
    default:
      return xylem_data_user(at, p->x * sizeof(int));
  }
}

/* Ranks that are not the owner have memory, with rubbish in it, or none. */
static void make_piece(piece* p, int tag) {
  memset(p, 0, sizeof *p);
  draw_extents(p);
  const unsigned long room = (p->x + p->gap) * p->y * p->z;
  p->memory = calloc(room, sizeof(int));
  p->columns = calloc(room, sizeof(uint32_t));
  p->row_starts = calloc(rows + 1, sizeof(uint32_t));
  for (uint32_t r = 0; r <= rows; ++r) p->row_starts[r] = r * 3;
  const int has_memory = rank == p->owner || p->kind == xylem_csr || (tag + rank) % 3 == 0;
  p->data = make_data(p, has_memory ? p->memory : NULL);
  CHECK(p->data);
  if (p->reduces) CHECK(xylem_data_set_reduction(p->data, begin_sum, add_sum) == 0);
  p->number = 1000 * tag;
  p->has_value = 1;
  p->have[p->owner] = 1;
  CHECK(xylem_mpi_register(p->data, p->owner, tag) == 0);
  if (rank != p->owner) return;
  xylem_view view;
  CHECK(xylem_data_acquire(p->data, xylem_read_write) == 0);
  CHECK(xylem_data_view(p->data, &view) == 0);
  set_number(&view, p->number);
  CHECK(xylem_data_release(p->data) == 0);
}

/* --- tasks --------------------------------------------------------------------------------------
 */

enum { most_used = 3 };
typedef struct {
  int used, fails;
  xylem_mode modes[most_used];
  int read[most_used];  /* the number that it finds */
  int write[most_used]; /* the number that it leaves, or adds */
  int task;
} step;

static int run(const xylem_view* views, void* argument) {
  const step* s = argument;
  for (int i = 0; i < s->used; ++i) {
    const int reads = s->modes[i] == xylem_read || s->modes[i] == xylem_read_write;
    if (reads && differs(&views[i], s->read[i])) {
      fprintf(stderr, "rank %d, task %d, access %d: reads %d, not %d\n", rank, s->task, i,
              *element(&views[i], 0), s->read[i]);
      abort();
    }
  }
  for (int i = 0; i < s->used; ++i) {
    if (s->modes[i] == xylem_commute || s->modes[i] == xylem_reduce)
      add_to(&views[i], s->write[i]);
    else if (s->modes[i] != xylem_read)
      set_number(&views[i], s->write[i]);
  }
  return s->fails ? EIO : 0;
}

static unsigned long messages, bytes; /* that this rank sends, by the replay */
static int failed;                    /* a task of this rank */

static void replay_message(const piece* p, int from) {
  if (rank != from) return;
  ++messages;
  if (p->has_value) bytes += bytes_of(p);
}

static void replay_bring(piece* p, int to) {
  if (p->have[to]) return;
  p->have[to] = 1;
  p->lost &= rank != to;
  replay_message(p, p->owner);
}

static void replay_written(piece* p, int by) {
  if (rank != by && rank != p->owner && p->have[rank]) p->lost = 1;
  memset(p->have, 0, sizeof p->have);
  p->have[by] = p->have[p->owner] = 1;
  if (rank == by || rank == p->owner) p->lost = 0;
  if (by != p->owner) replay_message(p, by);
}

static int reads(xylem_mode mode) {
  return mode == xylem_read || mode == xylem_read_write || mode == xylem_commute;
}
static int changes(xylem_mode mode) { return mode != xylem_read && mode != xylem_scratch; }

/* One that fails does not commute: in which order it would fail beside others is not known. */
static void keep_order(step* s, piece** used) {
  int fails = s->fails;
  for (int i = 0; i < s->used; ++i) fails |= reads(s->modes[i]) && !used[i]->has_value;
  for (int i = 0; fails && i < s->used; ++i)
    if (s->modes[i] == xylem_commute) s->modes[i] = xylem_read_write;
}

static void draw_step(step* s, piece* all, piece** used, int number) {
  memset(s, 0, sizeof *s);
  const int first = drawn(pieces);
  s->used = 1 + drawn(most_used);
  s->task = number;
  s->fails = drawn(40) == 0;
  for (int i = 0; i < s->used; ++i) {
    used[i] = &all[(first + i * 5) % pieces];
    s->modes[i] = (xylem_mode)(1 + drawn(5));
    s->read[i] = used[i]->number;
    s->write[i] = 1 + drawn(100000);
  }
  keep_order(s, used);
}

static void replay_step(const step* s, piece** used, int on) {
  int fails = s->fails;
  for (int i = 0; i < s->used; ++i) {
    if (reads(s->modes[i])) replay_bring(used[i], on);
    fails |= reads(s->modes[i]) && !used[i]->has_value;
  }
  for (int i = 0; i < s->used; ++i) {
    piece* p = used[i];
    if (!changes(s->modes[i])) continue;
    if (s->modes[i] == xylem_commute)
      p->number += s->write[i];
    else
      p->number = s->write[i];
    p->has_value = !fails;
    replay_written(p, on);
  }
  failed |= fails && rank == on;
}

static xylem_codelet codelets[tasks];

static void submit_step(piece* all, int number) {
  step s;
  piece* used[most_used];
  xylem_data* data[most_used];
  draw_step(&s, all, used, number);
  xylem_codelet* c = &codelets[number];
  *c = (xylem_codelet){.cpu = run, .accesses = s.used, .name = "step"};
  int on = -1;
  for (int i = 0; i < s.used; ++i) {
    c->modes[i] = s.modes[i];
    data[i] = used[i]->data;
    if (changes(s.modes[i]) && on < 0) on = used[i]->owner;
  }
  const int named = on < 0 || drawn(4) == 0;
  if (named) on = drawn(size);
  const xylem_task_options options = {
      .data = data, .argument = &s, .argument_bytes = sizeof s, .priority = drawn(3)};
  if (named)
    CHECK(xylem_mpi_submit_on(on, c, &options) == 0);
  else
    CHECK(xylem_mpi_submit(c, &options) == 0);
  replay_step(&s, used, on);
}

/* Sums on the owner, which begin with what the piece has. */
static void submit_sums(piece* all) {
  static const xylem_codelet summing = {
      .name = "sum", .cpu = run, .accesses = 1, .modes = {xylem_reduce}};
  piece* p = &all[drawn(pieces)];
  if (!p->reduces || !p->has_value) return;
  for (int i = 0; i < 5; ++i) {
    const step s = {.used = 1, .modes = {xylem_reduce}, .write = {i}};
    CHECK(xylem_mpi_submit(&summing,
                           &(xylem_task_options){
                               .data = &p->data, .argument = &s, .argument_bytes = sizeof s}) == 0);
    p->number += i;
    replay_written(p, p->owner);
  }
}

static void do_something(piece* all, int number) {
  piece* p = &all[drawn(pieces)];
  const int to = drawn(size);
  switch (drawn(12)) {
    case 0:
      CHECK(xylem_mpi_get(p->data, to) == 0);
      replay_bring(p, to);
      return;
    case 1:
      CHECK(xylem_mpi_flush(p->data) == 0);
      if (rank != p->owner && p->have[rank]) p->lost = 1;
      memset(p->have, 0, sizeof p->have);
      p->have[p->owner] = 1;
      return;
    case 2:
      submit_sums(all);
      return;
    default:
      submit_step(all, number);
  }
}

/* --- a graph ------------------------------------------------------------------------------------
 */

static void check_piece(const piece* p) {
  const int error = xylem_data_acquire(p->data, xylem_read);
  if (p->have[rank])
    CHECK(error == (p->has_value ? 0 : ENODATA));
  else if (p->lost)
    CHECK(error == ENODATA);
  if (error != 0) return;
  xylem_view view;
  CHECK(xylem_data_view(p->data, &view) == 0);
  if (p->have[rank]) CHECK(!differs(&view, p->number));
  CHECK(xylem_data_release(p->data) == 0);
}

static void end_piece(piece* p) {
  CHECK(xylem_mpi_forget(p->data) == 0);
  const int error = xylem_data_unregister(p->data);
  CHECK(error == 0 || error == ENODATA);
  free(p->memory);
  free(p->columns);
  free(p->row_starts);
}

static void wait_for_all(void) {
  CHECK((xylem_mpi_wait_all() != 0) == failed);
  failed = 0;
}

static void one_graph(void) {
  static piece all[pieces];
  const xylem_mpi_traffic before = xylem_mpi_sent();
  messages = bytes = 0;
  failed = 0;
  for (int i = 0; i < pieces; ++i) make_piece(&all[i], i);
  for (int i = 0; i < tasks; ++i) {
    do_something(all, i);
    if (drawn(100) == 0) wait_for_all();
  }
  wait_for_all();
  const xylem_mpi_traffic after = xylem_mpi_sent();
  CHECK(after.messages - before.messages == messages);
  CHECK(after.bytes - before.bytes == bytes);
  for (int i = 0; i < pieces; ++i) check_piece(&all[i]);
  for (int i = 0; i < pieces; ++i) end_piece(&all[i]);
}

void random_graphs(int rounds, unsigned first) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= most_ranks);
  for (int round = 0; round < rounds; ++round) {
    seed = first + (unsigned)round;
    one_graph();
  }
}
