/* What ranks called, and the comparison; see ranks.h. A comparison is one reduction of 32 bytes.
 * Only where ranks differ they look for the first call that does, by halves. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xylem/codelet_mpi/ranks.h>

struct call {
  uint64_t hash; /* of all calls up to this one since the start */
  const char* what;
  int rank, tag;
};

/* By the program's thread. */
static struct {
  uint64_t hash;
  struct call* all; /* since the last comparison */
  size_t count, room;
} books;

void xylem_ranks_hash_in(uint64_t value) { books.hash = xylem_ranks_mix(books.hash, value); }
void xylem_ranks_hash_text(const char* text) {
  for (; text && *text; ++text) xylem_ranks_hash_in((unsigned char)*text);
  xylem_ranks_hash_in(0);
}

void xylem_ranks_record_call(const char* what, int rank, int tag) {
  xylem_ranks_hash_text(what);
  xylem_ranks_hash_in((uint64_t)rank);
  xylem_ranks_hash_in((uint64_t)tag);
  if (books.count == books.room) {
    books.room = books.room ? 2 * books.room : 256;
    books.all = xylem_ranks_needed(realloc(books.all, books.room * sizeof *books.all));
  }
  books.all[books.count++] = (struct call){books.hash, what, rank, tag};
}

/* Leaves the lock to the wire between its polls. */
static void wait_for(MPI_Request* request) {
  static const struct timespec pause = {0, 50000};
  for (int done = 0, turns = 0; !done; ++turns) {
    pthread_mutex_lock(&xylem_ranks_mpi_lock);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&xylem_ranks_mpi_lock);
    if (done) return;
    if (turns < 64)
      sched_yield();
    else
      nanosleep(&pause, NULL);
  }
}

struct extremes {
  uint64_t most[2], least_inverted[2];
};

/* The most and the least of two numbers over all ranks. */
static struct extremes over_ranks(uint64_t first, uint64_t second) {
  struct extremes mine = {{first, second}, {~first, ~second}}, all;
  MPI_Request request;
  pthread_mutex_lock(&xylem_ranks_mpi_lock);
  MPI_Iallreduce(&mine, &all, 4, MPI_UINT64_T, MPI_MAX, xylem_ranks.comm, &request);
  pthread_mutex_unlock(&xylem_ranks_mpi_lock);
  wait_for(&request);
  return all;
}

static bool differs(const struct extremes* over, int which) {
  return over->most[which] != ~over->least_inverted[which];
}

/* Calls before `common` exist on all ranks. The first that is not the same; `common`: all are. */
static size_t first_different(size_t common) {
  size_t same = 0;
  while (same < common) {
    size_t middle = same + (common - same) / 2;
    struct extremes over = over_ranks(books.all[middle].hash, 0);
    if (differs(&over, 0))
      common = middle;
    else
      same = middle + 1;
  }
  return same;
}

/* By all ranks: rank 0, and each that differs from it, says what its call was. */
static _Noreturn void name_difference(size_t number) {
  const struct call none = {0, "none", -1, -1};
  const struct call* mine = number < books.count ? &books.all[number] : &none;
  uint64_t first = mine->hash;
  MPI_Request request;
  pthread_mutex_lock(&xylem_ranks_mpi_lock);
  MPI_Ibcast(&first, 1, MPI_UINT64_T, 0, xylem_ranks.comm, &request);
  pthread_mutex_unlock(&xylem_ranks_mpi_lock);
  wait_for(&request);
  if (xylem_ranks.rank == 0 || mine->hash != first)
    fprintf(stderr,
            "xylem: rank %d: ranks submitted different graphs; from call %zu since the last wait "
            "on, here: %s, rank %d, tag %d\n",
            xylem_ranks.rank, number + 1, mine->what, mine->rank, mine->tag);
  over_ranks(0, 0); /* all have said it */
  xylem_ranks_die("the program ends");
}

void xylem_ranks_compare_calls(void) {
  struct extremes over = over_ranks(books.count, books.hash);
  if (differs(&over, 0) || differs(&over, 1))
    name_difference(first_different((size_t)~over.least_inverted[0]));
  books.count = 0;
}

void xylem_ranks_forget_calls(void) {
  free(books.all);
  books.all = NULL;
  books.count = books.room = 0;
  books.hash = 0;
}
