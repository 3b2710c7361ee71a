# Owns how OpenMP programs become tests that Clang compiles, whatever compiles the project.
#
# omp_clang_test(NAME SOURCES file...
#     [ENV A=B ...] [ARGS arg...] [TIMEOUT seconds] [LABELS label...] [LINK option...] [OPTIONS option...]
#     [PROGRAM target])
#
# The program is compiled by clang-19 with -fopenmp and linked with the stock libomp.so.5, as a user
# would. The test kmp.NAME runs it under scripts/watchdog on Xylem. The words mean what they mean to
# xylem_add_omp_test; C++ sources end in .cpp. PROGRAM reuses the program of an earlier call (kmp_NAME).
# XYLEM_CLANG is the compiler; empty where it is not installed: then nothing is added.
find_program(XYLEM_CLANG_FOUND clang-19)
set(XYLEM_CLANG "")
if(XYLEM_CLANG_FOUND AND NOT XYLEM_SANITIZE)
  set(probe "${CMAKE_BINARY_DIR}/clang_probe")
  file(WRITE "${probe}.c" "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
  execute_process(COMMAND "${XYLEM_CLANG_FOUND}" -fopenmp "${probe}.c" -o "${probe}"
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(XYLEM_CLANG "${XYLEM_CLANG_FOUND}")
  endif()
endif()
if(NOT XYLEM_CLANG)
  message(STATUS "xylem: no tests compiled by Clang: clang-19 or libomp-19-dev is missing")
endif()

function(omp_clang_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;PROGRAM" "SOURCES;ENV;ARGS;LABELS;LINK;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "omp_clang_test(${name}): unknown words ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT XYLEM_CLANG)
    return()
  endif()
  set(target "kmp_${name}")
  if(arg_PROGRAM)
    set(target "${arg_PROGRAM}")
  else()
    xylem_add_clang_program(${target} "${arg_SOURCES}" "${arg_LINK}" "${arg_OPTIONS}")
  endif()
  xylem_add_watched_test("kmp.${name}" "${arg_TIMEOUT}" "kmp;${arg_LABELS}" "${arg_ENV}"
                         "${CMAKE_BINARY_DIR}/tests/kmp/programs/${target}" ${arg_ARGS})
endfunction()

# The same program once more, as kmp.NAME.SUFFIX, with other words.
function(omp_clang_again name suffix)
  omp_clang_test(${name}.${suffix} PROGRAM kmp_${name} ${ARGN})
endfunction()

# One program as it comes, with more threads than processors, waiting passively, and where each
# thread has a thread control block of its own or none.
function(omp_clang_in_environments name)
  omp_clang_test(${name} ${ARGN})
  cmake_parse_arguments(arg "" "" "SOURCES;OPTIONS;LINK;ENV" ${ARGN})
  foreach(variant IN ITEMS threads16:OMP_NUM_THREADS=16 passive:OMP_WAIT_POLICY=passive
                           tier1:XYLEM_TLS=1 tier3:XYLEM_TLS=3)
    string(REGEX MATCH "^([^:]*):(.*)$" matched ${variant})
    omp_clang_again(${name} ${CMAKE_MATCH_1} ENV ${arg_ENV} ${CMAKE_MATCH_2}
                    ${arg_UNPARSED_ARGUMENTS})
  endforeach()
endfunction()

# The executable alone, in tests/kmp/programs of the build folder.
function(xylem_add_clang_program target sources link options)
  set(program "${CMAKE_BINARY_DIR}/tests/kmp/programs/${target}")
  set(paths "")
  set(driver "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND paths "${source}")
    if(source MATCHES "\\.cpp$")
      set(driver --driver-mode=g++ -std=c++20)
    endif()
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/omp/*.h"
       "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/tests/kmp/programs")
  add_custom_command(OUTPUT "${program}"
    COMMAND "${XYLEM_CLANG}" ${driver} -fopenmp -O1 -g -Wall -I "${PROJECT_SOURCE_DIR}/tests/omp"
            ${options} ${paths} -o "${program}" ${link} -lm
    DEPENDS ${paths} ${headers} VERBATIM COMMENT "Compiling ${target} by Clang")
  add_custom_target(${target} ALL DEPENDS "${program}")
endfunction()
