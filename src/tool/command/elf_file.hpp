// What the loader would find in an ELF file, as far as the command needs it.
//
// Owns: ElfFile and its reader. Invariant: every offset of the file is checked against its size;
// a damaged file gives what could be read, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xylem::tool {

struct ElfFile {
  struct Version {
    std::string library;  // of which library ("libgomp.so.1")
    std::string name;     // "GOMP_4.5"
  };

  bool is_64 = false;
  bool same_machine = false;  // could run with this command's own libraries
  std::uint16_t machine = 0;  // EM_*
  std::uint16_t type = 0;     // ET_*
  bool has_interpreter = false;
  bool has_dynamic = false;
  std::string soname;
  std::vector<std::string> needed;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::vector<Version> needs_versions;
  // Only names that speak of OpenMP or OpenACC, those by which a program opens libraries or starts
  // programs, and those by which it sees its kernel thread; see is_interesting() in the source.
  std::vector<std::string> undefined;
  std::vector<std::string>
      defined;  // functions, if they were asked for; only names that speak of OpenMP or OpenACC

  // Nothing can be preloaded into it.
  bool is_static() const { return !has_interpreter && type != 4 /* ET_CORE */; }
};

// Of the thousands of symbols that a library defines none is of interest here; a program may have a
// runtime inside.
enum class Symbols : std::uint8_t { undefined, all };

// nullopt if the bytes are no ELF file. Only files of this machine are read past their header.
std::optional<ElfFile> read_elf(std::span<const std::byte> bytes, Symbols symbols = Symbols::all);

// The names of the versions ("GOMP_4.5") that a file of this machine defines; none of any other.
// Nothing else is read: a library with its debug information has megabytes of symbols.
std::vector<std::string> defined_versions(std::span<const std::byte> bytes);

// "x86-64", "AArch64" ...; "machine 243" for what has no name here.
std::string machine_name(std::uint16_t machine, bool is_64);

}  // namespace xylem::tool
