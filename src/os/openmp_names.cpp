// See openmp_names.hpp.
#include "os/openmp_names.hpp"

#include <string.h>

#include <algorithm>

namespace xylem::os {

namespace {

constexpr const char* runtimes[] = {"libgomp", "libomp", "libomp5", "libiomp5"};
constexpr const char* functions[] = {"GOMP_", "omp_", "__kmpc_", "kmp_"};

}  // namespace

bool is_library(std::string_view path, std::string_view stem) {
  std::string_view rest = file_of(path);
  if (!rest.starts_with(stem)) return false;
  rest.remove_prefix(stem.size());
  if (rest.starts_with('-'))
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789abcdef", 1), rest.size()));
  return rest.starts_with(".so");
}

bool is_openmp_runtime(std::string_view path) {
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
