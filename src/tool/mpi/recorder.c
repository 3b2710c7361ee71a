/* Counts what MPI ranks send each other; `xylem mpi record` compiles it with the MPI's own mpicc
 * and preloads it (paper 004, section IV-B: the communication pattern).
 *
 * Each function stands under its MPI_ and its PMPI_ name, since Fortran's doors call one or the
 * other, and hands over to the next PMPI_ of that name. Counted where it is sent: bytes and
 * messages by destination in MPI_COMM_WORLD; of collectives the calls and the bytes that a rank
 * gives. MPI_Finalize gathers all on rank 0, which writes the file that XYLEM_MPI_RECORD names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int rank, size;
  double *bytes, *messages; /* by destination */
} self;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The next definition of a PMPI_ function: the MPI library's. */
static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  fprintf(stderr, "xylem: this MPI has no %s; run the program without `xylem mpi record`\n", name);
  abort();
}

#define WRAP(name, parameters, arguments, counting) \
  int P##name parameters {                          \
    static int(*real) parameters;                   \
    if (!real) *(void**)&real = next("P" #name);    \
    counting;                                       \
    return real arguments;                          \
  }                                                 \
  int name parameters __attribute__((alias("P" #name)));

static void prepare(void) {
  if (self.size > 0) return;
  PMPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &self.size);
  self.bytes = calloc((size_t)self.size, sizeof *self.bytes);
  self.messages = calloc((size_t)self.size, sizeof *self.messages);
  if (!self.bytes || !self.messages) {
    fprintf(stderr, "xylem: no memory to record %d ranks\n", self.size);
    abort();
  }
}

static double bytes_of(double count, MPI_Datatype type) {
  int size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  return count * size;
}

/* The rank in MPI_COMM_WORLD of member `rank` of the group, or MPI_UNDEFINED. Frees the group. */
static int in_world(MPI_Group group, int rank) {
  MPI_Group world;
  int there = MPI_UNDEFINED;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  return there;
}

static int world_rank(MPI_Comm comm, int rank) {
  MPI_Group group;
  int between = 0;
  if (rank < 0 || comm == MPI_COMM_WORLD) return rank;
  PMPI_Comm_test_inter(comm, &between);
  if (between)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  return in_world(group, rank);
}

/* `from` and `to` are ranks of the world; what is not of it, or no rank at all, is not counted. Of
 * a get the sender is another: its bytes stand here as sent back, which a pair's sum cannot tell.
 */
static void count(int to, double bytes) {
  pthread_mutex_lock(&lock);
  prepare();
  if (to >= 0 && to < self.size) {
    self.bytes[to] += bytes;
    self.messages[to] += 1;
  }
  pthread_mutex_unlock(&lock);
}

static void sent(int to, MPI_Comm comm, int items, MPI_Datatype type) {
  if (to >= 0) count(world_rank(comm, to), bytes_of(items, type));
}

static void accessed(int to, MPI_Win window, int items, MPI_Datatype type) {
  MPI_Group group;
  if (to < 0) return;
  PMPI_Win_get_group(window, &group);
  count(in_world(group, to), bytes_of(items, type));
}

/* --- persistent requests: counted each time they start -------------------------------------------
 */

struct persistent {
  MPI_Request request;
  int to;
  double bytes;
};

static struct persistent* persistents;
static size_t persistent_count, persistent_room;

static void remember(MPI_Request request, int to, MPI_Comm comm, int items, MPI_Datatype type) {
  struct persistent made = {request, to < 0 ? -1 : world_rank(comm, to), bytes_of(items, type)};
  pthread_mutex_lock(&lock);
  if (persistent_count == persistent_room) {
    size_t room = persistent_room ? 2 * persistent_room : 64;
    struct persistent* grown = realloc(persistents, room * sizeof *grown);
    if (grown) {
      persistents = grown;
      persistent_room = room;
    }
  }
  if (persistent_count < persistent_room) persistents[persistent_count++] = made;
  pthread_mutex_unlock(&lock);
}

static void started(MPI_Request request) {
  struct persistent found = {request, -1, 0};
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < persistent_count; i++)
    if (persistents[i].request == request) found = persistents[i];
  pthread_mutex_unlock(&lock);
  if (found.to >= 0) count(found.to, found.bytes);
}

static void forget(MPI_Request request) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < persistent_count; i++)
    if (persistents[i].request == request) persistents[i--] = persistents[--persistent_count];
  pthread_mutex_unlock(&lock);
}

static void all_started(int number, MPI_Request* requests) {
  for (int i = 0; i < number; i++) started(requests[i]);
}

/* --- from one to one ----------------------------------------------------------------------------
 */

#define SEND_PARAMETERS \
  (const void* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm)
#define SEND_ARGUMENTS (data, items, type, to, tag, comm)
WRAP(MPI_Send, SEND_PARAMETERS, SEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Ssend, SEND_PARAMETERS, SEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Bsend, SEND_PARAMETERS, SEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Rsend, SEND_PARAMETERS, SEND_ARGUMENTS, sent(to, comm, items, type))

