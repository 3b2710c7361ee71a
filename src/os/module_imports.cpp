// See module_imports.hpp.
#include "os/module_imports.hpp"

namespace xylem::os {

namespace {

// Calls visit(entry) for each entry of the module's dynamic section.
template <typename Visit>
void each_dynamic(const dl_phdr_info& module, Visit visit) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) visit(*entry);
  }
}

}  // namespace

// Volatile, lest the compiler make strlen() of it, which libtsan sees.
__attribute__((no_sanitize("thread"))) std::string_view path_of(const dl_phdr_info& module) {
  const char* path = module.dlpi_name;
  if (path == nullptr) return {};
  const volatile char* end = path;
  while (*end != 0) ++end;
  return {path, static_cast<size_t>(end - path)};
}

Imports imports_of(const dl_phdr_info& module) {
  Imports imports;
  each_dynamic(module, [&imports](const ElfW(Dyn) & entry) {
    const auto pointer = entry.d_un.d_ptr;  // glibc has relocated these in place
    switch (entry.d_tag) {
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
        imports.bytes[0] = entry.d_un.d_val;
        break;
      case DT_RELA:
        imports.tables[1] = reinterpret_cast<const ElfW(Rela)*>(pointer);
        break;
      case DT_RELASZ:
        imports.bytes[1] = entry.d_un.d_val;
        break;
      default:
        break;
    }
  });
  return imports;
}

// By a flag where it has initial-exec data; data by descriptor shows in the relocations alone.
bool binds_thread_data(const dl_phdr_info& module) {
  bool binds = false;
  each_dynamic(module, [&binds](const ElfW(Dyn) & entry) {
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_STATIC_TLS)) binds = true;
  });
  const Imports imports = imports_of(module);
  if (binds || !imports.readable()) return binds;
  for (int t = 0; t < 2; ++t) {
    const size_t count = imports.tables[t] ? imports.bytes[t] / sizeof(ElfW(Rela)) : 0;
    for (size_t i = 0; i < count; ++i)
      if (ELF64_R_TYPE(imports.tables[t][i].r_info) == R_X86_64_TLSDESC) return true;
  }
  return false;
}

const char* needed_library(const dl_phdr_info& module, bool (*wanted)(std::string_view name)) {
  const Imports imports = imports_of(module);
  const char* found = nullptr;
  if (!imports.readable()) return nullptr;
  each_dynamic(module, [&](const ElfW(Dyn) & entry) {
    if (entry.d_tag != DT_NEEDED || found) return;
    const char* name = imports.strings + entry.d_un.d_val;
    if (wanted(name)) found = name;
  });
  return found;
}

}  // namespace xylem::os
