/* What the files of this folder share; see ../codelet_mpi.h. A program compiles the folder's files
 * with its own, by its MPI's compiler.
 *
 * Two threads of a rank share the work. The program's keeps the books (ranks.c, calls.c): which
 * rank has which piece's value. Ranks that make the same calls have the same books, so the one that
 * sends and the one that receives agree without a word. The rank's wire, a kernel thread (wire.c),
 * makes the MPI calls. A transfer is an access to data (xylem_data_acquire_then()): it holds no
 * executor up, and tasks before and behind it wait as they do for tasks. */
#ifndef XYLEM_CODELET_MPI_RANKS_H
#define XYLEM_CODELET_MPI_RANKS_H

#include <pthread.h>
#include <stdbool.h>
#include <xylem/codelet_mpi.h>

#pragma GCC visibility push(hidden)

/* Set when codelets over ranks start. */
struct xylem_ranks {
  MPI_Comm comm; /* of these files alone */
  int rank, size;
};
extern struct xylem_ranks xylem_ranks;

/* Held around each MPI call: MPI_THREAD_SERIALIZED is enough. */
extern pthread_mutex_t xylem_ranks_mpi_lock;

/* For what no rank can mend: a line on stderr, and the end of all ranks. */
_Noreturn void xylem_ranks_die(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Memory that was asked for; NULL: dies. */
void* xylem_ranks_needed(void* memory);

static inline uint64_t xylem_ranks_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* calls.c: what this rank called, beside what others called. The hash of a call is of all calls up
 * to it; what it does not say itself is hashed in before. */
void xylem_ranks_hash_in(uint64_t value);
void xylem_ranks_hash_text(const char* text);
/* `what` lives until the next comparison. */
void xylem_ranks_record_call(const char* what, int rank, int tag);
/* By all ranks, and waits for all. Does not return where they differ. */
void xylem_ranks_compare_calls(void);
void xylem_ranks_forget_calls(void);

/* wire.c */
void xylem_ranks_start_wire(void);
/* No transfer has not ended. */
void xylem_ranks_stop_wire(void);
/* Sends the value to the rank `peer`, or receives it, behind the tasks that were submitted before.
 * `name` is the tag in messages. 0, or what xylem_data_acquire_then() returns. */
int xylem_ranks_transfer(xylem_data* data, int peer, int name, bool sends);
/* Until all transfers have ended, also sends without a value, which are no accesses. */
void xylem_ranks_wait_for_wire(void);

#pragma GCC visibility pop

#endif
