// See openmp_names.hpp.
#include "os/openmp_names.hpp"

#include <string.h>

namespace xylem::os {

namespace {

constexpr const char* runtimes[] = {"libgomp", "libomp", "libomp5", "libiomp5"};
constexpr const char* functions[] = {"GOMP_", "omp_", "__kmpc_", "kmp_"};

const char* file_of(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace

bool is_library(const char* path, const char* stem) {
  const char* rest = file_of(path);
  if (strncmp(rest, stem, strlen(stem)) != 0) return false;
  rest += strlen(stem);
  if (*rest == '-') rest += 1 + strspn(rest + 1, "0123456789abcdef");
  return strncmp(rest, ".so", 3) == 0;
}

bool is_openmp_runtime(const char* path) {
  for (const char* stem : runtimes)
    if (is_library(path, stem)) return true;
  return false;
}

bool is_openmp_function(const char* symbol) {
  for (const char* prefix : functions)
    if (strncmp(symbol, prefix, strlen(prefix)) == 0) return true;
  return false;
}

}  // namespace xylem::os
