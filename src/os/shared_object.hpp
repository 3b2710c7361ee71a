// Loading a shared object that the user named, or that the runtime can use where it is installed.
//
// Owns: load_object(), load_library(), open_library(), find_symbol(). Invariant: an object that was
// loaded stays for ever, so addresses in it do; but for what open_library() gave, until it is
// closed.
#pragma once

#include <span>

#include "os/files.hpp"

namespace xylem::os {

// The file of that name in the folder of the library that this is a part of. False: it is not
// known.
bool path_beside_this_library(const char* name, PathBuffer& path);

enum class ObjectState {
  loaded,     // `symbol` is there
  missing,    // no such file
  unusable,   // the loader refuses it: `why` has its words
  no_symbol,  // it does not define the symbol
};

struct LoadedObject {
  ObjectState state = ObjectState::missing;
  const void* symbol = nullptr;
};

// Loads the file and looks for the symbol. `path` has a slash, so that the loader looks nowhere
// else. All that the object needs is bound at once; nobody else sees its symbols. Runs the object's
// constructors and takes the loader's lock. What the loader says when it refuses goes to `why`, cut
// to fit and ended by a zero. Precondition: `why` is not empty.
LoadedObject load_object(const char* path, const char* symbol, std::span<char> why);

// Loads a library that the loader finds by its name and looks every name of `symbols` up:
// found[i] is the address of symbols[i]. False if the library or one of the symbols is missing.
// Bound and seen as with load_object(); the caller holds no lock, as constructors run and the
// loader's lock is taken. Precondition: both spans have one size.
bool load_library(const char* name, std::span<const char* const> symbols, std::span<void*> found);

// A library that may go again, if it is of no use. The loader looks for a name without a slash
// where it looks for libraries. Null if it refuses: loader_error() says why.
void* open_library(const char* name);
// Null if the library does not define the symbol: loader_error() says so.
void* symbol_of(void* library, const char* symbol);
void close_library(void* library);
// What the loader said last on this thread, until it is asked again.
const char* loader_error();

// The function of this name that the process's modules see first; null if none defines it.
void* find_symbol(const char* name);

}  // namespace xylem::os
