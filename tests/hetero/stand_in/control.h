/* Owns what tests tell the stand-in for libcuda.so.1 (cuda.cpp), and how they find it.
 *
 * XYLEM_STAND_IN_CUDA says what there is, in words of which each may be left out:
 *   devices=2     how many devices (1)
 *   memory=64M    what each says that it has (256M)
 *   really=6K     what it has (the same)
 *   delay=20      microseconds that each copy and kernel takes longer (0)
 *   integrated=1  they say that main memory is theirs (0)
 *   midway=1      a device goes when the kernel has run by which it goes, not before (0) */
#ifndef TESTS_HETERO_STAND_IN_CONTROL_H
#define TESTS_HETERO_STAND_IN_CONTROL_H

#include <dlfcn.h>

/* The device on which the kernel runs that comes after so many is gone from then on. */
typedef void stand_in_lose_after_function(int kernels);
/* So many copies fail from now on; their devices stay. */
typedef void stand_in_fail_copies_function(int copies);
/* How many devices are gone. */
typedef int stand_in_lost_function(void);
/* Copies between two devices that were made. */
typedef int stand_in_peer_copies_function(void);

/* The stand-in's function of that name; a null pointer: the process has another libcuda, or none.
 */
static inline void* stand_in(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library ? dlsym(library, name) : (void*)0;
}

#endif
