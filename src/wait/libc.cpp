// Owns: the look-up. See libc.hpp.
#include "wait/libc.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <atomic>
#include <cstdint>

// os::AllocatorBehind. A weak symbol: dlsym() of a name that nobody defines allocates, and this
// file is asked from inside allocators.
extern "C" [[gnu::weak]] const void* xylem_arrays_allocator_1();

namespace xylem::wait {

namespace {

constinit Libc functions{};
// Set (release) when all are known; pairs with the acquire in libc(). Threads that look up at the
// same time write the same.
constinit std::atomic<bool> known{false};

template <typename Function>
void find(Function*& slot, const char* name) {
  slot = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Of which module a function is.
const void* module_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

// Where libc has the function in two versions, of which the older knows another condition variable:
// whoever comes between this library and libc, as a sanitizer does, else libc's newer one.
template <typename Function>
void find(Function*& slot, const char* name, const char* version) {
  const void* next = dlsym(RTLD_NEXT, name);
  const void* newer = dlvsym(RTLD_NEXT, name, version);
  const bool passes_nobody = !next || module_of(next) == module_of(newer);
  slot = reinterpret_cast<Function*>(const_cast<void*>(newer && passes_nobody ? newer : next));
}

void find_waits(Libc& libc) {
  find(libc.sched_yield, "sched_yield");
  find(libc.nanosleep, "nanosleep");
  find(libc.clock_nanosleep, "clock_nanosleep");
  find(libc.usleep, "usleep");
  find(libc.sleep, "sleep");
  find(libc.thrd_sleep, "thrd_sleep");
  find(libc.barrier_init, "pthread_barrier_init");
  find(libc.barrier_destroy, "pthread_barrier_destroy");
  find(libc.barrier_wait, "pthread_barrier_wait");
  find(libc.sem_wait, "sem_wait");
  find(libc.sem_trywait, "sem_trywait");
  find(libc.sem_timedwait, "sem_timedwait");
  find(libc.sem_clockwait, "sem_clockwait");
  find(libc.sem_post, "sem_post");
}

void find_locks(Libc& libc) {
  find(libc.mutex_lock, "pthread_mutex_lock");
  find(libc.mutex_trylock, "pthread_mutex_trylock");
  find(libc.mutex_timedlock, "pthread_mutex_timedlock");
  find(libc.mutex_clocklock, "pthread_mutex_clocklock");
  find(libc.mutex_unlock, "pthread_mutex_unlock");
  find(libc.cond_wait, "pthread_cond_wait", "GLIBC_2.3.2");
  find(libc.cond_timedwait, "pthread_cond_timedwait", "GLIBC_2.3.2");
  find(libc.cond_clockwait, "pthread_cond_clockwait");
  find(libc.cond_signal, "pthread_cond_signal", "GLIBC_2.3.2");
  find(libc.cond_broadcast, "pthread_cond_broadcast", "GLIBC_2.3.2");
  find(libc.rwlock_rdlock, "pthread_rwlock_rdlock");
  find(libc.rwlock_tryrdlock, "pthread_rwlock_tryrdlock");
  find(libc.rwlock_timedrdlock, "pthread_rwlock_timedrdlock");
  find(libc.rwlock_clockrdlock, "pthread_rwlock_clockrdlock");
  find(libc.rwlock_wrlock, "pthread_rwlock_wrlock");
  find(libc.rwlock_trywrlock, "pthread_rwlock_trywrlock");
  find(libc.rwlock_timedwrlock, "pthread_rwlock_timedwrlock");
  find(libc.rwlock_clockwrlock, "pthread_rwlock_clockwrlock");
  find(libc.rwlock_unlock, "pthread_rwlock_unlock");
}

// The modules that allocate: whoever defines malloc, and what oneTBB's proxy calls.
struct Allocators {
  static constexpr int most = 4;
  struct Range {
    uintptr_t low, high;
  };
  Range ranges[most];
  int count;
};
constinit Allocators allocators{};

Allocators::Range range_of(const dl_phdr_info& module) {
  Allocators::Range range{UINTPTR_MAX, 0};
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& part = module.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const uintptr_t low = module.dlpi_addr + part.p_vaddr;
    if (low < range.low) range.low = low;
    if (low + part.p_memsz > range.high) range.high = low + part.p_memsz;
  }
  return range;
}

bool has(const Allocators::Range& range, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return at >= range.low && at < range.high;
}

// libxylem-arrays.so hands calls of malloc() on.
const void* malloc_in_earnest() {
  const void* behind = xylem_arrays_allocator_1 ? xylem_arrays_allocator_1() : nullptr;
  return behind ? behind : dlsym(RTLD_DEFAULT, "malloc");
}

int record_if_allocator(dl_phdr_info* module, size_t, void* raw) {
  auto& found = *static_cast<Allocators*>(raw);
  const Allocators::Range range = range_of(*module);
  const bool is_libc = has(range, reinterpret_cast<const void*>(functions.mutex_lock));
  const bool defines = has(range, malloc_in_earnest());
  const bool helps = module->dlpi_name && strstr(module->dlpi_name, "/libtbbmalloc");
  if (!is_libc && (defines || helps) && found.count < Allocators::most)
    found.ranges[found.count++] = range;
  return 0;
}

void look_up() {
  find_locks(functions);
  find_waits(functions);
  Allocators found{};
  dl_iterate_phdr(record_if_allocator, &found);
  allocators = found;
  known.store(true, std::memory_order_release);
}

[[gnu::constructor]] void on_load() { libc(); }

}  // namespace

const Libc& libc() {
  if (!known.load(std::memory_order_acquire)) [[unlikely]]
    look_up();
  return functions;
}

bool is_allocator(const void* code) {
  for (int i = 0; i < allocators.count; ++i)
    if (has(allocators.ranges[i], code)) return true;
  return false;
}

int libc_thread_id() {
  pthread_mutex_t probe = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  libc().mutex_lock(&probe);
  const int owner = probe.__data.__owner;
  libc().mutex_unlock(&probe);
  return owner;
}

}  // namespace xylem::wait
