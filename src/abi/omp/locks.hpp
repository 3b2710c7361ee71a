// What locks.cpp has for locks of every shape, for entry points with other names.
#pragma once

#include "omp/sync/lock.hpp"

extern "C" {

void xylem_init_lock(xylem::omp::LockWord* lock);
void xylem_destroy_lock(xylem::omp::LockWord* lock);
void xylem_set_lock(xylem::omp::LockWord* lock);
void xylem_unset_lock(xylem::omp::LockWord* lock);
int xylem_test_lock(xylem::omp::LockWord* lock);

// `storage` is 8 bytes that hold the address of a nested lock.
void xylem_init_boxed_nest_lock(void* storage);
void xylem_destroy_boxed_nest_lock(void* storage);
void xylem_set_boxed_nest_lock(void* storage);
void xylem_unset_boxed_nest_lock(void* storage);
int xylem_test_boxed_nest_lock(void* storage);

}  // extern "C"
