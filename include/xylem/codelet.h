/* Codelets: tasks whose order follows from the data that they use (paper 002, chapter 3: StarPU).
 *
 * Owns: the functions by which a program hands data to Xylem, says what is to be done with it, and
 * waits for it. Codelets run on the same workers as OpenMP teams. docs/codelets.md is the guide.
 *
 *     int scale(const xylem_view* views, void* argument) {
 *       double* x = views[0].data;
 *       for (unsigned long i = 0; i < views[0].x; ++i) x[i] *= *(double*)argument;
 *       return 0;
 *     }
 *     static const xylem_codelet scaling = {
 *         .name = "scale", .cpu = scale, .accesses = 1, .modes = {xylem_read_write}};
 *     ...
 *     xylem_data* x = xylem_data_vector(memory, n, sizeof(double));
 *     xylem_submit(&scaling, &(xylem_task_options){.data = &x, .argument = &factor,
 *                                                  .argument_bytes = sizeof factor}, NULL);
 *     xylem_data_unregister(x);
 *
 * Every function may be called from any thread, inside parallel regions and outside; those that
 * wait not from a codelet. Functions that return int return 0 or an errno. */
#ifndef XYLEM_CODELET_H
#define XYLEM_CODELET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- data ------------------------------------------------------------------------------------- */

/* A piece of data that Xylem knows. From its registration to its end the program reads and writes
 * the memory only between xylem_data_acquire() and xylem_data_release(), and in tasks of OpenMP
 * whose depend clauses name the address at which the data begins: such a task is a codelet, too. */
typedef struct xylem_data xylem_data;

typedef enum {
  xylem_variable = 0,
  xylem_vector = 1,
  xylem_matrix = 2,
  xylem_block = 3, /* three dimensions */
  xylem_csr = 4,   /* a sparse matrix by rows */
  xylem_user = 5   /* bytes whose meaning the program alone knows */
} xylem_kind;

/* A piece of data as a codelet sees it, in the memory where the codelet runs. Extents and steps are
 * in elements; an extent that the kind does not have is 1. */
typedef struct {
  xylem_kind kind;
  void* data; /* first element; of a sparse matrix: first value */
  unsigned long element_bytes;
  unsigned long x, y, z;
  unsigned long row_step;   /* from a row of a matrix or block to the next */
  unsigned long plane_step; /* from a plane of a block to the next */
  /* Of a sparse matrix: row r has entries row_starts[r] - first_entry up to
   * row_starts[r + 1] - first_entry of `data` and `columns`. */
  uint32_t* columns;
  uint32_t* row_starts;
  uint32_t entries, rows, first_entry;
} xylem_view;

/* Registers data of the program's in main memory, which has a value; NULL: out of memory. With a
 * null address the data has no memory and no value yet: a codelet that writes it gives it both.
 * Devices that share main memory work on it in place if it is dense and begins on a boundary of 128
 * bytes, else on copies. `element_bytes` is at least 1, as is each extent. */
xylem_data* xylem_data_variable(void* at, size_t bytes);
xylem_data* xylem_data_vector(void* at, size_t count, size_t element_bytes);
xylem_data* xylem_data_matrix(void* at, size_t x, size_t y, size_t row_step, size_t element_bytes);
xylem_data* xylem_data_block(void* at, size_t x, size_t y, size_t z, size_t row_step,
                             size_t plane_step, size_t element_bytes);
/* `row_starts` has rows + 1 elements; none of the three addresses may be null. */
xylem_data* xylem_data_csr(void* values, uint32_t* columns, uint32_t* row_starts, uint32_t rows,
                           size_t element_bytes);
xylem_data* xylem_data_user(void* at, size_t bytes);

/* Waits for all codelets that were submitted with it, brings its value to the program's memory, and
 * ends it. ENODATA: it has no value; EIO: its value was on a device that is gone; it has ended all
 * the same. EBUSY, and nothing is done: it is cut into parts, or is a part. */
