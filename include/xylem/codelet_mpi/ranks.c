/* Which rank has which piece's value, and what follows for a task; see ranks.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/codelet_mpi/ranks.h>

struct piece {
  xylem_data* data;
  int owner, tag;
  struct piece* next_by_data; /* in their buckets */
  struct piece* next_by_tag;
  uint64_t have[]; /* bit r: rank r has the value, once what was submitted so far has run */
};

struct xylem_ranks xylem_ranks;
pthread_mutex_t xylem_ranks_mpi_lock = PTHREAD_MUTEX_INITIALIZER;

/* By the program's thread. */
static struct {
  bool started;
  int most_tag;
  struct piece **by_data, **by_tag;
  size_t buckets, pieces; /* buckets are a power of two, or none */
} self;

_Noreturn void xylem_ranks_die(const char* format, ...) {
  char text[400];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  fprintf(stderr, "xylem: rank %d: %s\n", xylem_ranks.rank, text);
  fflush(NULL);
  MPI_Abort(xylem_ranks.comm, 1);
  abort();
}

void* xylem_ranks_needed(void* memory) {
  if (!memory) xylem_ranks_die("out of memory for codelets over ranks");
  return memory;
}

/* --- pieces by handle and by tag ----------------------------------------------------------------
 */

static size_t bucket_of(uint64_t key) { return xylem_ranks_mix(1, key) & (self.buckets - 1); }
static size_t data_bucket(const xylem_data* data) { return bucket_of((uintptr_t)data); }
static size_t tag_bucket(int tag) { return bucket_of((uint64_t)tag); }

static struct piece* find(const xylem_data* data) {
  if (self.buckets == 0) return NULL;
  struct piece* piece = self.by_data[data_bucket(data)];
  while (piece && piece->data != data) piece = piece->next_by_data;
  return piece;
}

static struct piece* find_tag(int tag) {
  if (self.buckets == 0) return NULL;
  struct piece* piece = self.by_tag[tag_bucket(tag)];
  while (piece && piece->tag != tag) piece = piece->next_by_tag;
  return piece;
}

static void insert(struct piece* piece) {
  struct piece** by_data = &self.by_data[data_bucket(piece->data)];
  struct piece** by_tag = &self.by_tag[tag_bucket(piece->tag)];
  piece->next_by_data = *by_data;
  piece->next_by_tag = *by_tag;
  *by_data = *by_tag = piece;
}

static void take_out(struct piece* piece) {
  struct piece** at = &self.by_data[data_bucket(piece->data)];
  while (*at != piece) at = &(*at)->next_by_data;
  *at = piece->next_by_data;
  at = &self.by_tag[tag_bucket(piece->tag)];
  while (*at != piece) at = &(*at)->next_by_tag;
  *at = piece->next_by_tag;
}

static void grow(void) {
  struct piece** old = self.by_data;
  size_t count = self.buckets;
  free(self.by_tag);
  self.buckets = count ? 2 * count : 64;
  self.by_data = xylem_ranks_needed(calloc(self.buckets, sizeof *self.by_data));
  self.by_tag = xylem_ranks_needed(calloc(self.buckets, sizeof *self.by_tag));
  for (size_t i = 0; i < count; ++i)
    for (struct piece *piece = old[i], *next; piece; piece = next) {
      next = piece->next_by_data;
      insert(piece);
    }
  free(old);
}

static bool has(const struct piece* piece, int rank) {
  return piece->have[rank / 64] >> rank % 64 & 1;
}
static void set_has(struct piece* piece, int rank) {
  piece->have[rank / 64] |= (uint64_t)1 << rank % 64;
}
static size_t have_bytes(void) { return ((size_t)xylem_ranks.size + 63) / 64 * sizeof(uint64_t); }

/* --- start and stop -----------------------------------------------------------------------------
 */

static int check_threads(void) {
  int started = 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Initialized(&started);
  if (started) MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) return 0;
  fprintf(stderr,
          "xylem: codelets over ranks need an MPI that MPI_Init_thread() has started with "
          "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE; this one %s\n",
          !started                     ? "was not started"
          : level == MPI_THREAD_SINGLE ? "has MPI_THREAD_SINGLE"
                                       : "has MPI_THREAD_FUNNELED");
  return ENOTSUP;
}

