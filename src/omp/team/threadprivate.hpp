// Owns: threadprivate variables whose copies the compiled code asks the runtime for. (Where it uses
// thread-local data instead, the runtime sees nothing of them.)
//
// The program's first thread has the variable itself. Every other thread has a copy, which is found
// by an address in the thread's own thread-local data: so it lives as long as these do, from region
// to region.
#pragma once

#include <cstddef>

namespace xylem::omp {

// How copies of a variable begin and end. `how` is its owner's, and lives as long as the process.
struct CopyLifetime {
  // Null: a copy begins with the bytes that the variable had when any thread first asked for it.
  void (*begin)(void* copy, void* variable, const void* how) = nullptr;
  void (*end)(void* copy, const void* how) = nullptr;  // null: nothing is to be done
  const void* how = nullptr;
};

// Before the first thread asks for the variable. Again for the same one: nothing.
void declare_threadprivate(void* variable, const CopyLifetime& lifetime);

// The calling thread's copy. May run the program's code.
void* threadprivate_copy(void* variable, size_t bytes);

}  // namespace xylem::omp
