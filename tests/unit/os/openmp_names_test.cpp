// Names of runtimes and their functions: src/os/openmp_names.hpp.
#include "os/openmp_names.hpp"

#include <gtest/gtest.h>

namespace xylem::os {
namespace {

TEST(OpenMpNames, RuntimesUnderTheirOwnAndUnderWheelsNames) {
  for (const char* name :
       {"libgomp.so.1", "/usr/lib/libgomp.so.1.0.0", "libomp.so.5", "libiomp5.so", "libomp5.so",
        "libgomp-a34b3233.so.1.0.0", "/a.libs/libomp-0f1e2d3c.so", "libiomp5-5e5e5e5e.so"})
    EXPECT_TRUE(is_openmp_runtime(name)) << name;
  for (const char* name : {"libgomp-plugin-nvptx.so.1", "libompi.so", "libomptarget.so.19",
                           "libxylem.so", "libgomp", "libgomp.so.d/libc.so.6", "mylibgomp.so"})
    EXPECT_FALSE(is_openmp_runtime(name)) << name;
}

TEST(OpenMpNames, Functions) {
  for (const char* name : {"GOMP_parallel", "omp_get_thread_num", "__kmpc_fork_call", "kmp_malloc"})
    EXPECT_TRUE(is_openmp_function(name)) << name;
  for (const char* name : {"GOACC_parallel", "ompt_start_tool", "main", "_omp_get"})
    EXPECT_FALSE(is_openmp_function(name)) << name;
}

}  // namespace
}  // namespace xylem::os
