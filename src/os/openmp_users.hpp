// Owns: which modules of this process call OpenMP, and whose functions they get.
//
// Told by what the loader has bound: where a program opens a library with RTLD_DEEPBIND, or was
// started without Xylem before all other libraries, a module may get another runtime's functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xylem::os {

struct OpenMpUser {
  std::string_view path;   // of the module; empty: the program itself
  const char* asks_for;    // the runtime that the module names among what it needs; null: none
  std::string_view other;  // the runtime whose functions it calls; empty: Xylem's
  std::string_view xylem;  // the path of Xylem's library
  bool xylem_first;        // whether Xylem comes before all other libraries of the process
};

// True if a module that is in the process now names libgomp among what it needs.
bool libgomp_is_needed();

// True if a libgomp that is not Xylem is in the process, under its own name or a wheel's. Its
// constructor has run, whoever serves its callers.
bool other_libgomp_is_loaded();

class OpenMpUsers {
 public:
  // Calls tell(user, raw) for each module that has called OpenMP and was not told of before. The
  // strings are valid during the call, which may not load or look up anything: the loader's lock
  // is held. True if there are modules that may call OpenMP and have not yet. Two calls may not be
  // under way at once.
  bool scan(void (*tell)(const OpenMpUser& user, void* raw), void* raw);

 private:
  std::vector<uint64_t> known_;  // load addresses of modules that need no second scan
};

// Whether modules of this process name LLVM's or Intel's runtime among what they need, and none
// names GCC's. Of those that are loaded now.
bool only_llvm_is_needed();

}  // namespace xylem::os
