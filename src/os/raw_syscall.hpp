// Owns: entering the kernel without libc, so that errno stays the program's.
// Invariant: a call here reads and writes no thread-local variable.
#pragma once

namespace xylem::os {

// Six-argument system call. Returns the kernel's answer: >= 0, or -errno. May be called before a
// sanitizer is set up.
__attribute__((no_sanitize("thread"))) inline long raw_syscall(long number, long a = 0, long b = 0,
                                                               long c = 0, long d = 0, long e = 0,
                                                               long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
#error "Xylem runs on x86-64 for now: add this architecture's system call here."
#endif
}

}  // namespace xylem::os
