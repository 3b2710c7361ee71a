# Owns how unmodified OpenMP programs become tests.
#
# xylem_add_omp_test(NAME SOURCES file...
#     [LANG C|CXX] [ENV A=B ...] [ARGS arg...] [TIMEOUT seconds] [LABELS label...]
#     [LINK library...] [OPTIONS compiler options...] [PROGRAM target] [SERIAL] [OWN_DATA])
#
# The program is compiled by the build's own gcc with -fopenmp and linked with the stock libgomp, as
# a user would. The test runs it under scripts/watchdog with our library folder first in
# LD_LIBRARY_PATH, so it runs on Xylem. Exit code 0 passes, 77 skips. Default TIMEOUT 60 s, label omp.
# SERIAL: measures time, so ctest runs nothing beside it. PROGRAM reuses the executable of an earlier call (its NAME prefixed by omp_) instead of SOURCES,
# to run one program under several environments.
# Under a sanitizer, which lets nobody make thread blocks, fibers are real and share the thread-local data of
# workers. Tests labelled tls that name no tier run on kernel threads there, and so does whatever has OWN_DATA:
# the program has thread-local data of its own.
function(xylem_add_omp_test name)
  cmake_parse_arguments(arg "SERIAL;OWN_DATA" "LANG;TIMEOUT;PROGRAM" "SOURCES;ENV;ARGS;LABELS;LINK;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "xylem_add_omp_test(${name}): unknown words ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return() # clang's programs come through another front door
  endif()
  if(arg_PROGRAM)
    set(target "${arg_PROGRAM}")
  else()
    set(target "omp_${name}")
    xylem_add_omp_program(${target} "${arg_LANG}" "${arg_SOURCES}" "${arg_LINK}" "${arg_OPTIONS}")
  endif()
  if(XYLEM_SANITIZE)
    xylem_contexts_under_sanitizers(arg_ENV "${arg_OWN_DATA}" "${arg_LABELS}")
  endif()
  xylem_add_watched_test("omp.${name}" "${arg_TIMEOUT}" "omp;${arg_LABELS}" "${arg_ENV}"
                         $<TARGET_FILE:${target}> ${arg_ARGS})
  set_tests_properties("omp.${name}" PROPERTIES RUN_SERIAL ${arg_SERIAL})
endfunction()

# Adds XYLEM_TLS=thread to the environment of a test that cannot hold on fibers under a sanitizer.
function(xylem_contexts_under_sanitizers env own_data labels)
  set(words "${${env}}")
  if("threads" IN_LIST labels) # what docs/threads.md promises of each thread's own
    set(own_data TRUE)
  endif()
  if(own_data)
    list(FILTER words EXCLUDE REGEX "^XYLEM_TLS=")
  endif()
  if(own_data OR ("tls" IN_LIST labels AND NOT words MATCHES "(^|;)XYLEM_TLS="))
    list(APPEND words XYLEM_TLS=thread)
  endif()
  set(${env} "${words}" PARENT_SCOPE)
endfunction()

# The executable alone: gcc -fopenmp, stock libgomp, none of the project's own warnings as errors.
function(xylem_add_omp_program target lang sources link options)
  add_executable(${target} ${sources})
  if(lang)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${lang})
  endif()
  target_compile_options(${target} PRIVATE -fopenmp -Wall ${options})
  target_link_options(${target} PRIVATE -fopenmp)
  target_link_libraries(${target} PRIVATE ${link} m)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/omp" CXX_EXTENSIONS ON C_EXTENSIONS ON)
endfunction()

# A ctest named NAME that runs the command on Xylem, under the watchdog.
function(xylem_add_watched_test name timeout labels env)
  if(NOT timeout)
    set(timeout 60)
  endif()
  if(XYLEM_SANITIZE)
    math(EXPR timeout "${timeout} * 4")
  endif()
  math(EXPR limit "${timeout} + 40")
  list(REMOVE_ITEM labels "")
  add_test(NAME "${name}" COMMAND "${PROJECT_SOURCE_DIR}/scripts/watchdog" ${timeout} --
                                  ${XYLEM_SANITIZE_WRAPPER} ${ARGN})
  set_tests_properties("${name}" PROPERTIES
    TIMEOUT ${limit} LABELS "${labels}" SKIP_RETURN_CODE 77
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:xylem>;${XYLEM_SANITIZE_ENV};${env}")
endfunction()
