// Owns: reading the user's folders. See settings_folders.hpp.
#include "omp/env/settings_folders.hpp"

#include <cstdlib>

#include "omp/env/settings_values.hpp"
#include "os/files.hpp"

namespace xylem::omp {

namespace {
bool is_folder(const char* path) { return path != nullptr && *path == '/'; }
}  // namespace

const char* runtime_folder() {
  const char* chosen = secure_getenv("XDG_RUNTIME_DIR");
  return is_folder(chosen) ? keep_text(chosen) : "";
}

const char* cache_folder() {
  const char* chosen = secure_getenv("XDG_CACHE_HOME");
  if (is_folder(chosen)) return keep_text(chosen);
  const char* home = secure_getenv("HOME");
  if (!is_folder(home)) return "";
  os::PathBuffer path(home);
  path.append("/.cache");
  return path.ok() ? keep_text(path.c_str()) : "";
}

}  // namespace xylem::omp
