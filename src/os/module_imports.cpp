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

const char* needed_library(const dl_phdr_info& module, bool (*wanted)(const char* name)) {
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
