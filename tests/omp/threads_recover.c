/* Faults are the faulting thread's: a handler of SIGSEGV, SIGBUS, SIGFPE or SIGILL runs in it, sees
 * where, and brings it back, in every member, moved or not, and beside members that block. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static char* page[most_members];
static __thread sigjmp_buf back;
static __thread void* volatile met;

static void on_fault(int signal, siginfo_t* information, void* context) {
  (void)signal;
  (void)context;
  met = information->si_addr;
  siglongjmp(back, signal);
}

static void touch(int me) { *(volatile char*)(page[me] + 8 * me) = 1; }

/* The signal that came, 0 if none. */
static int fault_of(int kind, int me) {
  int signal = sigsetjmp(back, 1);
  if (signal != 0) return signal;
  volatile int zero = 0, number = 17;
  if (kind == SIGSEGV) touch(me);
  if (kind == SIGFPE) number = number / zero;
  if (kind == SIGILL) __asm__ volatile("ud2");
  return 0;
}

static void faults(int me, int turn) {
  static const int kind[3] = {SIGSEGV, SIGFPE, SIGILL};
  int expected = kind[(me + turn) % 3];
  expect_equal("the fault that came", fault_of(expected, me), expected);
  if (expected == SIGSEGV) expect_true("where it came", met == page[me] + 8 * me);
}

/* A page that a handler makes writable: the instruction goes on as if nothing had been. */
static void make_writable(int signal, siginfo_t* information, void* context) {
  (void)signal;
  (void)context;
  size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  char* start = (char*)((size_t)information->si_addr & ~(bytes - 1));
  if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0) _Exit(3);
}

static void catch_with(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigaction(signal, &action, NULL);
}

int main(void) {
  size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  begin_threads();
  for (int i = 0; i < members; i++)
    page[i] = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int kind = 0; kind < 3; kind++)
    catch_with(kind == 0 ? SIGSEGV : kind == 1 ? SIGFPE : SIGILL, on_fault);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int me = omp_get_thread_num();
    faults(me, turn);
    meet_and_move();
    /* Half block in the kernel, so that others run on kernel threads that came for them. */
    if (me % 2) syscall(SYS_poll, NULL, 0, 4);
    faults(me, turn + 1);
    meet_and_move();
  }
  catch_with(SIGSEGV, make_writable);
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    meet_and_move();
    if (me % 2) syscall(SYS_poll, NULL, 0, 4);
    touch(me);
    meet_and_move();
    expect_equal("written after the fault", page[me][8 * me], 1);
  }
  return expect_result();
}
