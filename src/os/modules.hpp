// Owns: what the modules of this process (program and libraries) need of a thread.
#pragma once

#include <cstdint>

namespace xylem::os {

// What the loaded modules need of thread-local storage (DESIGN section 5).
enum class TlsNeed : uint8_t { none, cxx_library, program };

// Looks at every loaded module. `program` if one has thread-local data, or calls what libc keeps by
// thread: keys (pthread_getspecific), a thread's locale, mutexes that know their owner. Modules
// whose thread-local data no program can see (libc, the loader, OpenMP runtimes, this library,
// libudev that hwloc brings, oneTBB's allocator, which is right about kernel threads as no fiber is
// switched inside it) do not count. Takes the loader's lock: up to milliseconds for
// programs with very many relocations.
TlsNeed look_at_modules();

// Number of modules ever loaded; changes when look_at_modules() may answer differently.
uint64_t module_generation();

}  // namespace xylem::os
