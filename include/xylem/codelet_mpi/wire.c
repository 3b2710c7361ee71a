/* The kernel thread that sends and receives; see ranks.h.
 *
 * Life of a transfer: submitted -> its access has its turn -> a send: under way; a receive: it
 * expects its message, and is under way once that has arrived -> the access ends. A send without a
 * value is an empty message, and its receiver's piece then has none either. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xylem/codelet_mpi/ranks.h>

struct transfer {
  xylem_data* data;
  int peer, name; /* name: the tag in messages */
  bool sends;
  int error;         /* of its access: nothing is held */
  MPI_Datatype type; /* MPI_DATATYPE_NULL: an empty message */
  struct transfer* next;
};

struct arrival {
  MPI_Message message;
  int from, name;
  MPI_Count bytes;
  struct arrival* next;
};

enum { wire_buckets = 256 };

static struct {
  pthread_t thread;
  pthread_mutex_t lock; /* of the next six */
  pthread_cond_t changed, ended;
  int submitted;                        /* that have not ended */
  struct transfer *ready, **last_ready; /* their accesses have their turn */
  bool ends;
  /* By the wire alone: requests[i] is of under_way[i]. */
  MPI_Request* requests;
  struct transfer** under_way;
  int* indices; /* room for what MPI_Testsome() says */
  MPI_Status* statuses;
  int count, room;
  /* Receives without their messages, and messages without their receives, each in order. */
  struct transfer* expecting[wire_buckets];
  struct arrival* arrived[wire_buckets];
  int expecting_count;
  /* Relaxed: exact once accesses have ended, which publishes more than these. */
  atomic_ulong messages, bytes;
} wire = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .ended = PTHREAD_COND_INITIALIZER,
          .last_ready = &wire.ready};

static size_t wire_bucket(int peer, int name) {
  return xylem_ranks_mix((uint64_t)peer, (uint64_t)name) % wire_buckets;
}

/* The tag of what explicit sends use is odd, so that no graph's transfer meets them. */
static int tag_of(int name) { return name / 2; }

static int small(size_t count, int tag) {
  if (count > INT_MAX)
    xylem_ranks_die("data of tag %d has more than %d elements in one direction", tag, INT_MAX);
  return (int)count;
}

static MPI_Datatype csr_type(const xylem_view* view, int tag) {
  const int lengths[3] = {small(view->entries * view->element_bytes, tag),
                          small(view->entries * sizeof(uint32_t), tag),
                          small((view->rows + (size_t)1) * sizeof(uint32_t), tag)};
  const MPI_Aint begin = (MPI_Aint)view->data;
  const MPI_Aint at[3] = {0, (MPI_Aint)view->columns - begin, (MPI_Aint)view->row_starts - begin};
  MPI_Datatype type;
  MPI_Type_create_hindexed(3, lengths, at, MPI_BYTE, &type);
  return type;
}

static MPI_Datatype box_type(const xylem_view* view, int tag) {
  MPI_Datatype element, row, plane, box;
  const size_t bytes = view->element_bytes;
  MPI_Type_contiguous(small(bytes, tag), MPI_BYTE, &element);
  MPI_Type_contiguous(small(view->x, tag), element, &row);
  MPI_Type_create_hvector(small(view->y, tag), 1, (MPI_Aint)(view->row_step * bytes), row, &plane);
  MPI_Type_create_hvector(small(view->z, tag), 1, (MPI_Aint)(view->plane_step * bytes), plane,
                          &box);
  MPI_Type_free(&element);
  MPI_Type_free(&row);
  MPI_Type_free(&plane);
  return box;
}

/* The type of the piece's bytes, from its first element on; their number. */
static MPI_Datatype make_type(const xylem_view* view, int tag, MPI_Count* bytes) {
  MPI_Datatype type = view->kind == xylem_csr ? csr_type(view, tag) : box_type(view, tag);
  MPI_Type_commit(&type);
  MPI_Type_size_x(type, bytes);
  return type;
}

/* Room for one more request; the caller starts that with it. */
static MPI_Request* add_under_way(struct transfer* transfer) {
  if (wire.count == wire.room) {
    wire.room = wire.room ? 2 * wire.room : 64;
    size_t room = (size_t)wire.room;
    wire.requests = xylem_ranks_needed(realloc(wire.requests, room * sizeof *wire.requests));
    wire.under_way = xylem_ranks_needed(realloc(wire.under_way, room * sizeof(struct transfer*)));
    wire.indices = xylem_ranks_needed(realloc(wire.indices, room * sizeof *wire.indices));
    wire.statuses = xylem_ranks_needed(realloc(wire.statuses, room * sizeof *wire.statuses));
  }
  wire.under_way[wire.count] = transfer;
  return &wire.requests[wire.count++];
}