int xylem_data_unregister(xylem_data* data);
/* The same without waiting: it ends when the last codelet that was submitted with it has, and its
 * value is in the program's memory after xylem_wait_all(). The handle may not be used any more. */
int xylem_data_unregister_later(xylem_data* data);

/* How a codelet uses a piece of data. Codelets with a piece in common run in the order in which
 * they were submitted, but for those that read it, those that commute, and those that reduce. */
typedef enum {
  xylem_read = 1,
  xylem_write = 2, /* all of it: its old value is not brought */
  xylem_read_write = 3,
  xylem_commute = 4, /* reads and writes, one at a time, in any order among those that commute */
  xylem_scratch = 5, /* memory for the codelet alone, with no value before and after */
  xylem_reduce = 6   /* adds to a copy of its own: xylem_data_set_reduction() */
} xylem_mode;

/* Waits until the program may use the data as `mode` says (read, write or read_write), and brings
 * its value to main memory. Codelets that use the data wait for xylem_data_release() then. ENODATA:
 * it is to be read and has no value. EIO: its value was on a device that is gone. EBUSY: it is cut
 * into parts. */
int xylem_data_acquire(xylem_data* data, xylem_mode mode);
/* Ends what the calling program's acquire of the data began; not to be called without one. */
int xylem_data_release(xylem_data* data);
/* The same as xylem_data_acquire() without waiting: `acquired` is called once, by any thread, when
 * the turn has come and the value is in main memory, perhaps before this function returns. `error`
 * is what xylem_data_acquire() returns; 0: the access lasts until xylem_data_release() or
 * xylem_data_give_up(), which any thread may call, and for which xylem_wait_all() waits. `acquired`
 * must not wait. EBUSY, ENOMEM: it is never called. */
int xylem_data_acquire_then(xylem_data* data, xylem_mode mode,
                            void (*acquired)(void* argument, int error), void* argument);
/* Ends an access that writes, as xylem_data_release() does, and leaves the data without a value, as
 * a codelet does that fails. */
int xylem_data_give_up(xylem_data* data);
/* Where the data is in main memory; between acquire and release. */
int xylem_data_view(xylem_data* data, xylem_view* view);

/* Gives its value up, in the order of submission: a codelet that reads it next fails with ENODATA.
 */
int xylem_data_invalidate(xylem_data* data);

/* How copies are made and brought together for codelets that reduce: `begin` sets a new copy to the
 * operation's neutral element, `combine` adds `from` to `into`; both on processors. The copies of
 * all processors and devices are combined, in any order, before the data is used otherwise. Before
 * the first codelet that reduces.
 */
int xylem_data_set_reduction(xylem_data* data, void (*begin)(const xylem_view* copy),
                             void (*combine)(const xylem_view* into, const xylem_view* from));

/* Brings a copy of the value to an executor's memory, a device's or a processor's memory node,
 * ahead of the codelets that will read it there, in the order of submission and without waiting.
 * EINVAL: there is no such executor. */
int xylem_data_prefetch(xylem_data* data, int executor);

/* Cuts the data into x * y * z parts, numbered with x fastest: the paper's filters (section 3.2.1).
 * Extents that do not divide leave the first parts one larger. A sparse matrix is cut by rows: y
 * parts. The data itself may not be used before xylem_data_unpartition(); its parts may be cut
 * again. Does not wait where the data is a box in the program's memory. EINVAL: a part would be
 * empty, or the kind has no such cut. EBUSY: it is cut already. */
int xylem_data_partition(xylem_data* data, int x, int y, int z);
/* The same with parts that the program makes: `cut` fills *part, in its extents and data, from the
 * whole, both in main memory. Parts share no element. Where it does not wait, elements may be
 * elsewhere yet: for a `cut` that reads some, acquire the data for reading before, and release it.
 */
int xylem_data_partition_by(xylem_data* data, int parts,
                            int (*cut)(const xylem_view* whole, int number, xylem_view* part,
                                       void* argument),
                            void* argument);
