// Owns: reading what a loaded module imports. For files of os/ alone that walk the loader's list.
#pragma once

#include <link.h>

#include <cstddef>
#include <string_view>

namespace xylem::os {

// One import: its name, and the word that holds its address once the loader has bound it. A module
// whose functions are bound when first called has an address of its own there until then.
struct Import {
  const char* symbol;
  const void* const* word;
};

// The parts of a module's dynamic section that name what it calls.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of the procedure linkage table, and the others
  size_t bytes[2] = {};

  // False for the kernel's own module (vDSO), which is not relocated and calls nothing.
  bool readable() const {
    return symbols && strings && strings >= reinterpret_cast<const char*>(4096);
  }
};

Imports imports_of(const dl_phdr_info& module);

// The module's path; empty: the program itself. Valid while the loader's list is walked. By this
// alone: libtsan forgets what it knows of a path before it calls who walks, but not of the byte
// that ends it.
std::string_view path_of(const dl_phdr_info& module);

// The first of the libraries that the module needs that is wanted, by name; null: none.
const char* needed_library(const dl_phdr_info& module, bool (*wanted)(std::string_view name));

// Whether the module has the loader keep some thread-local data, its own or another module's, at
// one distance from every thread pointer.
bool binds_thread_data(const dl_phdr_info& module);

// Calls stop(import) for each import of the module, until one is true.
template <typename Stop>
bool any_import(const dl_phdr_info& module, Stop stop) {
  const Imports imports = imports_of(module);
  if (!imports.readable()) return false;
  for (int t = 0; t < 2; ++t) {
    const size_t count = imports.tables[t] ? imports.bytes[t] / sizeof(ElfW(Rela)) : 0;
    for (size_t i = 0; i < count; ++i) {
      const ElfW(Rela)& entry = imports.tables[t][i];
      const auto symbol = ELF64_R_SYM(entry.r_info);
      if (symbol == 0 || imports.symbols[symbol].st_shndx != SHN_UNDEF) continue;
      if (stop(Import{imports.strings + imports.symbols[symbol].st_name,
                      reinterpret_cast<const void* const*>(module.dlpi_addr + entry.r_offset)}))
        return true;
    }
  }
  return false;
}

}  // namespace xylem::os
