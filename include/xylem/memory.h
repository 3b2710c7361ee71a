/* Memory on machines whose memory is not uniform: where pages are, where they go, and who uses them
 * (paper 000; its Table 2 and MaMI are compared with this in docs/memory.md).
 *
 * Owns: the functions by which a program allocates memory on nodes, registers memory of its own,
 * says who uses which memory, moves pages, and asks where they are and what access costs.
 *
 * Units: sizes in bytes, times in nanoseconds. Nodes are numbered 0 .. xylem_node_count() - 1 as
 * `xylem topo` shows them. A range is an address and a size; what concerns pages concerns every
 * page that the range has a byte in.
 *
 * Functions that return int return 0 or an errno value: EINVAL for an argument that cannot be,
 * ENOENT for a range that Xylem does not know, ENOMEM without memory, EFAULT for addresses that are
 * not mapped, EBUSY where some pages could not be moved (another process has them too, or their
 * node is full: the others did move), EPERM or ENOSYS where the kernel refuses. Where it refuses,
 * or in a container that forbids it, the program goes on: nothing moves, no data is lost, and one
 * line on stderr says so once. Where there is one node nothing has to move, and that is no failure.
 *
 * Everything here may be called from any thread at any time but signal handlers, inside regions and
 * outside. Two calls at the same time on ranges that overlap take effect one after the other. The
 * functions can be declared weak as those of bubble.h, by XYLEM_WEAK.
 */
#ifndef XYLEM_MEMORY_H
#define XYLEM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "bubble.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- allocating ------------------------------------------------------------------------------ */

typedef enum {
  xylem_place_default = 0,      /* as XYLEM_MEMORY_POLICY says; without it as the process does */
  xylem_place_node = 1,         /* on `node` */
  xylem_place_least_loaded = 2, /* on the node with the most free memory */
  xylem_place_first_touch = 3,  /* each page on the node of the thread that touches it first */
  xylem_place_interleaved = 4,  /* page after page over all nodes */
  xylem_place_spread = 5        /* in `parts` blocks: block i where member i of the calling thread's
                                   team runs (its next team, outside of regions), or, with parts 0,
                                   one block a node */
} xylem_memory_placement;

typedef struct {
  int placement;    /* xylem_memory_placement */
  int node;         /* of xylem_place_node */
  int parts;        /* of xylem_place_spread */
  int huge;         /* not 0: huge pages, where there are some */
  size_t alignment; /* 0, or a power of two */
} xylem_memory_how;

/* Memory of at least `size` bytes; NULL with errno ENOMEM or EINVAL. `how` NULL: default placement.
 * Of small blocks on nodes many share a page; what is placed in another way, or is large, has pages
 * of its own. The contents are not defined but for those of xylem_calloc_placed. */
void* xylem_malloc_placed(size_t size, const xylem_memory_how* how) XYLEM_DECLARED;
void* xylem_calloc_placed(size_t count, size_t size, const xylem_memory_how* how) XYLEM_DECLARED;
/* The same by one word (MaMI's mami_malloc, mami_calloc, mami_malloc_on_node). */
void* xylem_malloc(size_t size) XYLEM_DECLARED;
void* xylem_calloc(size_t count, size_t size) XYLEM_DECLARED;
void* xylem_malloc_on_node(size_t size, int node) XYLEM_DECLARED;
/* What xylem_place_default means from now on, for all threads; the spread placement cannot be it.
 * `how` NULL: as the process does. Only placement and node count. */
int xylem_memory_set_default(const xylem_memory_how* how) XYLEM_DECLARED;
/* Another size for a block; it stays on its nodes. NULL on failure, and the block is as it was. */
void* xylem_realloc(void* block, size_t size) XYLEM_DECLARED;
/* Ends a block of these functions, from any thread. NULL is ignored; an address that is no such
 * block's ends the program with an error line. */
void xylem_free(void* block) XYLEM_DECLARED;

/* One copy of the data on each node with processors, for data that is mostly read. The bytes at
 * `source` (or zeros: NULL) are copied to each. NULL with errno on failure. */
typedef struct xylem_replicated xylem_replicated;
xylem_replicated* xylem_replicated_create(const void* source, size_t size) XYLEM_DECLARED;
void xylem_replicated_destroy(xylem_replicated* data) XYLEM_DECLARED;
/* The copy nearest to the calling thread. It may be read until the next refresh or destroy. */
const void* xylem_replicated_local(const xylem_replicated* data) XYLEM_DECLARED;
/* The copy that may be written. Others see the new bytes after xylem_replicated_refresh(), which
 * copies `size` bytes from `offset` on to all others; nobody may read meanwhile. */
void* xylem_replicated_master(xylem_replicated* data) XYLEM_DECLARED;
int xylem_replicated_refresh(xylem_replicated* data, size_t offset, size_t size) XYLEM_DECLARED;

