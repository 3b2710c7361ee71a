// Owns: what every source of accesses is to the engines.
#pragma once

#include <cstdint>

#include "os/instrument_library.hpp"

namespace xylem::count {

struct Source {
  const char* name = nullptr;       // null: there is no source
  os::TakeAccesses take = nullptr;  // by the engines' thread
  // Each access was seen. Otherwise some were, and estimate.hpp says what follows.
  bool is_exact = true;
  // A member of an outermost region begins, on its kernel thread; null: the source need not know.
  void (*member_begins)(int number) = nullptr;
};

}  // namespace xylem::count
