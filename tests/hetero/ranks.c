/* ranks WHAT ...: codelets over ranks, started by an MPI launcher (ranks_test.py):
 *   graphs ROUNDS SEED   random graphs beside a serial replay
 *   ring                 explicit sends and receives
 *   free                 a receive holds no executor up
 *   calls                what the functions return
 *   none, single         refused: an MPI without the threads that are needed
 *   different, shorter, sizes   ranks that disagree: named, and all end */
#include "ranks.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <xylem/codelet_mpi.h>

#include "check.h"

static int rank, size;

static int add_one(const xylem_view* views, void* argument) {
  (void)argument;
  *(int*)views[0].data += 1;
  return 0;
}
static int add_other(const xylem_view* views, void* argument) {
  (void)argument;
  *(int*)views[0].data += *(int*)views[1].data;
  return 0;
}
static int sleep_a_little(const xylem_view* views, void* argument) {
  const struct timespec time = {0, 20000000};
  nanosleep(&time, NULL);
  return add_one(views, argument);
}
static const xylem_codelet adding = {
    .name = "add_one", .cpu = add_one, .accesses = 1, .modes = {xylem_read_write}};
static const xylem_codelet looking = {
    .name = "look", .cpu = add_one, .accesses = 1, .modes = {xylem_read}};
static const xylem_codelet adding_other = {
    .name = "add_other", .cpu = add_other, .accesses = 2, .modes = {xylem_read_write, xylem_read}};
static const xylem_codelet slow = {
    .name = "slow", .cpu = sleep_a_little, .accesses = 1, .modes = {xylem_read_write}};

static int submit_one(const xylem_codelet* codelet, xylem_data* data) {
  return xylem_mpi_submit(codelet, &(xylem_task_options){.data = &data});
}

/* --- explicit transfers -------------------------------------------------------------------------
 */

enum { turns = 50 };

/* A number goes round, and a task on each rank adds one. */
static void ring(void) {
  int number = 0;
  xylem_data* data = xylem_data_variable(rank == 0 ? &number : NULL, sizeof number);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int turn = 0; turn < turns; ++turn) {
    if (rank > 0) CHECK(xylem_mpi_receive(data, before, turn) == 0);
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &data}, NULL) == 0);
    CHECK(xylem_mpi_send(data, next, turn) == 0);
    if (rank == 0) CHECK(xylem_mpi_receive(data, before, turn) == 0);
  }
  CHECK(xylem_mpi_wait_all() == 0);
  CHECK(xylem_mpi_sent().messages == turns && xylem_mpi_sent().bytes == turns * sizeof number);
  if (rank == 0) CHECK(number == turns * size);
  CHECK(xylem_data_unregister(data) == 0);
}

/* With one executor: rank 0 sends only when rank 1 has run tasks that were submitted behind one
 * that waits for what rank 0 sends. */
static void free_executor(void) {
  int memory[2] = {0, 0};
  xylem_data* late = xylem_data_variable(rank == 0 ? &memory[0] : NULL, sizeof(int));
  xylem_data* mine = xylem_data_variable(&memory[1], sizeof(int));
  int go = 0;
  if (rank == 1) {
    CHECK(xylem_mpi_receive(late, 0, 5) == 0);
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &late}, NULL) == 0);
    xylem_task* task = NULL;
    CHECK(xylem_submit(&adding, &(xylem_task_options){.data = &mine}, &task) == 0);
    CHECK(xylem_task_wait(task) == 0);
    MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(xylem_mpi_send(late, 1, 5) == 0);
  }
  CHECK(xylem_mpi_wait_all() == 0);
  if (rank == 1) CHECK(memory[1] == 1);
  CHECK(xylem_data_unregister(late) == 0);
  CHECK(xylem_data_unregister(mine) == 0);
}

/* --- what functions return ----------------------------------------------------------------------
 */

static void refused_tasks(xylem_data* a, xylem_data* b, xylem_data* unknown) {
  xylem_data* const two[] = {a, b};
  xylem_data* const same[] = {a, a};
  xylem_data* const strange[] = {a, unknown};
  CHECK(submit_one(&looking, a) == EINVAL); /* nothing is written: on which rank? */
  CHECK(submit_one(&adding, unknown) == EINVAL);
  CHECK(xylem_mpi_submit(&adding_other, &(xylem_task_options){.data = same}) == EINVAL);
  CHECK(xylem_mpi_submit(&adding_other, &(xylem_task_options){.data = strange}) == EINVAL);
  CHECK(xylem_mpi_submit(&adding_other, NULL) == EINVAL);
  CHECK(xylem_mpi_submit(NULL, &(xylem_task_options){.data = two}) == EINVAL);
  CHECK(xylem_mpi_submit(&adding, &(xylem_task_options){.data = two, .after_count = 1}) == EINVAL);
  CHECK(xylem_mpi_submit_on(size, &adding, &(xylem_task_options){.data = two}) == EINVAL);
  CHECK(xylem_mpi_submit_on(-1, &adding, &(xylem_task_options){.data = two}) == EINVAL);
  xylem_codelet reducing = adding;
  reducing.modes[0] = xylem_reduce;
  if (size > 1)
    CHECK(xylem_mpi_submit_on(1, &reducing, &(xylem_task_options){.data = two}) == EINVAL);
  CHECK(xylem_mpi_submit_on(size - 1, &looking, &(xylem_task_options){.data = two}) == 0);
}

