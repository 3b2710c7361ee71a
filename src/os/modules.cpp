// Owns: what in the loaded modules tells threads apart. See modules.hpp.
#include "os/modules.hpp"

#include <link.h>
#include <string.h>

#include <algorithm>
#include <initializer_list>

#include "os/module_imports.hpp"
#include "os/openmp_names.hpp"
#include "os/thread_imports.hpp"

namespace xylem::os {

namespace {

bool named_like(std::string_view path, std::string_view stem) {
  return file_of(path).starts_with(stem);
}

// libgcc_s calls pthread_getspecific for emulated thread-local storage alone, whose users call
// __emutls_get_address. A wheel brings hwloc and libudev under names of their own.
bool invisible_to_programs(std::string_view path) {
  for (const char* start : {"ld-linux", "libxylem", "libasan", "libtsan", "libubsan", "linux-vdso"})
    if (named_like(path, start)) return true;
  for (const char* stem :
       {"libc", "libm", "libhwloc", "libudev", "libtbbmalloc", "libpthread", "libgcc_s"})
    if (is_library(path, stem)) return true;
  return is_openmp_runtime(path);
}

bool has_thread_local_data(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_TLS && info.dlpi_phdr[i].p_memsz > 0) return true;
  return false;
}

// What a module that imports one of these can see of the thread it is on: data that libc keeps by
// thread, whose address it may keep; the thread's identity; locks that know their owner; how the
// thread ends, and its handlers; and libraries to come, which may import any of them.
constexpr const char* telling[] = {"__errno_location",
                                   "__h_errno_location",
                                   "__res_state",
                                   "dlerror",
                                   "strerror",
                                   "strerror_l",
                                   "strsignal",
                                   "inet_ntoa",
                                   "uselocale",
                                   "pthread_getspecific",
                                   "pthread_setspecific",
                                   "tss_get",
                                   "tss_set",
                                   "__emutls_get_address",
                                   "__tls_get_addr",
                                   "__kmpc_threadprivate",
                                   "__kmpc_threadprivate_cached",
                                   "__cxa_get_globals",
                                   "__cxa_thread_atexit",
                                   "__cxa_thread_atexit_impl",
                                   "pthread_self",
                                   "thrd_current",
                                   "pthread_mutex_lock",
                                   "pthread_mutex_trylock",
                                   "pthread_mutex_timedlock",
                                   "pthread_mutex_clocklock",
                                   "pthread_mutexattr_settype",
                                   "mtx_lock",
                                   "mtx_trylock",
                                   "mtx_timedlock",
                                   "pthread_rwlock_rdlock",
                                   "pthread_rwlock_wrlock",
                                   "pthread_rwlock_tryrdlock",
                                   "pthread_rwlock_trywrlock",
                                   "pthread_rwlock_timedrdlock",
                                   "pthread_rwlock_timedwrlock",
                                   "flockfile",
                                   "ftrylockfile",
                                   "pthread_exit",
                                   "thrd_exit",
                                   "pthread_cancel",
                                   "pthread_testcancel",
                                   "pthread_setcancelstate",
                                   "pthread_setcanceltype",
                                   "__pthread_register_cancel",
                                   "dlopen",
                                   "dlmopen"};

bool tells_threads_apart(const char* symbol) {
  for (const char* name : telling)
    if (strcmp(symbol, name) == 0) return true;
  return false;
}

int scan_module(dl_phdr_info* info, size_t, void* raw) {
  auto& need = *static_cast<TlsNeed*>(raw);
  if (invisible_to_programs(path_of(*info))) return 0;
  if (!has_thread_local_data(*info) &&
      !any_import(*info, [](const Import& import) { return tells_threads_apart(import.symbol); }))
    return 0;
  need = TlsNeed::own_blocks;
  return 1;  // no need to look further
}

int scan_for_thread_state(dl_phdr_info* info, size_t, void* raw) {
  auto& greatest = *static_cast<ThreadNeed*>(raw);
  const std::string_view path = path_of(*info);
  if (invisible_to_programs(path)) return 0;
  ThreadImports imports;
  any_import(*info, [&imports](const Import& import) {
    imports.add(import.symbol);
    return false;
  });
  if (imports.need() <= greatest.need) return 0;
  greatest = {.need = imports.need(), .symbol = imports.reason()};
  const std::string_view name = path.empty() ? "the program" : file_of(path);
  name.copy(greatest.module.data(), greatest.module.size() - 1);
  return 0;
}

}  // namespace

ThreadNeed scan_for_kernel_threads() {
  ThreadNeed greatest;
  dl_iterate_phdr(scan_for_thread_state, &greatest);
  return greatest;
}

TlsNeed scan_modules() {
  TlsNeed need = TlsNeed::none;
  dl_iterate_phdr(scan_module, &need);
  return need;
}

bool modules_keep_data_by_thread() {
  const auto keeps = [](dl_phdr_info* info, size_t, void*) {
    return static_cast<int>(has_thread_local_data(*info) &&
                            !invisible_to_programs(path_of(*info)) &&
                            !is_library(path_of(*info), "libstdc++"));
  };
  return dl_iterate_phdr(keeps, nullptr) != 0;
}

namespace {

bool runs_code_on_stacks(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_GNU_STACK) return (info.dlpi_phdr[i].p_flags & PF_X) != 0;
  return !named_like(path_of(info), "linux-vdso");  // the kernel's, which never says
}

}  // namespace

bool modules_run_code_on_stacks() {
  const auto asks = [](dl_phdr_info* info, size_t, void*) {
    return static_cast<int>(runs_code_on_stacks(*info));
  };
  return dl_iterate_phdr(asks, nullptr) != 0;
}

uint64_t module_generation() {
  uint64_t adds = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_adds;
        return 1;
      },
      &adds);
  return adds;
}

}  // namespace xylem::os
