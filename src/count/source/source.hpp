// Owns: what every source of accesses is to the engines.
#pragma once

#include <cstdint>

#include "os/instrument_library.hpp"

namespace xylem::count {

// What a source has seen of an iteration. What follows from samples and touches is estimated
// (estimate.hpp), from those of many iterations.
enum class Sees : uint8_t {
  everything,  // each access
  samples,     // some accesses, each with the number that it stands for
  touches,     // who came next to some pages, once each
  pages        // of some iterations which pages were accessed, or written, once each, not by whom
};

struct Source {
  const char* name = nullptr;       // null: there is no source
  os::TakeAccesses take = nullptr;  // by the engines' thread
  Sees sees = Sees::everything;
  // A member of an outermost region begins, on its kernel thread; null: the source need not know.
  void (*member_begins)(int number) = nullptr;
};

}  // namespace xylem::count