/* A task that cannot be submitted where it would run: other ranks get no value, and go on. */
static void without_a_processor(xylem_data* a, xylem_data* b) {
  static const xylem_opencl kernel = {.source = "no", .kernel = "no"};
  xylem_codelet nowhere = adding;
  nowhere.cpu = NULL;
  nowhere.opencl = &kernel;
  CHECK(submit_one(&nowhere, a) == (rank == 0 ? ENODEV : 0));
  xylem_data* const both[] = {b, a};
  CHECK(xylem_mpi_submit(&adding_other, &(xylem_task_options){.data = both}) == 0);
  CHECK(xylem_mpi_wait_all() == (rank == size - 1 ? ENODATA : 0));
}

static void calls(void) {
  int memory[2] = {1, 2};
  xylem_data* a = xylem_data_variable(rank == 0 ? &memory[0] : NULL, sizeof(int));
  xylem_data* b = xylem_data_variable(rank == size - 1 ? &memory[1] : NULL, sizeof(int));
  xylem_data* unknown = xylem_data_variable(&memory[0], sizeof(int));
  CHECK(xylem_mpi_start(MPI_COMM_WORLD) == EBUSY);
  CHECK(xylem_mpi_register(a, 0, 1 << 30) == EINVAL);
  CHECK(xylem_mpi_register(a, 0, -1) == EINVAL);
  CHECK(xylem_mpi_register(a, size, 1) == EINVAL);
  CHECK(xylem_mpi_register(NULL, 0, 1) == EINVAL);
  CHECK(xylem_mpi_register(a, 0, 1) == 0);
  CHECK(xylem_mpi_register(a, 0, 2) == EEXIST);
  CHECK(xylem_mpi_register(b, 0, 1) == EEXIST);
  CHECK(xylem_mpi_register(b, size - 1, 2) == 0);
  refused_tasks(a, b, unknown);
  CHECK(xylem_mpi_get(unknown, 0) == EINVAL && xylem_mpi_get(a, size) == EINVAL);
  CHECK(xylem_mpi_flush(unknown) == EINVAL && xylem_mpi_forget(unknown) == EINVAL);
  CHECK(xylem_mpi_send(a, -1, 0) == EINVAL && xylem_mpi_receive(a, 0, -1) == EINVAL);
  CHECK(xylem_mpi_wait_all() == 0);
  without_a_processor(a, b);
  CHECK(xylem_mpi_forget(a) == 0 && xylem_mpi_forget(a) == EINVAL);
  CHECK(submit_one(&adding, a) == EINVAL);
  CHECK(xylem_mpi_stop() == 0 && xylem_mpi_stop() == EINVAL && xylem_mpi_wait_all() == EINVAL);
  CHECK(submit_one(&adding, b) == EINVAL); /* forgotten by the stop */
  CHECK(xylem_mpi_start(MPI_COMM_WORLD) == 0);
}

/* --- ranks that disagree: none of these returns -------------------------------------------------
 */

static void different(int calls_missing) {
  int memory = 0;
  xylem_data* a = xylem_data_variable(rank == 0 ? &memory : NULL, sizeof(int));
  CHECK(xylem_mpi_register(a, 0, 7) == 0);
  for (int i = 0; i < 100; ++i) {
    if (rank == 1 && i == 60 && calls_missing) return (void)xylem_mpi_wait_all();
    CHECK(submit_one(rank == 1 && i == 60 ? &slow : &adding, a) == 0);
  }
  xylem_mpi_wait_all();
}

static void sizes(void) {
  int memory[4] = {0};
  xylem_data* a = rank == 0 ? xylem_data_vector(memory, 4, sizeof(int))
                            : xylem_data_vector(NULL, 3, sizeof(int));
  CHECK(xylem_mpi_register(a, 0, 9) == 0);
  CHECK(xylem_mpi_get(a, 1) == 0);
  xylem_mpi_wait_all();
}

static int is(int argc, char** argv, const char* what) {
  return argc > 1 && strcmp(argv[1], what) == 0;
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  if (is(argc, argv, "none")) return xylem_mpi_start(MPI_COMM_WORLD) == ENOTSUP ? 0 : 1;
  MPI_Init_thread(&argc, &argv, is(argc, argv, "single") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int started = xylem_mpi_start(MPI_COMM_WORLD);
  if (is(argc, argv, "single")) {
    CHECK(started == ENOTSUP);
    MPI_Finalize();
    return 0;
  }
  CHECK(started == 0);
  if (is(argc, argv, "graphs")) random_graphs(atoi(argv[2]), (unsigned)atoi(argv[3]));
  if (is(argc, argv, "ring")) ring();
  if (is(argc, argv, "free")) free_executor();
  if (is(argc, argv, "calls")) calls();
  if (is(argc, argv, "different")) different(0);
  if (is(argc, argv, "shorter")) different(1);
  if (is(argc, argv, "sizes")) sizes();
  CHECK(xylem_mpi_stop() == 0);
  MPI_Finalize();
  return 0;
}
