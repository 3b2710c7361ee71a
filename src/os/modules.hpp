// Owns: what the modules of this process (program and libraries) need of a thread.
#pragma once

#include <array>
#include <cstdint>

#include "os/thread_imports.hpp"

namespace xylem::os {

// What the loaded modules need of thread-local storage (DESIGN section 5).
enum class TlsNeed : uint8_t { none, own_blocks };

// Looks at every loaded module. `own_blocks` if one can tell threads apart: it has thread-local
// data (as C++ libraries do), or imports data that libc keeps by thread (errno, keys, a locale), a
// thread's identity, locks that know their owner, or dlopen(), which may bring such a module later.
// Modules whose thread-local data no program can see (libc, the loader, OpenMP runtimes, this
// library, libudev that hwloc brings, oneTBB's allocator, which is right about kernel threads as no
// fiber is switched inside it) do not count. Takes the loader's lock: up to milliseconds for
// programs with very many relocations.
TlsNeed scan_modules();

// Which module needs a kernel thread for each OpenMP thread most, and the import that says so.
struct ThreadNeed {
  KernelThreadNeed need = KernelThreadNeed::none;
  const char* symbol = nullptr;   // null: none does; static
  std::array<char, 64> module{};  // the file's name, cut to fit; the program's: "the program"
};
// Takes the loader's lock, as scan_modules() does.
ThreadNeed scan_for_kernel_threads();

// Whether a module has thread-local data of its own, which a thread may have filled: any but those
// that no program can see, and the C++ library's, which is about the exception that is handled.
// Takes the loader's lock.
bool modules_keep_data_by_thread();

// Whether a module asks for stacks that code may run on, as compilers do where the address of a
// function that is nested in another is taken (GNU C, Fortran's internal procedures): the code that
// finds the outer function's variables is written to the stack. A module that says nothing asks for
// it, too, as the loader has it. Takes the loader's lock.
bool modules_run_code_on_stacks();

// Number of modules ever loaded; changes when scan_modules() may answer differently.
uint64_t module_generation();

}  // namespace xylem::os
