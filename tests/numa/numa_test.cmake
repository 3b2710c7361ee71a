# Owns how a program becomes a test that runs in a machine of the lab (docs/lab.md).
#
# xylem_add_numa_program(NAME [SOURCES file...] [LANG C|CXX] [LINK library...] [OPTIONS option...])
#   an OpenMP program as a user would build it (cmake/XylemOmpTest.cmake), the target numa_NAME from
#   NAME.c unless SOURCES says otherwise.
#
# xylem_add_numa_test(NAME MACHINE machine COMMAND program argument...
#     [ENV A=B ...] [WITH file...] [TIMEOUT seconds] [LABELS label...] [AUTONUMA])
#   runs the command in that machine of lab/machines as the test numa.NAME: with our library folder
#   first in LD_LIBRARY_PATH, so on Xylem. The program and arguments that are paths of files travel
#   into the machine with their libraries; write $<TARGET_FILE:target>. WITH: what is opened at run
#   time. Exit code 0 passes, 77 skips. TIMEOUT (default 120) counts from when the machine is up.
#   ctest runs one machine at a time. A boot takes some seconds: run many checks in each, or many
#   programs by COMMAND "${XYLEM_NUMA_IN_TURN}" program...
# Also for folders beside this one.
set(XYLEM_NUMA_IN_TURN "${CMAKE_CURRENT_LIST_DIR}/in_turn.sh" CACHE INTERNAL "")
# Seconds for booting (lab/parts/guest.py) in a host with much to do.
set(XYLEM_NUMA_BOOT_LIMIT 400 CACHE INTERNAL "")

function(xylem_add_numa_program name)
  cmake_parse_arguments(arg "" "LANG" "SOURCES;LINK;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "xylem_add_numa_program(${name}): unknown words ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    set(arg_SOURCES "${name}.c")
  endif()
  xylem_add_omp_program("numa_${name}" "${arg_LANG}" "${arg_SOURCES}" "${arg_LINK}" "${arg_OPTIONS}")
  set_target_properties("numa_${name}" PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/numa")
  target_include_directories("numa_${name}" PRIVATE "${PROJECT_SOURCE_DIR}/tests/omp")
endfunction()

function(xylem_add_numa_test name)
  cmake_parse_arguments(arg "AUTONUMA" "MACHINE;TIMEOUT" "COMMAND;ENV;WITH;LABELS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_MACHINE OR NOT arg_COMMAND)
    message(FATAL_ERROR "xylem_add_numa_test(${name}): MACHINE and COMMAND are needed, and "
                        "'${arg_UNPARSED_ARGUMENTS}' is unknown")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  math(EXPR dump_at "${arg_TIMEOUT} - 5") # the runtime prints its queues before the end
  set(options --machine "${arg_MACHINE}" --timeout "${arg_TIMEOUT}")
  foreach(setting IN ITEMS "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:xylem>" "XYLEM_DUMP_AFTER=${dump_at}"
                           ${arg_ENV})
    list(APPEND options --env "${setting}")
  endforeach()
  foreach(file IN LISTS arg_WITH)
    list(APPEND options --with "${file}")
  endforeach()
  if(arg_AUTONUMA)
    list(APPEND options --autonuma)
  endif()
  xylem_add_lab_test("${name}" "${arg_TIMEOUT}" "${arg_LABELS}"
                     "${PROJECT_SOURCE_DIR}/lab/run" ${options} -- ${arg_COMMAND})
endfunction()

# A test that boots machines by itself; `seconds` beside the time for one boot. Label nightly: booting
# takes longer than what is tested.
function(xylem_add_lab_test name seconds labels)
  math(EXPR limit "${seconds} + ${XYLEM_NUMA_BOOT_LIMIT}")
  list(PREPEND labels numa nightly)
  add_test(NAME "numa.${name}" COMMAND ${ARGN})
  set_tests_properties("numa.${name}" PROPERTIES
    LABELS "${labels}" TIMEOUT ${limit} SKIP_RETURN_CODE 77 RESOURCE_LOCK xylem_lab PROCESSORS 2
    FIXTURES_REQUIRED xylem_lab)
endfunction()
