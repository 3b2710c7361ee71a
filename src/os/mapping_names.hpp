// Owns: nothing: libc's declarations of mmap() and its like, for libxylem-arrays.so, which defines
// these names in libc's place.
#pragma once

#include <sys/mman.h>
