# Tools (docs/ompt.md): a program with a tool of its own, a tool that checks what it is told of other
# programs, and how a tool is found.
xylem_add_omp_test(ompt_tasks SOURCES ompt_tasks.c LINK -rdynamic LABELS tools beyond ENV OMP_CANCELLATION=true)
xylem_add_omp_test(ompt_program SOURCES ompt_program.c LINK -rdynamic LABELS tools beyond)
omp_again(ompt_program threads ENV XYLEM_TLS=thread LABELS tools beyond)
xylem_add_omp_test(ompt_ends SOURCES ompt_ends.c LINK -rdynamic LABELS tools beyond)
omp_again(ompt_ends stays ARGS stays LABELS tools beyond)
omp_again(ompt_ends threads ENV XYLEM_TLS=thread LABELS tools beyond)
omp_again(ompt_ends threads_stays ARGS stays ENV XYLEM_TLS=thread LABELS tools beyond)
omp_again(ompt_program one_worker ENV XYLEM_MACHINE=pu:1 LABELS tools beyond)

if(TARGET xylem)
  add_library(ompt_checker MODULE ompt_checker.c)
  set_target_properties(ompt_checker PROPERTIES PREFIX "")
  set(checked OMP_TOOL_LIBRARIES=$<TARGET_FILE:ompt_checker> OMP_CANCELLATION=true)
  foreach(name IN ITEMS parallel_basic parallel_nested barrier single sections loop_schedules ordered doacross
      nowait_chain critical atomic_fallback reduction locks task_fib task_depend task_depend_kinds task_group
      task_yield task_left_behind task_detach task_detach_sources task_detach_cancel task_reduction taskloop
      teams scope target_host threadprivate cancel cancel_kinds cancel_barriers cancel_ordered)
    omp_again(${name} tool LABELS tools beyond ENV ${checked} OMP_NUM_THREADS=4)
    omp_nightly(${name} tool16 LABELS tools beyond ENV ${checked} OMP_NUM_THREADS=16)
  endforeach()
  # A tool that is not there: the program's first call has begun as one that is told of.
  foreach(name IN ITEMS parallel_basic single sections loop_schedules critical task_fib taskloop teams scope)
    omp_again(${name} tool_missing LABELS tools ENV OMP_TOOL_LIBRARIES=/nonexistent/tool.so)
  endforeach()
  omp_again(parallel_nested tool_threads LABELS tools beyond ENV ${checked} XYLEM_TLS=thread)
  # ThreadSanitizer sees nothing of how glibc hands an ended thread's stack, with the checker's
  # thread-local data, to the next one, and calls that a race.
  if(NOT XYLEM_SANITIZE STREQUAL "thread")
    omp_again(fork_after tool LABELS tools beyond ENV ${checked})
  endif()
  if(TARGET omp_threads_exit) # not under the sanitizers
    omp_again(threads_exit tool LABELS tools beyond ENV ${checked})
  endif()
  # Programs of tests/kmp, compiled by Clang.
  foreach(name IN ITEMS task_told task_fib task_untied task_detach task_detach_cancel task_depend task_depend_kinds
      task_group task_objects task_graph task_entry_points task_yield task_left_behind task_kinds task_reduction
      task_reduction_kinds taskloop taskloop_types regions loops doacross reductions entry_points inside)
    omp_clang_again(${name} tool LABELS tools beyond ENV ${checked})
    omp_clang_again(${name} tool16 LABELS tools beyond nightly ENV ${checked} OMP_NUM_THREADS=16)
  endforeach()
  xylem_add_watched_test(omp.ompt_start 60 "omp;tools;beyond" ""
    sh "${CMAKE_CURRENT_SOURCE_DIR}/ompt_start.sh" $<TARGET_FILE:omp_parallel_basic>
    $<TARGET_FILE:ompt_checker> $<TARGET_FILE:omp_tls_plugin>)
endif()

omp_clang_test(ompt_tasks SOURCES ompt_tasks.c LINK -rdynamic LABELS tools beyond ENV OMP_CANCELLATION=true)

# LLVM's Archer, where it is installed (libomp-19-dev).
find_library(ARCHER_LIBRARY NAMES libarcher.so PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
if(TARGET xylem AND ARCHER_LIBRARY AND NOT XYLEM_SANITIZE)
  add_executable(omp_ompt_archer ompt_archer.c)
  target_compile_options(omp_ompt_archer PRIVATE -fopenmp -fsanitize=thread -O1 -g)
  target_link_options(omp_ompt_archer PRIVATE -fopenmp -fsanitize=thread)
  xylem_add_watched_test(omp.ompt_archer 120 "omp;tools;beyond" ""
    sh "${CMAKE_CURRENT_SOURCE_DIR}/ompt_archer.sh" $<TARGET_FILE:omp_ompt_archer> ${ARCHER_LIBRARY})
  if(XYLEM_CLANG) # ThreadSanitizer's library is GCC's there too
    set(program "${CMAKE_BINARY_DIR}/tests/kmp/programs/ompt_archer")
    find_library(STOCK_LIBOMP NAMES libomp.so PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
    add_custom_command(OUTPUT "${program}"
      COMMAND "${XYLEM_CLANG}" -fopenmp -fsanitize=thread -O1 -g -c "${CMAKE_CURRENT_SOURCE_DIR}/ompt_archer.c"
              -o "${program}.o"
      COMMAND "${CMAKE_C_COMPILER}" -fsanitize=thread "${program}.o" "${STOCK_LIBOMP}" -o "${program}"
      DEPENDS ompt_archer.c VERBATIM COMMENT "Compiling ompt_archer by Clang")
    add_custom_target(kmp_ompt_archer ALL DEPENDS "${program}")
    xylem_add_watched_test(kmp.ompt_archer 120 "kmp;tools;beyond" ""
      sh "${CMAKE_CURRENT_SOURCE_DIR}/ompt_archer.sh" "${program}" ${ARCHER_LIBRARY})
  endif()
endif()
