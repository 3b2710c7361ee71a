// Owns: the calls of the dynamic loader. See shared_object.hpp.
#include "os/shared_object.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include <string_view>

namespace xylem::os {

bool path_beside_this_library(const char* name, PathBuffer& path) {
  static constexpr char here = 0;
  ::Dl_info info;
  if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view file = info.dli_fname;
  const size_t slash = file.rfind('/');
  if (slash == std::string_view::npos) return false;
  path = PathBuffer(file.substr(0, slash + 1)).append(name);
  return true;
}

LoadedObject load_object(const char* path, const char* symbol, std::span<char> why) {
  why[0] = '\0';
  if (::access(path, F_OK) != 0) return {ObjectState::missing};
  void* object = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    const char* words = ::dlerror();
    ::snprintf(why.data(), why.size(), "%s", words != nullptr ? words : "no reason is known");
    return {ObjectState::unusable};
  }
  const void* found = ::dlsym(object, symbol);
  return {found != nullptr ? ObjectState::loaded : ObjectState::no_symbol, found};
}

bool load_library(const char* name, std::span<const char* const> symbols, std::span<void*> found) {
  void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return false;
  for (size_t i = 0; i < symbols.size(); ++i) {
    found[i] = ::dlsym(library, symbols[i]);
    if (found[i] == nullptr) return false;
  }
  return true;
}

void* open_library(const char* name) { return ::dlopen(name, RTLD_LAZY | RTLD_LOCAL); }

void* symbol_of(void* library, const char* symbol) { return ::dlsym(library, symbol); }

void close_library(void* library) { ::dlclose(library); }

const char* loader_error() {
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason is known";
}

void* find_symbol(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace xylem::os