static void start_send(struct transfer* transfer) {
  xylem_view view = {.data = NULL};
  MPI_Count bytes = 0;
  if (transfer->error == 0) {
    xylem_data_view(transfer->data, &view);
    transfer->type = make_type(&view, tag_of(transfer->name), &bytes);
  }
  const bool empty = transfer->type == MPI_DATATYPE_NULL;
  MPI_Isend(view.data, empty ? 0 : 1, empty ? MPI_BYTE : transfer->type, transfer->peer,
            transfer->name, xylem_ranks.comm, add_under_way(transfer));
  atomic_fetch_add_explicit(&wire.messages, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&wire.bytes, (unsigned long)bytes, memory_order_relaxed);
}

static void start_receive(struct transfer* transfer, MPI_Message message, MPI_Count bytes) {
  xylem_view view = {.data = NULL};
  if (bytes == 0) {
    transfer->error = ENODATA; /* its access is there, and is given up */
    MPI_Imrecv(NULL, 0, MPI_BYTE, &message, add_under_way(transfer));
    return;
  }
  MPI_Count wanted = 0;
  xylem_data_view(transfer->data, &view);
  transfer->type = make_type(&view, tag_of(transfer->name), &wanted);
  if (wanted != bytes)
    xylem_ranks_die("data of tag %d has %lld bytes on rank %d and %lld here",
                    tag_of(transfer->name), (long long)bytes, transfer->peer, (long long)wanted);
  MPI_Imrecv(view.data, 1, transfer->type, &message, add_under_way(transfer));
}

/* --- messages and their receives ----------------------------------------------------------------
 */

static void expect(struct transfer* transfer) {
  if (transfer->error != 0)
    xylem_ranks_die("no memory for data of tag %d: %s", tag_of(transfer->name),
                    strerror(transfer->error));
  const size_t bucket = wire_bucket(transfer->peer, transfer->name);
  struct arrival** at = &wire.arrived[bucket];
  while (*at && ((*at)->from != transfer->peer || (*at)->name != transfer->name)) at = &(*at)->next;
  if (*at) {
    struct arrival* found = *at;
    *at = found->next;
    start_receive(transfer, found->message, found->bytes);
    free(found);
    return;
  }
  struct transfer** end = &wire.expecting[bucket];
  while (*end) end = &(*end)->next;
  *end = transfer;
  ++wire.expecting_count;
}

static void arrive(MPI_Message message, int from, int name, MPI_Count bytes) {
  const size_t bucket = wire_bucket(from, name);
  struct transfer** at = &wire.expecting[bucket];
  while (*at && ((*at)->peer != from || (*at)->name != name)) at = &(*at)->next;
  if (*at) {
    struct transfer* found = *at;
    *at = found->next;
    --wire.expecting_count;
    start_receive(found, message, bytes);
    return;
  }
  struct arrival* made = xylem_ranks_needed(malloc(sizeof *made));
  *made = (struct arrival){message, from, name, bytes, NULL};
  struct arrival** end = &wire.arrived[bucket];
  while (*end) end = &(*end)->next;
  *end = made;
}

/* True: there was a message. */
static bool take_arrivals(void) {
  for (bool any = false; wire.expecting_count > 0; any = true) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, xylem_ranks.comm, &found, &message, &status);
    if (!found) return any;
    MPI_Count bytes = 0;
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    arrive(message, status.MPI_SOURCE, status.MPI_TAG, bytes);
  }
  return false;
}

/* A list of those that are no longer under way; their types are freed. */
static struct transfer* take_done(void) {
  int done = 0;
  struct transfer* list = NULL;
  if (wire.count > 0) MPI_Testsome(wire.count, wire.requests, &done, wire.indices, wire.statuses);
  if (done == 0) return NULL;
  int kept = 0;
  for (int i = 0; i < wire.count; ++i) {
    struct transfer* transfer = wire.under_way[i];
    if (wire.requests[i] != MPI_REQUEST_NULL) {
      wire.requests[kept] = wire.requests[i];
      wire.under_way[kept++] = transfer;
      continue;
    }
    if (transfer->type != MPI_DATATYPE_NULL) MPI_Type_free(&transfer->type);
    transfer->next = list;
    list = transfer;
  }
  wire.count = kept;
  return list;
}

/* Transfers that are submitted and have not ended become so many more. */
static void count_submitted(int more) {
  pthread_mutex_lock(&wire.lock);
  wire.submitted += more;
  if (wire.submitted == 0) pthread_cond_broadcast(&wire.ended);
  pthread_mutex_unlock(&wire.lock);
}

static void end_transfer(struct transfer* transfer) {
  if (transfer->error == 0)
    xylem_data_release(transfer->data);
  else if (!transfer->sends)
    xylem_data_give_up(transfer->data);
  free(transfer);
  count_submitted(-1);
}