/* --- registering ----------------------------------------------------------------------------- */

/* Makes a range that Xylem did not allocate known, so that it can be attached, split and counted.
 * Ranges may not overlap (EEXIST). Blocks of the functions above that have pages of their own are
 * known from the beginning. */
int xylem_memory_register(void* start, size_t size) XYLEM_DECLARED;
/* Forgets the range that begins at `start` and all that was split off it; pages stay where they
 * are.
 */
int xylem_memory_unregister(void* start) XYLEM_DECLARED;
/* Cuts a known range in `parts` of about the same size, on page boundaries, each a range that can
 * be attached and moved alone; starts[i] (may be NULL) is where part i begins. EINVAL when it has
 * fewer pages than parts. */
int xylem_memory_split(void* start, int parts, void** starts) XYLEM_DECLARED;

/* --- owners ---------------------------------------------------------------------------------- */

/* Who a known range belongs to. A range has one owner; attaching again replaces it. In later runs
 * of the region in which a thread or a team got it, and of which no hints are told, they begin
 * where the range is; where processors idle beside others that have much to do, threads take what
 * they own along to these. */
int xylem_memory_attach(void* start) XYLEM_DECLARED; /* the calling OpenMP thread */
int xylem_memory_attach_to_member(void* start,
                                  int number) XYLEM_DECLARED; /* of the caller's team */
int xylem_memory_attach_to_team(void* start) XYLEM_DECLARED;  /* the caller's team */
int xylem_memory_attach_to_bubble(void* start, xylem_bubble* bubble) XYLEM_DECLARED;
int xylem_memory_attach_to_node(void* start, int node) XYLEM_DECLARED;
int xylem_memory_detach(void* start) XYLEM_DECLARED;
/* The same for all known ranges of a bubble, or, with NULL, of the calling OpenMP thread. */
int xylem_memory_detach_all(xylem_bubble* bubble) XYLEM_DECLARED;

/* --- moving ---------------------------------------------------------------------------------- */

/* Moves the pages of any range to a node, now. Pages that were never touched will be made there.
 * `moved`, may be NULL: how many pages changed their node. */
int xylem_memory_move(void* start, size_t size, int node, size_t* moved) XYLEM_DECLARED;
/* Moves the pages of a known range to where its owner is. ENOENT without an owner. */
int xylem_memory_move_to_owner(void* start, size_t* moved) XYLEM_DECLARED;
/* Moves all known ranges of a bubble, or, with NULL, of the calling OpenMP thread, to a node. */
int xylem_memory_move_all(xylem_bubble* bubble, int node, size_t* moved) XYLEM_DECLARED;
/* Each page of any range of private memory moves, once, to the node of the thread that touches it
 * next, by an instruction or in a system call. ENOSYS where that cannot be. The range may be freed,
 * mapped anew, marked again, and the process may fork; whole pages inside the range are marked. */
int xylem_memory_move_on_next_touch(void* start, size_t size) XYLEM_DECLARED;
/* Takes the marks back: pages that nobody touched stay where they are. */
int xylem_memory_forget_next_touch(void* start, size_t size) XYLEM_DECLARED;
/* Pages of a range that are marked and not touched yet. */
size_t xylem_memory_marked(const void* start, size_t size) XYLEM_DECLARED;

/* Policy of pages of any range that are not there yet, and with `move` not 0 of those that are. */
int xylem_memory_bind(void* start, size_t size, const xylem_memory_how* how,
                      int move) XYLEM_DECLARED;

/* --- distributing arrays (paper 001, section 4.1: DISTRIBUTE and REDISTRIBUTE) ---------------- */

typedef enum {
  xylem_dimension_whole = 0,       /* not divided: the paper's * */
  xylem_dimension_block = 1,       /* neighbours together, as schedule(static) divides a loop */
  xylem_dimension_cyclic = 2,      /* index after index in turn */
  xylem_dimension_block_cyclic = 3 /* `chunk` neighbours after `chunk` neighbours in turn */
} xylem_dimension_kind;

typedef struct {
  size_t extent; /* indices; at least 1 */
  int kind;      /* xylem_dimension_kind */
  size_t chunk;  /* of block-cyclic, at least 1 */
} xylem_dimension;

/* Divides an array among `parts` threads: part i belongs where member i of the calling thread's
 * team runs (its next team, outside of regions); parts 0: one part a node. dims[0] is the dimension
 * whose neighbours lie side by side: Fortran's first, C's last; `count` is 1 to 7. Where several
 * are divided, the parts are divided among them as evenly as can be, the most for the last.
 *
 * No element moves inside the array: a page that several parts have elements in goes where most of
 * its bytes belong. So tiles that are no whole pages want padding.
 *
 * xylem_distribute is for an array that nobody has used yet: its pages will be made there, those
 * that are there stay. Where parts change more often than 64 times, the kernel would need a mapping
 * for each run: then all pages are made at once. xylem_redistribute also moves the pages that are
 * there, now; `moved`, may be NULL: how many changed their node. Both may be called again. */
