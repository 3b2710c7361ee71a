/* Codelets over the ranks of an MPI program: data has owners, all ranks submit the whole graph, and
 * values go where tasks need them by MPI (as StarPU's insert model).
 *
 * Owns: the functions by which ranks agree on who has which data and who runs which task. A program
 * compiles codelet_mpi.c, which lies beside this file, by its MPI's own compiler with its own files
 * and links with libxylem.so: the runtime knows no MPI. docs/codelets.md has a chapter on ranks.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
 *     xylem_mpi_start(MPI_COMM_WORLD);
 *     for (int i = 0; i < n; ++i) {                      // each rank has memory for what is its
 * own data[i] = xylem_data_vector(i % ranks == rank ? memory[i] : NULL, length, sizeof(double));
 *       xylem_mpi_register(data[i], i % ranks, i);
 *     }
 *     ... xylem_mpi_submit(&codelet, &options); ...      // the same on all ranks
 *     xylem_mpi_wait_all();
 *     xylem_mpi_stop();
 *
 * On ranks that do not own a piece, and in which no task writes it, its xylem_data has the owner's
 * value only once it was brought there, until somebody writes the piece: later it has none.
 *
 * "Collective" below: all ranks call it, with the same arguments and in the same order as all other
 * collective calls; handles stand for each other by their tags. None of them waits, but for those
 * that say so. A rank's calls come from one thread at a time. Functions that return int return 0 or
 * an errno. What ranks disagree on is named on stderr, and ends the program by MPI_Abort(). */
#ifndef XYLEM_CODELET_MPI_H
#define XYLEM_CODELET_MPI_H

#include <mpi.h>
#include <xylem/codelet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, and waits for the others: makes a communicator of its own from `comm`, and starts the
 * rank's kernel thread that sends and receives. ENOTSUP, and a line on stderr: the MPI was started
 * with less than MPI_THREAD_SERIALIZED, or not at all. With MPI_THREAD_SERIALIZED the program calls
 * MPI itself only when no transfer is under way, as after xylem_mpi_wait_all(). EBUSY: it has
 * started already. EAGAIN: no thread can be had. ENOMEM. */
int xylem_mpi_start(MPI_Comm comm);
/* Collective, and waits as xylem_mpi_wait_all() does, whose result it returns. Before
 * MPI_Finalize(). Forgets all data. */
int xylem_mpi_stop(void);

/* Collective: `owner` is the rank that has the value, now and after each task that writes it; `tag`
 * is the piece's name in messages. Each rank has an xylem_data of the same kind and extents for it;
 * those that are not the owner usually without an address. EINVAL: there is no such rank, or no
 * such tag (up to half of what MPI_TAG_UB says). EEXIST: the handle or the tag is registered.
 * ENOMEM. */
int xylem_mpi_register(xylem_data* data, int owner, int tag);
/* Collective: ranks agree on the data no longer; before it is unregistered. EINVAL: it is not
 * registered. */
int xylem_mpi_forget(xylem_data* data);

/* Collective: one rank runs the task, the one that owns the first data that the codelet writes or
 * reduces. Before it, what the task reads comes to that rank from its owners, unless it has the
 * value already; behind it, what it wrote goes back to owners on other ranks. `options` may name no
 * tasks to come `after`; its callback is called where the task runs. EINVAL, on all ranks: data is
 * not registered (for xylem_scratch it need not be), nothing is written, or data is reduced that
 * another rank owns. What xylem_submit() returns, on the rank alone that runs the task: then what
 * the task was to write has no value, for the others either. */
int xylem_mpi_submit(const xylem_codelet* codelet, const xylem_task_options* options);
/* The same on the rank that the program names, also of codelets that write nothing. */
int xylem_mpi_submit_on(int rank, const xylem_codelet* codelet, const xylem_task_options* options);

/* Collective: brings the value to a rank, behind the tasks that were submitted before. */
int xylem_mpi_get(xylem_data* data, int rank);
/* Collective: ranks that do not own the data give up the value that they were sent; who reads it
 * there next is sent it again. */
int xylem_mpi_flush(xylem_data* data);

/* Not collective, and for data that need not be registered: the value goes from one rank to
 * another, behind the tasks that were submitted before on the rank; `send` reads the data as a task
 * does and `receive` writes it. Each send meets one receive with its tag. Several with one tag
 * between two ranks meet in the order in which their data is ready: give them tags of their own. */
int xylem_mpi_send(xylem_data* data, int to, int tag);
int xylem_mpi_receive(xylem_data* data, int from, int tag);

/* Collective, and waits: first until all ranks have come, to compare what they submitted, then for
 * the rank's own tasks and transfers. Returns the first error of the rank's tasks since the last
 * call (xylem_wait_all()). */
int xylem_mpi_wait_all(void);

/* What this rank has sent since the start, without what wait_all compares. Exact after
 * xylem_mpi_wait_all(). */
typedef struct {
  unsigned long messages;
  unsigned long bytes;
} xylem_mpi_traffic;
xylem_mpi_traffic xylem_mpi_sent(void);

#ifdef __cplusplus
}
#endif

#endif