static void open_communicator(MPI_Comm comm) {
  MPI_Comm_dup(comm, &xylem_ranks.comm);
  MPI_Comm_set_errhandler(xylem_ranks.comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_rank(xylem_ranks.comm, &xylem_ranks.rank);
  MPI_Comm_size(xylem_ranks.comm, &xylem_ranks.size);
  int* most = NULL;
  int found = 0;
  MPI_Comm_get_attr(xylem_ranks.comm, MPI_TAG_UB, &most, &found);
  self.most_tag = ((found ? *most : 32767) - 1) / 2;
}

int xylem_mpi_start(MPI_Comm comm) {
  if (self.started) return EBUSY;
  const int refused = check_threads();
  if (refused != 0) return refused;
  open_communicator(comm);
  xylem_ranks_start_wire();
  self.started = true;
  return 0;
}

static void forget_all(void) {
  for (size_t i = 0; i < self.buckets; ++i)
    for (struct piece *piece = self.by_data[i], *next; piece; piece = next) {
      next = piece->next_by_data;
      free(piece);
    }
  free(self.by_data);
  free(self.by_tag);
  xylem_ranks_forget_calls();
}

int xylem_mpi_stop(void) {
  if (!self.started) return EINVAL;
  const int error = xylem_mpi_wait_all();
  xylem_ranks_stop_wire();
  MPI_Comm_free(&xylem_ranks.comm);
  forget_all();
  memset(&self, 0, sizeof self);
  return error;
}

int xylem_mpi_wait_all(void) {
  if (!self.started) return EINVAL;
  xylem_ranks_compare_calls();
  const int error = xylem_wait_all();
  xylem_ranks_wait_for_wire();
  return error;
}

/* For what all ranks have in their books: one that cannot do its part cannot go on. */
static void must_transfer(const struct piece* piece, int peer, bool sends) {
  const int error = xylem_ranks_transfer(piece->data, peer, 2 * piece->tag, sends);
  if (error != 0)
    xylem_ranks_die("data of tag %d cannot be %s: %s", piece->tag, sends ? "sent" : "received",
                    strerror(error));
}

/* --- data ---------------------------------------------------------------------------------------
 */

static bool is_rank(int rank) { return self.started && rank >= 0 && rank < xylem_ranks.size; }

int xylem_mpi_register(xylem_data* data, int owner, int tag) {
  if (!data || !is_rank(owner) || tag < 0 || tag > self.most_tag) return EINVAL;
  if (find(data) || find_tag(tag)) return EEXIST;
  struct piece* piece = calloc(1, sizeof *piece + have_bytes());
  if (!piece) return ENOMEM;
  piece->data = data;
  piece->owner = owner;
  piece->tag = tag;
  set_has(piece, owner);
  if (self.pieces++ == self.buckets) grow();
  insert(piece);
  xylem_ranks_record_call("register", owner, tag);
  return 0;
}

int xylem_mpi_forget(xylem_data* data) {
  struct piece* piece = find(data);
  if (!piece) return EINVAL;
  xylem_ranks_record_call("forget", piece->owner, piece->tag);
  take_out(piece);
  --self.pieces;
  free(piece);
  return 0;
}

/* The rank comes to have the value. */
static void bring(struct piece* piece, int rank) {
  if (has(piece, rank)) return;
  set_has(piece, rank);
  if (xylem_ranks.rank == piece->owner) must_transfer(piece, rank, true);
  if (xylem_ranks.rank == rank) must_transfer(piece, piece->owner, false);
}

/* The value is new: but for its owner and the rank `by` nobody has it any more. A rank that does
 * not know better would read an old one: it has none. */
static void leave_to(struct piece* piece, int by) {
  const bool loses =
      has(piece, xylem_ranks.rank) && xylem_ranks.rank != by && xylem_ranks.rank != piece->owner;
  memset(piece->have, 0, have_bytes());
  set_has(piece, piece->owner);
  set_has(piece, by);
  if (loses) xylem_data_invalidate(piece->data);
}

/* What a task on the rank wrote goes back to its owner. */
static void bring_back(struct piece* piece, int rank) {
  leave_to(piece, rank);
  if (rank == piece->owner) return;
  if (xylem_ranks.rank == rank) must_transfer(piece, piece->owner, true);
  if (xylem_ranks.rank == piece->owner) must_transfer(piece, rank, false);
}

int xylem_mpi_get(xylem_data* data, int rank) {
  struct piece* piece = find(data);
  if (!piece || !is_rank(rank)) return EINVAL;
  xylem_ranks_record_call("get", rank, piece->tag);
  bring(piece, rank);
  return 0;
}

int xylem_mpi_flush(xylem_data* data) {
  struct piece* piece = find(data);
  if (!piece) return EINVAL;
  xylem_ranks_record_call("flush", piece->owner, piece->tag);
  leave_to(piece, piece->owner);
  return 0;
}

int xylem_mpi_send(xylem_data* data, int to, int tag) {
  if (!data || !is_rank(to) || tag < 0 || tag > self.most_tag) return EINVAL;
  return xylem_ranks_transfer(data, to, 2 * tag + 1, true);
}

int xylem_mpi_receive(xylem_data* data, int from, int tag) {
  if (!data || !is_rank(from) || tag < 0 || tag > self.most_tag) return EINVAL;
  return xylem_ranks_transfer(data, from, 2 * tag + 1, false);
}

/* --- tasks --------------------------------------------------------------------------------------
 */

static bool reads(xylem_mode mode) {
  return mode == xylem_read || mode == xylem_read_write || mode == xylem_commute;
}
static bool changes(xylem_mode mode) { return mode != xylem_read && mode != xylem_scratch; }

/* A task as all ranks see it. */
struct job {
  struct piece* pieces[xylem_most_accesses]; /* NULL: scratch */
  struct piece* first_changed;
};

/* Also of what xylem_submit() would refuse: all ranks refuse it. */
static int look_up(const xylem_codelet* codelet, const xylem_task_options* options,
                   struct job* job) {
  job->first_changed = NULL;
  if (!codelet || codelet->accesses < 0 || codelet->accesses > xylem_most_accesses) return EINVAL;
  if (!options || options->after_count != 0 || (codelet->accesses > 0 && !options->data))
    return EINVAL;
  for (int i = 0; i < codelet->accesses; ++i) {
    const xylem_mode mode = codelet->modes[i];
    struct piece* piece = mode == xylem_scratch ? NULL : find(options->data[i]);
    if (!piece && mode != xylem_scratch) return EINVAL;
    job->pieces[i] = piece;
    for (int before = 0; before < i; ++before)
      if (options->data[before] == options->data[i]) return EINVAL;
    if (changes(mode) && !job->first_changed) job->first_changed = piece;
  }
  return 0;
}

static int check_reductions(const struct job* job, const xylem_codelet* codelet, int rank) {
  for (int i = 0; i < codelet->accesses; ++i)
    if (codelet->modes[i] == xylem_reduce && job->pieces[i]->owner != rank) return EINVAL;
  return 0;
}

static void record_task(const struct job* job, const xylem_codelet* codelet, int rank) {
  xylem_ranks_hash_text(codelet->name);
  for (int i = 0; i < codelet->accesses; ++i) {
    xylem_ranks_hash_in(codelet->modes[i]);
    xylem_ranks_hash_in(job->pieces[i] ? (uint64_t)job->pieces[i]->tag : 0);
  }
  xylem_ranks_record_call(codelet->name ? codelet->name : "a task", rank,
                          job->first_changed ? job->first_changed->tag : -1);
}

/* What it was to write has no value where the task cannot be submitted, and others are told so. */
static int run_here(const struct job* job, const xylem_codelet* codelet,
                    const xylem_task_options* options) {
  const int error = xylem_submit(codelet, options, NULL);
  for (int i = 0; error != 0 && i < codelet->accesses; ++i)
    if (changes(codelet->modes[i])) xylem_data_invalidate(job->pieces[i]->data);
  return error;
}

static int submit(const struct job* job, int rank, const xylem_codelet* codelet,
                  const xylem_task_options* options) {
  if (check_reductions(job, codelet, rank) != 0) return EINVAL;
  record_task(job, codelet, rank);
  for (int i = 0; i < codelet->accesses; ++i)
    if (reads(codelet->modes[i])) bring(job->pieces[i], rank);
  const int error = rank == xylem_ranks.rank ? run_here(job, codelet, options) : 0;
  for (int i = 0; i < codelet->accesses; ++i)
    if (changes(codelet->modes[i])) bring_back(job->pieces[i], rank);
  return error;
}

int xylem_mpi_submit_on(int rank, const xylem_codelet* codelet, const xylem_task_options* options) {
  struct job job;
  if (!is_rank(rank) || look_up(codelet, options, &job) != 0) return EINVAL;
  return submit(&job, rank, codelet, options);
}

int xylem_mpi_submit(const xylem_codelet* codelet, const xylem_task_options* options) {
  struct job job;
  if (look_up(codelet, options, &job) != 0 || !job.first_changed) return EINVAL;
  return submit(&job, job.first_changed->owner, codelet, options);
}