/* The part of that number; NULL: there is none. Lives until the whole is brought together. */
xylem_data* xylem_data_part(xylem_data* data, int number);
int xylem_data_part_count(const xylem_data* data);
/* Brings the parts together, after all codelets that were submitted with them; does not wait. The
 * parts end. If one of them has no value then, the whole has none. EINVAL: it is not cut. EBUSY: a
 * part is cut. */
int xylem_data_unpartition(xylem_data* data);

/* --- codelets ----------------------------------------------------------------------------------
 */

enum { xylem_most_accesses = 16 };

/* What runs on a device: a kernel in OpenCL C, compiled for each device when it is first used. Its
 * parameters are, for each access in turn, what its kind of data has:
 *
 *     variable, user   __global T* data
 *     vector           __global T* data, ulong x
 *     matrix           __global T* data, ulong x, ulong y
 *     block            __global T* data, ulong x, ulong y, ulong z
 *     csr              __global T* data, __global uint* columns, __global uint* row_starts,
 *                      uint entries, uint rows, uint first_entry
 *
 * and then the task's argument, by value, if it has argument_bytes. On a device rows and planes
 * have no gaps: row_step is x, plane_step x * y. A kernel that does not compile, or cannot be
 * launched, is named on stderr, and the codelet's tasks run elsewhere. */
typedef struct {
  const char* source;
  const char* kernel;  /* the kernel's name in it */
  const char* options; /* for the compiler; NULL: none */
  /* How many work-items run in each dimension, and how many of them in a group: global[] comes with
   * the extents of the first data that is written or reduces (rows of a sparse matrix), local[]
   * with 0, which leaves it to the device. Of the views extents alone are told. NULL: what comes is
   * right. */
  void (*range)(const xylem_view* views, const void* argument, size_t global[3], size_t local[3]);
} xylem_opencl;

/* What runs on a CUDA device: a kernel, from source or compiled, or a function that launches what
 * it likes. A kernel's parameters are those of an OpenCL kernel, in CUDA's words:
 *
 *     variable, user   T* data
 *     vector           T* data, unsigned long x
 *     matrix           T* data, unsigned long x, unsigned long y
 *     block            T* data, unsigned long x, unsigned long y, unsigned long z
 *     csr              T* data, unsigned* columns, unsigned* row_starts, unsigned entries,
 *                      unsigned rows, unsigned first_entry
 *
 * and then the task's argument, by value, if it has argument_bytes. */
typedef struct {
  /* CUDA C++, which NVRTC compiles for each kind of device when it is first used there; or NULL. */
  const char* source;
  /* Instead: what `nvcc --fatbin`, `--cubin` or `--ptx` makes (PTX ends with a zero). */
  const void* image;
  /* The kernel's name: in a source as C++ has it, such as "blas::scale<float>"; in an image as
   * its symbol, which is the name where it is extern "C". */
  const char* kernel;
  const char* options; /* of NVRTC, separated by blanks; NULL: none */
  /* As xylem_opencl's: threads in each dimension, and of a block; 0: 256 threads in a block. Blocks
   * are whole, so more threads run where the extents are no multiples: a kernel compares. */
  void (*range)(const xylem_view* views, const void* argument, size_t global[3], size_t local[3]);
  unsigned shared_bytes; /* of each block's dynamic shared memory */
  /* Instead of a kernel: puts work into `stream` (a CUstream or cudaStream_t), with the device's
   * primary context current, and returns without waiting for it, nor for anything of Xylem's or
   * OpenMP's. The views have addresses on the device. 0, or an errno as of xylem_codelet::cpu. */
  int (*launch)(const xylem_view* views, void* argument, void* stream);
} xylem_cuda;

