// See openmp_users.hpp.
#include "os/openmp_users.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "os/module_imports.hpp"
#include "os/openmp_names.hpp"

namespace xylem::os {

namespace {

bool holds(const dl_phdr_info& module, const void* address) {
  const auto at = reinterpret_cast<ElfW(Addr)>(address) - module.dlpi_addr;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && at - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

// Where an address belongs. A walk inside a walk: the loader's lock may be taken twice, while that
// of dladdr() must not be taken under it.
struct Owner {
  const void* address;
  std::string_view path{};  // empty: the program's, or no module's
};

Owner owner_of(const void* address) {
  Owner owner{address};
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* raw) {
        auto& asked = *static_cast<Owner*>(raw);
        if (!holds(*module, asked.address)) return 0;
        asked.path = path_of(*module);
        return 1;
      },
      &owner);
  return owner;
}

bool is_vdso(std::string_view path) { return path.starts_with("linux-vdso"); }

// The first library behind the program itself, which is the first that names are looked up in.
std::string_view first_library() {
  std::string_view first;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* raw) {
        const std::string_view path = path_of(*module);
        if (path.empty() || is_vdso(path)) return 0;
        *static_cast<std::string_view*>(raw) = path;
        return 1;
      },
      &first);
  return first;
}

// Whose function the module calls: Xylem's or another runtime's; empty: none was bound yet.
std::string_view server_of(const dl_phdr_info& module, std::string_view xylem, bool& calls_openmp) {
  std::string_view server;
  any_import(module, [&](const Import& import) {
    if (!is_openmp_function(import.symbol)) return false;
    calls_openmp = true;
    if (*import.word == nullptr || holds(module, *import.word)) return false;
    const std::string_view path = owner_of(*import.word).path;
    if (!path.empty() && (path == xylem || is_openmp_runtime(path))) server = path;
    return !server.empty();
  });
  return server;
}

struct Scan {
  std::vector<uint64_t>& known;
  void (*tell)(const OpenMpUser&, void*);
  void* raw;
  OpenMpUser user;
  bool open = false;  // some may call OpenMP later
};

int scan_one(dl_phdr_info* module, size_t, void* raw) {
  auto& scan = *static_cast<Scan*>(raw);
  std::vector<uint64_t>& known = scan.known;
  const std::string_view path = path_of(*module);
  if (std::find(known.begin(), known.end(), module->dlpi_addr) != known.end()) return 0;
  OpenMpUser& user = scan.user;
  bool calls_openmp = false;
  const bool serves = path == user.xylem || is_openmp_runtime(path);
  const std::string_view server = serves ? "" : server_of(*module, user.xylem, calls_openmp);
  if (calls_openmp && server.empty()) {
    scan.open = true;
    return 0;
  }
  known.push_back(module->dlpi_addr);
  if (server.empty()) return 0;
  user.path = path;
  user.asks_for = needed_library(*module, is_openmp_runtime);
  user.other = server == user.xylem ? "" : server;
  scan.tell(user, scan.raw);
  return 0;
}

bool is_libgomp(std::string_view name) { return is_library(name, "libgomp"); }

}  // namespace

// By libc's own walk: the program may have a dl_iterate_phdr of its own, which is not to be called
// before the program's constructors have run.
bool libgomp_is_needed() {
  void* found = dlsym(RTLD_NEXT, "dl_iterate_phdr");
  const auto walk = found ? reinterpret_cast<decltype(&dl_iterate_phdr)>(found) : dl_iterate_phdr;
  return walk([](dl_phdr_info* module, size_t,
                 void*) { return needed_library(*module, is_libgomp) != nullptr ? 1 : 0; },
              nullptr) != 0;
}

bool other_libgomp_is_loaded() {
  return dl_iterate_phdr(
             [](dl_phdr_info* module, size_t, void*) {
               const bool other =
                   is_libgomp(path_of(*module)) &&
                   !holds(*module, reinterpret_cast<const void*>(&other_libgomp_is_loaded));
               return other ? 1 : 0;
             },
             nullptr) != 0;
}

bool OpenMpUsers::scan(void (*tell)(const OpenMpUser&, void*), void* raw) {
  const std::string_view xylem = owner_of(reinterpret_cast<const void*>(&scan_one)).path;
  Scan scan{known_, tell, raw, {{}, nullptr, {}, xylem, first_library() == xylem}};
  dl_iterate_phdr(scan_one, &scan);
  return scan.open;
}

bool only_llvm_is_needed() {
  struct Needed {
    bool llvm = false, gnu = false;
  } needed;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* raw) {
        auto& found = *static_cast<Needed*>(raw);
        found.llvm |= needed_library(*module, [](std::string_view name) {
                        return is_library(name, "libomp") || is_library(name, "libiomp5");
                      }) != nullptr;
        found.gnu |= needed_library(*module, is_libgomp) != nullptr;
        return 0;
      },
      &needed);
  return needed.llvm && !needed.gnu;
}

}  // namespace xylem::os