int xylem_distribute(void* array, size_t element_size, const xylem_dimension* dims, int count,
                     int parts) XYLEM_DECLARED;
int xylem_redistribute(void* array, size_t element_size, const xylem_dimension* dims, int count,
                       int parts, size_t* moved) XYLEM_DECLARED;

/* --- asking ---------------------------------------------------------------------------------- */

int xylem_node_count(void) XYLEM_DECLARED;
/* Node of the processor that the calling thread runs on; -1 where there is none near. */
int xylem_current_node(void) XYLEM_DECLARED;
/* The node, of those that the process may use, with the most free memory. */
int xylem_least_loaded_node(void) XYLEM_DECLARED;
/* Bytes of a huge page; 0: this system has none. */
size_t xylem_huge_page_size(void) XYLEM_DECLARED;

/* nodes[i]: where page i of the range is; negative errno: nowhere (-ENOENT: not touched yet, only
 * read so far, or not mapped; on a synthetic machine also: nobody said where). The range has as
 * many pages as xylem_memory_pages() says. */
size_t xylem_memory_pages(const void* start, size_t size) XYLEM_DECLARED;
int xylem_memory_locate(const void* start, size_t size, int* nodes) XYLEM_DECLARED;

/* bytes[i], for each i below `nodes`: how much of the known ranges of the bubble, of bubbles
 * inside, and of teams that were opened inside and their threads is on node i (paper 002,
 * section 2.2.2: statistics of bubbles). Pages that were never touched are on none. */
int xylem_bubble_memory(xylem_bubble* bubble, long long* bytes, int nodes) XYLEM_DECLARED;

/* Prints the known ranges, where their pages are and whose they are, on stderr. */
void xylem_memory_print(void) XYLEM_DECLARED;

typedef struct {
  long long total;     /* bytes; -1: not known */
  long long free;      /* likewise */
  long long allocated; /* by the functions above, that are placed there */
  int processors;      /* PUs next to it */
} xylem_node_info;
int xylem_node_query(int node, xylem_node_info* info, unsigned long size) XYLEM_DECLARED;

typedef struct {
  long long moved_pages;     /* by move, bind, owners and hints */
  long long moved_on_touch;  /* by next touch */
  long long marked_pages;    /* for next touch, not touched yet */
  long long moving_ns;       /* time spent in both */
  long long refused;         /* calls that the kernel refused */
  long long known_ranges;    /* allocated with pages of their own, or registered */
  long long allocated_bytes; /* in blocks that live */
} xylem_memory_statistics;
int xylem_memory_query(xylem_memory_statistics* statistics, unsigned long size) XYLEM_DECLARED;

typedef enum { xylem_cost_read = 0, xylem_cost_write = 1, xylem_cost_move = 2 } xylem_cost_kind;
/* Nanoseconds for processors of node `from` to read or write `size` bytes of node `to`, or to move
 * them from the one to the other, as measured here or told by the firmware; negative: not known.
 * The first call may measure (see `xylem topo --costs`). */
double xylem_memory_cost(int kind, int from, int to, size_t size) XYLEM_DECLARED;

/* --- hints (paper 000, section 3.3) ----------------------------------------------------------- */

typedef enum { xylem_use_read = 1, xylem_use_write = 2, xylem_use_both = 3 } xylem_memory_use;

/* Member `number` of the next team that the calling thread opens will go `passes` times (0: not
 * known, counts as 10) through the range in this way. Hints add up until that team begins: its
 * threads begin where their data is, or their data comes to them, and teams that they open stay
 * near them. They hold for each later run of that region, until hints are told before a run anew,
 * or the region has another number of threads; a hint of size 0 takes them back. */
int xylem_hint_next(int number, const void* start, size_t size, int use, int passes) XYLEM_DECLARED;
/* The same of the calling thread itself, from now on, for each xylem_hint_apply(): also for the
 * thread of this number in later runs of the region. What is told after one takes the place of what
 * was told before it. */
int xylem_hint(const void* start, size_t size, int use, int passes) XYLEM_DECLARED;

typedef enum {
  xylem_apply_now = 0, /* for the calling thread alone, at once */
  xylem_apply_team = 1 /* when every member of the team has called it: all wait for it */
} xylem_apply_when;
/* Acts on the hints: threads move, pages move, or both, whichever costs least by the measured
 * costs, if what was told last contradicts where they are. XYLEM_HINTS says what is
 * allowed. Threads move under the policies cache and memory alone, and not where OMP_PROC_BIND
 * binds them. */
int xylem_hint_apply(int when) XYLEM_DECLARED;

#ifdef __cplusplus
}
#endif

#endif