/* One kind of task. Lives as long as tasks of it do. */
typedef struct {
  /* In models, which are kept between runs of the program: codelets of one name share them. NULL:
   * what is measured is forgotten with the process. */
  const char* name;
  /* Runs on a processor: views[i] is the data of access i. 0, or an errno: then the data that it
   * writes has no value any more. NULL: it runs on devices alone. */
  int (*cpu)(const xylem_view* views, void* argument);
  int accesses; /* at most xylem_most_accesses */
  xylem_mode modes[xylem_most_accesses];
  /* Run on devices. NULL: it does not run on devices of that kind. */
  const xylem_opencl* opencl;
  const xylem_cuda* cuda;
  /* What the program knows of how long its tasks take, for policies with models. Of the views
   * extents alone are told; the argument is the task's. Both are called when a task is ready,
   * `work` also when it has run, by any thread and several at once: they compute, and call nothing
   * of Xylem's.
   *
   * How much a task has to do, in a unit of the program's choice, such as floating point
   * operations; 1 or more, else the bytes of the data stand for it. Time is taken to be in
   * proportion to it, by a factor for each kind of executor that is measured. For codelets whose
   * extents do not tell, and for extents that were never measured. NULL: bytes stand for it. */
  double (*work)(const xylem_view* views, const void* argument);
  /* What a task takes on an executor, in nanoseconds; 0, or NULL: models say. Asked once for each
   * kind: `executor` is the kind's first. */
  double (*nanoseconds)(const xylem_view* views, const void* argument, int executor);
  /* More than 1: `cpu` opens parallel regions, which may have so many threads. It is called with
   * omp_get_max_threads() at what there is for it: its own processor, and those that have nothing
   * else to do; under policies with models as many of these as were measured to take least. 0 or 1:
   * it is serial. */
  int most_threads;
} xylem_codelet;

/* A task that was submitted, for who waits for it or has others wait. */
typedef struct xylem_task xylem_task;

typedef struct {
  xylem_data* const* data; /* one for each access of the codelet */
  const void* argument;    /* copied, unless argument_bytes is 0 */
  size_t argument_bytes;
  int priority;                     /* the higher goes first, where the policy knows of it */
  void (*callback)(void* argument); /* when the codelet has run, before those that wait for it */
  void* callback_argument;
  xylem_task* const* after; /* tasks that must end before, beside those that the data tells */
  int after_count;
} xylem_task_options;

/* Submits a task and returns at once. `task` receives it, for xylem_task_wait() or
 * xylem_task_release(); NULL: it is not needed. EINVAL: data is missing, the same data stands twice
 * in it, or the codelet has nothing that could run. ENODEV: it runs on devices alone, and there is
 * none that could. ENOSPC: its data is larger than each of them. EBUSY: data is cut into parts.
 * ENOMEM. */
int xylem_submit(const xylem_codelet* codelet, const xylem_task_options* options,
                 xylem_task** task);
/* Waits for the task's end, and releases it. Returns what the codelet returned, or why it could not
 * run (ENODATA: it reads what has no value). */
int xylem_task_wait(xylem_task* task);
/* The task is not needed any more; it runs all the same. */
void xylem_task_release(xylem_task* task);
/* Waits until all tasks have ended that the process has submitted. Returns the first error since
 * the last call, or 0. */
int xylem_wait_all(void);

/* --- processors --------------------------------------------------------------------------------
 */

/* By what policy ready tasks are dealt out; before the first task. EINVAL: there is none of that
 * name. EBUSY: a task was submitted already. NULL, or no call: what XYLEM_CODELET_POLICY names, or
 * "eager". */
int xylem_codelet_policy(const char* name);
/* How many executors there are: processors that may run codelets, and behind them the devices. */
int xylem_executor_count(void);
/* How many of them are devices (XYLEM_CUDA, then XYLEM_OPENCL). */
int xylem_device_count(void);
/* "processor 3", or "device 1 (what its driver calls it)": devices are numbered from 1. Lives as
 * long as the process; NULL: there is no executor of that number. */
const char* xylem_executor_name(int executor);
/* The number of the executor that runs the calling codelet; -1: none does. */
int xylem_current_executor(void);

#ifdef __cplusplus
}
#endif

#endif
