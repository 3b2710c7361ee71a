// Owns: reading the loaded modules' headers and relocations. See modules.hpp.
#include "os/modules.hpp"

#include <link.h>
#include <string.h>

#include <algorithm>
#include <initializer_list>

#include "os/thread_imports.hpp"

namespace xylem::os {

namespace {

bool named_like(const char* path, const char* stem) {
  const char* slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, stem, strlen(stem)) == 0;
}

// libgcc_s calls pthread_getspecific for emulated thread-local storage alone, whose users call
// __emutls_get_address.
bool invisible_to_programs(const char* path) {
  for (const char* stem : {"libc.so", "libm.so", "ld-linux", "libxylem", "libgomp.so", "libomp.so",
                           "libiomp5.so", "libhwloc.so", "libudev.so", "libtbbmalloc.so",
                           "libpthread.so", "libgcc_s.so", "libasan", "libtsan", "libubsan"})
    if (named_like(path, stem)) return true;
  return false;
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

// The parts of a module's dynamic section that name what it calls.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of the procedure linkage table, and the others
  size_t bytes[2] = {};
};

Imports imports_of(const dl_phdr_info& info) {
  Imports imports;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto pointer = entry->d_un.d_ptr;  // glibc has relocated these in place
      switch (entry->d_tag) {
        case DT_SYMTAB:
          imports.symbols = reinterpret_cast<const ElfW(Sym)*>(pointer);
          break;
        case DT_STRTAB:
          imports.strings = reinterpret_cast<const char*>(pointer);
          break;
        case DT_JMPREL:
          imports.tables[0] = reinterpret_cast<const ElfW(Rela)*>(pointer);
          break;
        case DT_PLTRELSZ:
          imports.bytes[0] = entry->d_un.d_val;
          break;
        case DT_RELA:
          imports.tables[1] = reinterpret_cast<const ElfW(Rela)*>(pointer);
          break;
        case DT_RELASZ:
          imports.bytes[1] = entry->d_un.d_val;
          break;
        default:
          break;
      }
    }
  }
  return imports;
}

// Calls stop(symbol) for each symbol that the module imports, until one is true.
template <typename Stop>
bool any_import(const dl_phdr_info& info, Stop stop) {
  const Imports imports = imports_of(info);
  // The kernel's own module (vDSO) is not relocated; it calls nothing.
  if (!imports.symbols || !imports.strings || imports.strings < reinterpret_cast<char*>(4096))
    return false;
  for (int t = 0; t < 2; ++t) {
    const size_t count = imports.tables[t] ? imports.bytes[t] / sizeof(ElfW(Rela)) : 0;
    for (size_t i = 0; i < count; ++i) {
      const auto symbol = ELF64_R_SYM(imports.tables[t][i].r_info);
      if (symbol == 0 || imports.symbols[symbol].st_shndx != SHN_UNDEF) continue;
      if (stop(imports.strings + imports.symbols[symbol].st_name)) return true;
    }
  }
  return false;
}

int look_at_module(dl_phdr_info* info, size_t, void* raw) {
  auto& need = *static_cast<TlsNeed*>(raw);
  if (invisible_to_programs(info->dlpi_name) || named_like(info->dlpi_name, "linux-vdso")) return 0;
  if (!has_thread_local_data(*info) && !any_import(*info, tells_threads_apart)) return 0;
  need = TlsNeed::own_blocks;
  return 1;  // no need to look further
}

int look_for_thread_state(dl_phdr_info* info, size_t, void* raw) {
  auto& need = *static_cast<KernelThreadNeed*>(raw);
  if (invisible_to_programs(info->dlpi_name) || named_like(info->dlpi_name, "linux-vdso")) return 0;
  ThreadImports imports;
  any_import(*info, [&imports](const char* symbol) {
    imports.add(symbol);
    return false;
  });
  need = std::max(need, imports.need());
  return 0;
}

}  // namespace

KernelThreadNeed look_for_kernel_threads() {
  KernelThreadNeed need = KernelThreadNeed::none;
  dl_iterate_phdr(look_for_thread_state, &need);
  return need;
}

TlsNeed look_at_modules() {
  TlsNeed need = TlsNeed::none;
  dl_iterate_phdr(look_at_module, &need);
  return need;
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
