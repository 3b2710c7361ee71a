/* Data is cut into parts while tasks are on their way: rows, tiles, parts of parts, a sparse
 * matrix, and parts that the program makes. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { width = 37, height = 23, step = 40 };

static int add_one(const xylem_view* views, void* argument) {
  (void)argument;
  for (unsigned long y = 0; y < views[0].y; ++y)
    for (unsigned long x = 0; x < views[0].x; ++x)
      ((int*)views[0].data)[y * views[0].row_step + x] += 1;
  return 0;
}

static int double_all(const xylem_view* views, void* argument) {
  (void)argument;
  for (unsigned long y = 0; y < views[0].y; ++y)
    for (unsigned long x = 0; x < views[0].x; ++x)
      ((int*)views[0].data)[y * views[0].row_step + x] *= 2;
  return 0;
}

static const xylem_codelet adding = {.cpu = add_one, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet doubling = {
    .cpu = double_all, .accesses = 1, .modes = {xylem_read_write}};

static void submit(const xylem_codelet* codelet, xylem_data* data) {
  CHECK(xylem_submit(codelet, &(xylem_task_options){.data = &data}, NULL) == 0);
}

/* +1, cut into tiles, *2 of each, one of them cut again: +1 of each row; together, *2. */
static void nested(void) {
  static int matrix[height * step];
  for (int i = 0; i < height * step; ++i) matrix[i] = i;
  xylem_data* whole = xylem_data_matrix(matrix, width, height, step, sizeof(int));
  submit(&adding, whole);
  CHECK(xylem_data_partition(whole, 3, 4, 1) == 0);
  CHECK(xylem_data_part_count(whole) == 12);
  CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &whole}, NULL) == EBUSY);
  for (int i = 0; i < 12; ++i) submit(&doubling, xylem_data_part(whole, i));
  xylem_data* tile = xylem_data_part(whole, 5);
  CHECK(xylem_data_partition(tile, 1, 6, 1) == 0); /* its height is 6 */
  CHECK(xylem_data_partition(tile, 1, 6, 1) == EBUSY);
  for (int i = 0; i < 6; ++i) submit(&adding, xylem_data_part(tile, i));
  CHECK(xylem_data_unpartition(whole) == EBUSY);
  CHECK(xylem_data_unregister(tile) == EBUSY);
  CHECK(xylem_data_unpartition(tile) == 0);
  CHECK(xylem_data_unpartition(whole) == 0);
  CHECK(xylem_data_unpartition(whole) == EINVAL);
  submit(&doubling, whole);
  CHECK(xylem_data_unregister(whole) == 0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < step; ++x) {
      const int old = y * step + x;
      const int in_tile = x >= 25 && x < 37 && y >= 6 && y < 12;
      const int expected = x >= width ? old : 2 * (2 * (old + 1) + in_tile);
      CHECK(matrix[old] == expected);
    }
}

static void wrong_cuts(void) {
  int three[3] = {1, 2, 3};
  xylem_data* data = xylem_data_vector(three, 3, sizeof(int));
  CHECK(xylem_data_partition(data, 4, 1, 1) == EINVAL);
  CHECK(xylem_data_partition(data, 1, 2, 1) == EINVAL);
  CHECK(xylem_data_partition(data, 0, 1, 1) == EINVAL);
  CHECK(xylem_data_unregister(data) == 0);
}

/* Parts of data without memory of the program's. */
static int fill(const xylem_view* views, void* argument) {
  for (unsigned long i = 0; i < views[0].x; ++i) ((int*)views[0].data)[i] = *(int*)argument;
  return 0;
}

static void without_memory(void) {
  static const xylem_codelet filling = {.cpu = fill, .accesses = 1, .modes = {xylem_write}};
  xylem_data* data = xylem_data_vector(NULL, 10, sizeof(int));
  CHECK(xylem_data_partition(data, 3, 1, 1) == 0);
  for (int i = 0; i < 3; ++i) {
    xylem_data* part = xylem_data_part(data, i);
    CHECK(xylem_submit(
              &filling,
              &(xylem_task_options){.data = &part, .argument = &i, .argument_bytes = sizeof i},
              NULL) == 0);
  }
  CHECK(xylem_data_unpartition(data) == 0);
  CHECK(xylem_data_acquire(data, xylem_read) == 0);
  xylem_view view;
  CHECK(xylem_data_view(data, &view) == 0);
  for (int i = 0; i < 10; ++i) CHECK(((int*)view.data)[i] == (i < 4 ? 0 : i < 7 ? 1 : 2));
  CHECK(xylem_data_release(data) == 0);
  CHECK(xylem_data_unregister(data) == 0);
}

