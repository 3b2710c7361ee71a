# How the examples are built. They are ordinary OpenMP programs: nothing here links Xylem.
find_package(OpenMP QUIET COMPONENTS CXX)
find_package(CLI11 QUIET)

# example_program(NAME [LINK TARGETS...] SOURCES FILES...)
# Makes no target, and says so, where something to link is missing.
function(example_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;SOURCES")
  set(libraries OpenMP::OpenMP_CXX CLI11::CLI11 ${arg_LINK})
  foreach(library IN LISTS libraries)
    if(NOT TARGET ${library})
      message(STATUS "examples/${name} is left out: ${library} is missing")
      return()
    endif()
  endforeach()
  add_executable(${name} ${arg_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  # include: only for the weak declarations of xylem/*.h.
  target_include_directories(${name} PRIVATE
    "${CMAKE_CURRENT_SOURCE_DIR}/.." "${CMAKE_CURRENT_SOURCE_DIR}/../../include")
  # No fused multiply-adds: a result then has the same bits on every machine and compiler.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  set_source_files_properties(options.cpp PROPERTIES COMPILE_OPTIONS -O0)  # CLI11 in half of the time
  target_link_libraries(${name} PRIVATE ${libraries} ${CMAKE_DL_LIBS})
  if(TARGET xylem_warnings)
    target_link_libraries(${name} PRIVATE xylem_warnings)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endfunction()
