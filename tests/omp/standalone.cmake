# Owns the meaning of xylem_add_omp_test when this folder is configured alone:
#   cmake -S tests/omp -B FOLDER && cmake --build FOLDER && ctest --test-dir FOLDER -LE beyond
# The programs run on the runtime that the compiler links, on that in -DPEER_LIBRARY_FOLDER=..., or,
# with -DXYLEM_LIBRARY_FOLDER=..., on Xylem, under scripts/watchdog and without `-LE beyond`.
#
# Clang's programs are tests named clang.NAME, with the label `clang` in place of `omp`. All but
# EVERY_CHANGE have the label `nightly`; the target every_change builds those.
set(PEER_LIBRARY_FOLDER "" CACHE PATH "Another runtime's folder")
set(XYLEM_LIBRARY_FOLDER "" CACHE PATH "The folder of libxylem.so")
set(EVERY_CHANGE
  parallel_basic parallel_nested barrier single loop_schedules loop_unsigned ordered doacross locks
  reduction threadprivate teams places)
add_custom_target(every_change)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  set(family clang)
  set(OWN_LIBRARIES atomic) # GCC's programs find these functions in libgomp or need none
endif()
if(XYLEM_LIBRARY_FOLDER)
  set(PEER_LIBRARY_FOLDER "${XYLEM_LIBRARY_FOLDER}")
  foreach(library IN ITEMS xylem xylem-wait)
    string(REPLACE - _ target ${library})
    add_library(${target} SHARED IMPORTED)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${XYLEM_LIBRARY_FOLDER}/lib${library}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/../../include")
  endforeach()
endif()

function(xylem_add_omp_test name)
  cmake_parse_arguments(arg "SERIAL;OWN_DATA" "LANG;TIMEOUT;PROGRAM"
                        "SOURCES;ENV;ARGS;LABELS;LINK;OPTIONS" ${ARGN})
  set(target "omp_${name}")
  if(arg_PROGRAM)
    set(target "${arg_PROGRAM}")
  else()
    omp_standalone_program(${target} "${arg_SOURCES}" "${arg_LINK}" "${arg_OPTIONS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR limit "${arg_TIMEOUT} + 40")
  set(watched "")
  if(XYLEM_LIBRARY_FOLDER)
    set(watched "${CMAKE_CURRENT_SOURCE_DIR}/../../scripts/watchdog" ${arg_TIMEOUT} --)
  endif()
  add_test(NAME "${family}.${name}" COMMAND ${watched} $<TARGET_FILE:${target}> ${arg_ARGS})
  set(environment ${arg_ENV})
  if(PEER_LIBRARY_FOLDER)
    list(APPEND environment "LD_LIBRARY_PATH=${PEER_LIBRARY_FOLDER}")
  endif()
  if(name IN_LIST EVERY_CHANGE)
    add_dependencies(every_change ${target})
  elseif(family STREQUAL "clang")
    list(APPEND arg_LABELS nightly)
  endif()
  set_tests_properties("${family}.${name}" PROPERTIES TIMEOUT ${limit} SKIP_RETURN_CODE 77
    LABELS "${family};${arg_LABELS}" ENVIRONMENT "${environment}" RUN_SERIAL ${arg_SERIAL})
endfunction()

function(omp_standalone_program target sources link options)
  add_executable(${target} ${sources})
  target_compile_options(${target} PRIVATE
    -fopenmp -O1 -g $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra> ${options})
  target_link_options(${target} PRIVATE -fopenmp)
  target_link_libraries(${target} PRIVATE ${link} m ${OWN_LIBRARIES})
endfunction()
