# Owns what comes from outside: hwloc (dynamic), headers of Boost, and what tool and tests use.
# A missing tool or test dependency drops that part with a message; the library itself must build.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.5)
find_package(Boost 1.74 REQUIRED)

pkg_check_modules(LIBELF QUIET IMPORTED_TARGET libelf)
find_package(fmt QUIET)
find_package(CLI11 QUIET)
find_package(nlohmann_json QUIET)
find_package(GTest QUIET)
find_package(Python3 QUIET COMPONENTS Interpreter)
find_package(OpenCL QUIET)
find_package(CUDAToolkit QUIET)
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
