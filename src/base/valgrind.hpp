// Owns: what Valgrind must be told of stacks that it has not seen made, where its header is there
// when the library is built. Outside of Valgrind it is a few instructions that do nothing.
#pragma once

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace xylem::base {

// [low, high) is a stack from now on, for good. Valgrind takes a switch to a stack that it does not
// know, and that is less than 2 MB from the one before, for calls or returns, and calls what is
// between uninitialised or out of bounds.
inline void valgrind_knows_stack([[maybe_unused]] char* low, [[maybe_unused]] char* high) {
#if defined(VALGRIND_STACK_REGISTER)
  VALGRIND_STACK_REGISTER(low, high - 1);
#endif
}

}  // namespace xylem::base
