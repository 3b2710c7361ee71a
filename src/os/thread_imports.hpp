// Owns: which imports of a module mean that its threads see the kernel thread they are on.
//
// A fiber goes from kernel thread to kernel thread; what a program sets for its kernel thread (a
// signal mask, a signal stack, processors, a name, a scheduling class) stays behind, and what names
// one (a pthread_t given to another thread, a stack's bounds) names the wrong one. Such a program
// is given kernel threads. Counted are
//   the modules that call OpenMP themselves, if they import anything of that kind;
//   others only if they are a collector's: they describe threads' stacks and signal threads;
//   and any module with mutexes whose owner the kernel must know: robust ones, and those with
//   priorities. No fiber can own these, so these need kernel threads whatever the user says.
// Other libraries set such things for threads that they start, or put back what they changed before
// they return: libpython, libglib, libLLVM and some sixty more of Debian's do.
// Not counted: what is reached by syscall() or dlsym(), and what only reads what all of our kernel
// threads have in common (sched_getaffinity).
#pragma once

#include <cstdint>

namespace xylem::os {

// Of kernel threads for OpenMP threads: by what modules import.
enum class KernelThreadNeed : uint8_t { none, wanted, required };

// True for a symbol that ThreadImports counts, but for OpenMP's own.
bool sees_kernel_thread(const char* symbol);

class ThreadImports {
 public:
  // Called for each symbol that one module imports.
  void add(const char* symbol);

  // The symbol for which the module is given kernel threads; null: none. Static.
  const char* reason() const;
  KernelThreadNeed need() const;

 private:
  const char* kernel_owned_ = nullptr;  // mutexes
  bool calls_openmp_ = false;
  const char* sets_state_ = nullptr;
  bool describes_stack_ = false;
  bool signals_ = false;
};

}  // namespace xylem::os
