/* The public C interface of Xylem.
 *
 * Owns: the functions a program may call when it knows that it runs on Xylem. Programs need none of
 * them to run on it. Invariant: symbols carry the version XYLEM_1.0 and are never taken away. */
#ifndef XYLEM_XYLEM_H
#define XYLEM_XYLEM_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in the process, "MAJOR.MINOR.PATCH"; lives for ever. A program that
 * must also start without Xylem declares it weak and tests its address. */
const char* xylem_version(void);

/* An iteration of the program's outer sequential loop begins here: for the engines that move pages
 * and threads by what an iteration accesses (XYLEM_ENGINES; docs/counting.md). They find iterations
 * by themselves in the sequence of parallel regions; whoever says them once is believed from then
 * on. By the program's first thread, outside of regions; elsewhere, and without engines, it does
 * nothing. Fortran: call xylem_iteration() */
void xylem_iteration(void);

#ifdef __cplusplus
}
#endif

#endif
