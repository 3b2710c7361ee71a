// All files the loader would map for a program, found as the loader finds them.
//
// Owns: Closure and the search: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, default
// folders, with $ORIGIN and $LIB. Libraries that the program opens later (dlopen) are not seen.
#pragma once

#include <string>
#include <vector>

#include "tool/command/elf_file.hpp"

namespace xylem::tool {

struct LoadedFile {
  std::string path;
  std::string name;  // as asked for, "libgomp.so.1"; the program's own path for the first
  ElfFile elf;
  int asked_by = -1;  // index in Closure::files of who names it first
};

struct Closure {
  std::vector<LoadedFile> files;     // [0] is the program
  std::vector<std::string> missing;  // names found nowhere

  // The first file whose name starts with `prefix`, or nullptr.
  const LoadedFile* find(std::string_view prefix) const;
};

// library_path: what LD_LIBRARY_PATH holds. root: where /etc/ld.so.cache and the default folders
// are looked for, "" for the real ones.
Closure load_closure(const std::string& program, ElfFile elf, const std::string& library_path,
                     const std::string& root = "");

}  // namespace xylem::tool
