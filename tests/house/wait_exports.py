"""libxylem-wait.so defines the blocking calls and its one door, libxylem-arrays.so those that give memory and its five doors;
each needs libc alone.

wait_exports.py LIBRARY
"""
import subprocess
import sys

CALLS = """
sched_yield pthread_yield thrd_yield nanosleep clock_nanosleep usleep sleep thrd_sleep
pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock pthread_mutex_unlock
mtx_lock mtx_timedlock mtx_unlock
pthread_cond_wait@@GLIBC_2.3.2 pthread_cond_timedwait@@GLIBC_2.3.2 pthread_cond_clockwait
pthread_cond_signal@@GLIBC_2.3.2 pthread_cond_broadcast@@GLIBC_2.3.2
cnd_wait cnd_timedwait cnd_signal cnd_broadcast
pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait
sem_wait sem_timedwait sem_clockwait sem_post
pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock
pthread_rwlock_wrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock pthread_rwlock_unlock
xylem_wait_install_3
"""
MEMORY = """
malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign mmap mmap64 munmap mremap madvise
_Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
xylem_arrays_visit_1 xylem_arrays_listen_1 xylem_arrays_allocator_1 xylem_arrays_hold_1 xylem_arrays_let_go_1
"""


def lines(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout.splitlines()


def main():
    library = sys.argv[1]
    promised = set((MEMORY if "arrays" in library else CALLS).split())
    present = {line.split()[2] for line in lines("nm", "-D", "--defined-only", library)
               if line.split()[1] != "A"}
    found = [f"{name}: not defined" for name in sorted(promised - present)]
    found += [f"{name}: defined, and nobody asked for it" for name in sorted(present - promised)]
    found += [f"it needs {line.split('[')[1].rstrip(']')}"
              for line in lines("readelf", "-dW", library)
              if "(NEEDED)" in line and "[libc.so." not in line]
    for problem in found:
        print(f"PROBLEM {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