#define ISEND_PARAMETERS                                                           \
  (const void* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
   MPI_Request* request)
#define ISEND_ARGUMENTS (data, items, type, to, tag, comm, request)
WRAP(MPI_Isend, ISEND_PARAMETERS, ISEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Issend, ISEND_PARAMETERS, ISEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Ibsend, ISEND_PARAMETERS, ISEND_ARGUMENTS, sent(to, comm, items, type))
WRAP(MPI_Irsend, ISEND_PARAMETERS, ISEND_ARGUMENTS, sent(to, comm, items, type))

#define WRAP_INIT(name)                                                   \
  int P##name ISEND_PARAMETERS {                                          \
    static int(*real) ISEND_PARAMETERS;                                   \
    if (!real) *(void**)&real = next("P" #name);                          \
    int result = real ISEND_ARGUMENTS;                                    \
    if (result == MPI_SUCCESS) remember(*request, to, comm, items, type); \
    return result;                                                        \
  }                                                                       \
  int name ISEND_PARAMETERS __attribute__((alias("P" #name)));
WRAP_INIT(MPI_Send_init)
WRAP_INIT(MPI_Ssend_init)
WRAP_INIT(MPI_Bsend_init)
WRAP_INIT(MPI_Rsend_init)
WRAP(MPI_Start, (MPI_Request * request), (request), started(*request))
WRAP(MPI_Startall, (int number, MPI_Request requests[]), (number, requests),
     all_started(number, requests))
WRAP(MPI_Request_free, (MPI_Request * request), (request), forget(*request))

WRAP(MPI_Sendrecv,
     (const void* data, int items, MPI_Datatype type, int to, int tag, void* into, int room,
      MPI_Datatype room_type, int from, int from_tag, MPI_Comm comm, MPI_Status* status),
     (data, items, type, to, tag, into, room, room_type, from, from_tag, comm, status),
     sent(to, comm, items, type))
WRAP(MPI_Sendrecv_replace,
     (void* data, int items, MPI_Datatype type, int to, int tag, int from, int from_tag,
      MPI_Comm comm, MPI_Status* status),
     (data, items, type, to, tag, from, from_tag, comm, status), sent(to, comm, items, type))

#define ACCESS(constant)                                                                    \
  (constant void* data, int items, MPI_Datatype type, int to, MPI_Aint at, int their_items, \
   MPI_Datatype their_type, MPI_Win window)
#define ACCESS_ARGUMENTS (data, items, type, to, at, their_items, their_type, window)
WRAP(MPI_Put, ACCESS(const), ACCESS_ARGUMENTS, accessed(to, window, items, type))
WRAP(MPI_Get, ACCESS(), ACCESS_ARGUMENTS, accessed(to, window, items, type))
WRAP(MPI_Accumulate,
     (const void* data, int items, MPI_Datatype type, int to, MPI_Aint at, int their_items,
      MPI_Datatype their_type, MPI_Op op, MPI_Win window),
     (data, items, type, to, at, their_items, their_type, op, window),
     accessed(to, window, items, type))

/* --- collectives --------------------------------------------------------------------------------
 */

enum { barrier, bcast, gather, scatter, reduce, allreduce, allgather, alltoall, collectives };
static const char* const collective_names[] = {"MPI_Barrier",   "MPI_Bcast",   "MPI_Gather",
                                               "MPI_Scatter",   "MPI_Reduce",  "MPI_Allreduce",
                                               "MPI_Allgather", "MPI_Alltoall"};
static double collective_calls[collectives], collective_bytes[collectives];

static void together(int which, double items, MPI_Datatype type) {
  double bytes = bytes_of(items, type);
  pthread_mutex_lock(&lock);
  collective_calls[which] += 1;
  collective_bytes[which] += bytes;
  pthread_mutex_unlock(&lock);
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

static int is_root(int root, MPI_Comm comm) {
  int rank = -1;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

static double sum(const int* items, MPI_Comm comm) {
  double all = 0;
  for (int i = 0; i < size_of(comm); i++) all += items[i];
  return all;
}

WRAP(MPI_Barrier, (MPI_Comm comm), (comm), together(barrier, 0, MPI_BYTE))
WRAP(MPI_Bcast, (void* data, int items, MPI_Datatype type, int root, MPI_Comm comm),
     (data, items, type, root, comm), together(bcast, is_root(root, comm) ? items : 0, type))
WRAP(MPI_Gather,
     (const void* data, int items, MPI_Datatype type, void* into, int room, MPI_Datatype room_type,
      int root, MPI_Comm comm),
     (data, items, type, into, room, room_type, root, comm),
     if (data != MPI_IN_PLACE) together(gather, items, type);
     else together(gather, room, room_type))
WRAP(MPI_Scatter,
     (const void* data, int items, MPI_Datatype type, void* into, int room, MPI_Datatype room_type,
      int root, MPI_Comm comm),
     (data, items, type, into, room, room_type, root, comm),
     if (is_root(root, comm)) together(scatter, (double)items* size_of(comm), type);
     else together(scatter, 0, MPI_BYTE))
WRAP(MPI_Reduce,
     (const void* data, void* into, int items, MPI_Datatype type, MPI_Op op, int root,
      MPI_Comm comm),
     (data, into, items, type, op, root, comm), together(reduce, items, type))
WRAP(MPI_Allreduce,
     (const void* data, void* into, int items, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (data, into, items, type, op, comm), together(allreduce, items, type))
WRAP(MPI_Allgather,
     (const void* data, int items, MPI_Datatype type, void* into, int room, MPI_Datatype room_type,
      MPI_Comm comm),
     (data, items, type, into, room, room_type, comm),
     if (data != MPI_IN_PLACE) together(allgather, items, type);
     else together(allgather, room, room_type))
WRAP(MPI_Alltoall,
     (const void* data, int items, MPI_Datatype type, void* into, int room, MPI_Datatype room_type,
      MPI_Comm comm),
     (data, items, type, into, room, room_type, comm),
     if (data != MPI_IN_PLACE) together(alltoall, (double)items* size_of(comm), type);
     else together(alltoall, (double)room* size_of(comm), room_type))
WRAP(MPI_Alltoallv,
     (const void* data, const int items[], const int at[], MPI_Datatype type, void* into,
      const int room[], const int into_at[], MPI_Datatype room_type, MPI_Comm comm),
     (data, items, at, type, into, room, into_at, room_type, comm),
     if (data != MPI_IN_PLACE) together(alltoall, sum(items, comm), type);
     else together(alltoall, sum(room, comm), room_type))

/* --- the end: all on rank 0 ---------------------------------------------------------------------
 */

static void write_collectives(FILE* file, const double* calls, const double* bytes) {
  int first = 1;
  fprintf(file, "\"collectives\": {");
  for (int i = 0; i < collectives; i++) {
    if (calls[i] == 0) continue;
    fprintf(file, "%s\n  \"%s\": {\"calls\": %.0f, \"bytes\": %.0f}", first ? "" : ",",
            collective_names[i], calls[i], bytes[i]);
    first = 0;
  }
  fprintf(file, "},\n");
}

static void write_pairs(FILE* file, const double* bytes, const double* messages) {
  int first = 1;
  fprintf(file, "\"pairs\": [");
  for (int from = 0; from < self.size; from++) {
    for (int to = 0; to < self.size; to++) {
      size_t at = (size_t)from * (size_t)self.size + (size_t)to;
      if (messages[at] == 0) continue;
      fprintf(file, "%s\n  [%d, %d, %.0f, %.0f]", first ? "" : ",", from, to, bytes[at],
              messages[at]);
      first = 0;
    }
  }
  fprintf(file, "]");
}

static void write_file(const char* name, const double* bytes, const double* messages,
                       const double* calls, const double* together_bytes) {
  FILE* file = fopen(name, "w");
  if (file) {
    fprintf(file, "{\"format\": \"xylem-mpi\", \"version\": 1, \"ranks\": %d,\n", self.size);
    write_collectives(file, calls, together_bytes);
    write_pairs(file, bytes, messages);
    fprintf(file, "}\n");
  }
  if (!file || fclose(file) != 0)
    fprintf(stderr, "xylem: the recording '%s' cannot be written\n", name);
  else
    fprintf(stderr, "xylem: %d ranks recorded in '%s'\n", self.size, name);
}

static void collect(void) {
  const char* name = getenv("XYLEM_MPI_RECORD");
  static int (*gather_all)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
  static int (*reduce_all)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
  double *bytes = NULL, *messages = NULL, calls[collectives], together_bytes[collectives];
  *(void**)&gather_all = next("PMPI_Gather");
  *(void**)&reduce_all = next("PMPI_Reduce");
  prepare();
  if (self.rank == 0) {
    bytes = malloc((size_t)self.size * (size_t)self.size * sizeof *bytes);
    messages = malloc((size_t)self.size * (size_t)self.size * sizeof *messages);
    if (!bytes || !messages) {
      fprintf(stderr, "xylem: no memory for the recording of %d ranks\n", self.size);
      abort();
    }
  }
  gather_all(self.bytes, self.size, MPI_DOUBLE, bytes, self.size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  gather_all(self.messages, self.size, MPI_DOUBLE, messages, self.size, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  reduce_all(collective_calls, calls, collectives, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  reduce_all(collective_bytes, together_bytes, collectives, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (self.rank == 0 && name) write_file(name, bytes, messages, calls, together_bytes);
  free(bytes);
  free(messages);
}

WRAP(MPI_Finalize, (void), (), collect())