/* --- the wire's thread --------------------------------------------------------------------------
 */

/* With the lock. The longer nothing moved, the longer. */
static void pause_wire(int idle) {
  const int steps = (idle - 64) / 16;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 50000L << (steps < 3 ? steps : 3);
  if (until.tv_nsec >= 1000000000L) {
    until.tv_nsec -= 1000000000L;
    ++until.tv_sec;
  }
  pthread_cond_timedwait(&wire.changed, &wire.lock, &until);
}

/* The transfers that became ready, after a pause where nothing has moved for `idle` rounds. NULL
 * and *ends: there will be none any more. */
static struct transfer* take_ready(int idle, bool* ends) {
  const bool quiet = wire.count == 0 && wire.expecting_count == 0;
  if (!quiet && idle > 0 && idle < 64) sched_yield();
  pthread_mutex_lock(&wire.lock);
  while (quiet && !wire.ready && !wire.ends) pthread_cond_wait(&wire.changed, &wire.lock);
  if (!quiet && !wire.ready && idle >= 64) pause_wire(idle);
  struct transfer* ready = wire.ready;
  wire.ready = NULL;
  wire.last_ready = &wire.ready;
  *ends = wire.ends && quiet && !ready;
  pthread_mutex_unlock(&wire.lock);
  return ready;
}

/* True: something moved. */
static bool make_round(struct transfer* ready) {
  bool moved = ready != NULL;
  pthread_mutex_lock(&xylem_ranks_mpi_lock);
  for (struct transfer* next; ready; ready = next) {
    next = ready->next;
    ready->next = NULL;
    if (ready->sends)
      start_send(ready);
    else
      expect(ready);
  }
  moved |= take_arrivals();
  struct transfer* done = take_done();
  pthread_mutex_unlock(&xylem_ranks_mpi_lock);
  moved |= done != NULL;
  for (struct transfer* next; done; done = next) {
    next = done->next;
    end_transfer(done);
  }
  return moved;
}

static void* be_wire(void* none) {
  bool ends = false;
  for (int idle = 0;;) {
    struct transfer* ready = take_ready(idle, &ends);
    if (ends) return none;
    idle = make_round(ready) ? 0 : idle + 1;
  }
}

/* The access of a transfer has its turn: by any thread. */
static void hand_over(void* argument, int error) {
  struct transfer* transfer = argument;
  transfer->error = error;
  pthread_mutex_lock(&wire.lock);
  *wire.last_ready = transfer;
  wire.last_ready = &transfer->next;
  pthread_cond_signal(&wire.changed);
  pthread_mutex_unlock(&wire.lock);
}

int xylem_ranks_transfer(xylem_data* data, int peer, int name, bool sends) {
  struct transfer* made = calloc(1, sizeof *made);
  if (!made) return ENOMEM;
  *made = (struct transfer){
      .data = data, .peer = peer, .name = name, .sends = sends, .type = MPI_DATATYPE_NULL};
  const xylem_mode mode = sends ? xylem_read : xylem_write;
  count_submitted(1);
  const int error = xylem_data_acquire_then(data, mode, hand_over, made);
  if (error == 0) return 0;
  free(made);
  count_submitted(-1);
  return error;
}

void xylem_ranks_wait_for_wire(void) {
  pthread_mutex_lock(&wire.lock);
  while (wire.submitted > 0) pthread_cond_wait(&wire.ended, &wire.lock);
  pthread_mutex_unlock(&wire.lock);
}

/* Signals are the program's threads' own. */
void xylem_ranks_start_wire(void) {
  sigset_t all, before;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&wire.changed, &attributes);
  pthread_condattr_destroy(&attributes);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&wire.thread, NULL, be_wire, NULL) != 0)
    xylem_ranks_die("no kernel thread can be had for messages");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void xylem_ranks_stop_wire(void) {
  pthread_mutex_lock(&wire.lock);
  wire.ends = true;
  pthread_cond_signal(&wire.changed);
  pthread_mutex_unlock(&wire.lock);
  pthread_join(wire.thread, NULL);
  wire.ends = false;
  free(wire.requests);
  free(wire.under_way);
  free(wire.indices);
  free(wire.statuses);
  wire.requests = NULL;
  wire.under_way = NULL;
  wire.indices = NULL;
  wire.statuses = NULL;
  wire.room = 0;
  pthread_cond_destroy(&wire.changed);
}

xylem_mpi_traffic xylem_mpi_sent(void) {
  return (xylem_mpi_traffic){atomic_load_explicit(&wire.messages, memory_order_relaxed),
                             atomic_load_explicit(&wire.bytes, memory_order_relaxed)};
}
