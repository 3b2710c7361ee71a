// Owns: LLVM's entry points of threadprivate variables, for code that does not keep them in
// thread-local data: Flang's, and Clang's with -fnoopenmp-use-tls. Decodes, calls omp/, returns.
#include "omp/team/threadprivate.hpp"

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::CopyLifetime;

namespace {

// What the compiler has for a variable; what it has not is null.
struct Functions {
  void* (*construct)(void* copy);
  void* (*copy)(void* to, void* from);
  void (*destroy)(void* copy);
};
struct ArrayFunctions {
  void* (*construct)(void* copy, size_t count);
  void* (*copy)(void* to, void* from, size_t count);
  void (*destroy)(void* copy, size_t count);
  size_t count;
};

void begin_one(void* copy, void* variable, const void* how) {
  const auto& functions = *static_cast<const Functions*>(how);
  if (functions.construct)
    functions.construct(copy);
  else
    functions.copy(copy, variable);
}
void end_one(void* copy, const void* how) { static_cast<const Functions*>(how)->destroy(copy); }

void begin_array(void* copy, void* variable, const void* how) {
  const auto& functions = *static_cast<const ArrayFunctions*>(how);
  if (functions.construct)
    functions.construct(copy, functions.count);
  else
    functions.copy(copy, variable, functions.count);
}
void end_array(void* copy, const void* how) {
  const auto& functions = *static_cast<const ArrayFunctions*>(how);
  functions.destroy(copy, functions.count);
}

template <typename How>
void declare(void* variable, const How& functions, decltype(CopyLifetime::begin) begin,
             decltype(CopyLifetime::end) end) {
  const bool begins = functions.construct || functions.copy;
  xylem::omp::declare_threadprivate(variable, {.begin = begins ? begin : nullptr,
                                               .end = functions.destroy ? end : nullptr,
                                               .how = new How(functions)});
}

}  // namespace

extern "C" {

XYLEM_EXPORT void __kmpc_threadprivate_register(const Location*, void* variable,
                                                void* (*construct)(void*),
                                                void* (*copy)(void*, void*),
                                                void (*destroy)(void*)) {
  declare(variable, Functions{construct, copy, destroy}, begin_one, end_one);
}

// An array of `count` objects.
XYLEM_EXPORT void __kmpc_threadprivate_register_vec(const Location*, void* variable,
                                                    void* (*construct)(void*, size_t),
                                                    void* (*copy)(void*, void*, size_t),
                                                    void (*destroy)(void*, size_t), size_t count) {
  declare(variable, ArrayFunctions{construct, copy, destroy, count}, begin_array, end_array);
}

XYLEM_EXPORT void* __kmpc_threadprivate(const Location*, ThreadNumber, void* variable,
                                        size_t bytes) {
  return xylem::omp::threadprivate_copy(variable, bytes);
}

// The cache, which LLVM's runtime fills by thread numbers, stays empty: the thread has a table.
XYLEM_EXPORT void* __kmpc_threadprivate_cached(const Location*, ThreadNumber, void* variable,
                                               size_t bytes, void***) {
  return xylem::omp::threadprivate_copy(variable, bytes);
}

}  // extern "C"