/* Each value becomes its row's number. */
static int number_rows(const xylem_view* views, void* argument) {
  const xylem_view* m = &views[0];
  for (uint32_t r = 0; r < m->rows; ++r)
    for (uint32_t e = m->row_starts[r] - m->first_entry; e < m->row_starts[r + 1] - m->first_entry;
         ++e) {
      CHECK(m->columns[e] == m->first_entry + e);
      ((double*)m->data)[e] = *(int*)argument + (int)r;
    }
  return 0;
}

static void sparse(void) {
  static const xylem_codelet numbering = {
      .cpu = number_rows, .accesses = 1, .modes = {xylem_read_write}};
  enum { rows = 11, entries = 66 };
  double values[entries];
  uint32_t columns[entries], starts[rows + 1];
  for (uint32_t r = 0; r <= rows; ++r) starts[r] = r * (r + 1) / 2;
  for (uint32_t e = 0; e < entries; ++e) columns[e] = e;
  xylem_data* data = xylem_data_csr(values, columns, starts, rows, sizeof(double));
  CHECK(xylem_data_partition(data, 1, 4, 1) == 0);
  int first = 0;
  for (int i = 0; i < 4; ++i) {
    xylem_data* part = xylem_data_part(data, i);
    CHECK(xylem_submit(&numbering,
                       &(xylem_task_options){
                           .data = &part, .argument = &first, .argument_bytes = sizeof first},
                       NULL) == 0);
    first += i < 3 ? 3 : 2;
  }
  CHECK(xylem_data_unpartition(data) == 0);
  CHECK(xylem_data_unregister(data) == 0);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t e = starts[r]; e < starts[r + 1]; ++e) CHECK(values[e] == r);
}

/* Even rows and odd rows. */
static int cut_rows(const xylem_view* whole, int number, xylem_view* part, void* argument) {
  CHECK(argument == NULL);
  part->data = (int*)whole->data + number * (int)whole->row_step;
  part->y = (whole->y + 1 - (unsigned long)number) / 2;
  part->row_step = 2 * whole->row_step;
  return 0;
}

static atomic_int may_add;
static int add_one_when_told(const xylem_view* views, void* argument) {
  while (!may_add) sched_yield();
  return add_one(views, argument);
}
static const xylem_codelet adding_when_told = {
    .cpu = add_one_when_told, .accesses = 1, .modes = {xylem_read_write}};

/* Nothing waits, so the codelets before the cut are told to go on after it; part of a part, too. */
static void made_by_the_program(void) {
  int matrix[5 * 3];
  for (int i = 0; i < 15; ++i) matrix[i] = i;
  may_add = 0;
  xylem_data* data = xylem_data_matrix(matrix, 3, 5, 3, sizeof(int));
  submit(&adding_when_told, data);
  CHECK(xylem_data_partition_by(data, 2, cut_rows, NULL) == 0);
  CHECK(xylem_data_partition_by(xylem_data_part(data, 0), 2, cut_rows, NULL) == 0);
  CHECK(xylem_data_unpartition(xylem_data_part(data, 0)) == 0);
  may_add = 1;
  submit(&adding, xylem_data_part(data, 0));
  submit(&doubling, xylem_data_part(data, 1));
  CHECK(xylem_data_unpartition(data) == 0);
  CHECK(xylem_data_unregister(data) == 0);
  for (int i = 0; i < 15; ++i) CHECK(matrix[i] == (i / 3 % 2 ? 2 * (i + 1) : i + 2));
}

int main(void) {
  for (int turn = 0; turn < 20; ++turn) nested();
  wrong_cuts();
  without_memory();
  sparse();
  made_by_the_program();
  CHECK(xylem_wait_all() == 0);
  return 0;
}
