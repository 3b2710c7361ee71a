# Owns the check that every header compiles alone. A header that has a source file of its name is
# compiled alone at that file's beginning by scripts/tidy, which has no precompiled headers:
# tests/house/own_header.py wants it included first there. Each other header gets a stub that includes
# only it. As objects of the build stubs are compiled again only when a header changes. The test
# house.headers, which the night runs, builds the target xylem_header_check.
function(xylem_header_check)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src"
       "${PROJECT_SOURCE_DIR}/src/*.hpp")
  file(GLOB_RECURSE public CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
       "${PROJECT_SOURCE_DIR}/include/*.h")
  # These need an MPI, which the runtime does not: tests/hetero/ranks_test.py compiles them by each one.
  list(FILTER public EXCLUDE REGEX "^xylem/codelet_mpi")
  set(runtime_stubs "")
  set(tool_stubs "")
  foreach(header IN LISTS headers public)
    string(REGEX REPLACE "\\.hpp$" ".cpp" source "${header}")
    if(header MATCHES "\\.hpp$" AND EXISTS "${PROJECT_SOURCE_DIR}/src/${source}")
      continue()
    endif()
    string(REPLACE "/" "_" stem "${header}")
    set(stub "${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cpp")
    xylem_write_stub("${stub}" "${header}")
    if(header MATCHES "^(tool|sim)/")
      list(APPEND tool_stubs "${stub}")
    else()
      list(APPEND runtime_stubs "${stub}")
    endif()
    if(header MATCHES "^xylem/.*\\.h$") # public headers are C as well
      string(REGEX REPLACE "\\.cpp$" ".c" c_stub "${stub}")
      xylem_write_stub("${c_stub}" "${header}")
      list(APPEND runtime_stubs "${c_stub}")
    endif()
  endforeach()
  add_custom_target(xylem_header_check)
  if(runtime_stubs)
    add_library(xylem_header_check_runtime OBJECT EXCLUDE_FROM_ALL ${runtime_stubs})
    target_link_libraries(xylem_header_check_runtime PRIVATE xylem_runtime_rules)
    target_compile_options(xylem_header_check_runtime PRIVATE -O0 -g0 -Wno-unused)
    add_dependencies(xylem_header_check xylem_header_check_runtime)
  endif()
  if(tool_stubs AND fmt_FOUND AND CLI11_FOUND AND nlohmann_json_FOUND)
    add_library(xylem_header_check_tool OBJECT EXCLUDE_FROM_ALL ${tool_stubs})
    target_link_libraries(xylem_header_check_tool PRIVATE xylem_headers xylem_warnings
      PkgConfig::HWLOC fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
    target_compile_options(xylem_header_check_tool PRIVATE -O0 -g0 -Wno-unused)
    add_dependencies(xylem_header_check xylem_header_check_tool)
  endif()
endfunction()

function(xylem_write_stub stub header)
  file(CONFIGURE OUTPUT "${stub}" CONTENT "#include \"${header}\"\n")
endfunction()
