# Owns which programs ask what docs/threads.md promises: what a kernel thread is given, an OpenMP
# thread is given too. Each runs with eight members, and at night with two and with sixteen; those on
# data that a thread keeps in memory also with sixteen in tier 3, and at night in every tier. All are
# right on stock libgomp.

function(omp_threads name source)
  xylem_add_omp_test(${name} SOURCES ${source} LABELS threads ${ARGN})
  omp_again_with_members(${name} ${ARGN})
endfunction()

function(omp_again_with_members name)
  cmake_parse_arguments(arg "" "" "ARGS;OPTIONS;LINK;ENV" ${ARGN})
  foreach(count IN ITEMS 2 16)
    omp_nightly(${name} members${count} ENV OMP_NUM_THREADS=${count} ${arg_ENV} LABELS threads
      ARGS ${arg_ARGS})
  endforeach()
endfunction()

function(omp_threads_in_tiers name source)
  cmake_parse_arguments(arg "" "" "ARGS;OPTIONS;LINK" ${ARGN})
  omp_threads(${name} ${source} ${ARGN})
  if(XYLEM_SANITIZE) # on kernel threads there, in whichever tier
    return()
  endif()
  foreach(tier IN ITEMS 1 2 3 thread)
    omp_nightly(${name} tier_${tier} ENV XYLEM_TLS=${tier} LABELS threads ARGS ${arg_ARGS})
  endforeach()
  omp_again(${name} tier_3_members16 ENV XYLEM_TLS=3 OMP_NUM_THREADS=16 LABELS threads
    ARGS ${arg_ARGS})
endfunction()

find_package(Threads REQUIRED)

# What a thread keeps in memory.
omp_threads_in_tiers(threads_errno threads_errno.c OPTIONS -O2)
omp_threads_in_tiers(threads_floating threads_floating.c OPTIONS -frounding-math)
# GCC 12's libtsan does not see who locks by pthread_mutex_clocklock (github.com/llvm/llvm-project,
# issue 62623), flockfile and C11's locks order nothing for it, and a call_once whose function throws
# does not return under its pthread_once (gcc.gnu.org, bug 66146). What a thread does that was
# cancelled inside a call that libtsan wraps is as if outside of all locks to it, it dies of the
# threads that libc makes for timers, and it takes the refused unlocking of a checked mutex for a
# fault of the program.
if(NOT XYLEM_SANITIZE STREQUAL "thread")
  omp_threads_in_tiers(threads_owner threads_owner.cpp)
  omp_threads_in_tiers(threads_owner_stdio threads_owner_stdio.c)
  omp_threads_in_tiers(threads_once threads_once.cpp)
  omp_threads_in_tiers(threads_cancel threads_cancel.c)
  omp_threads_in_tiers(threads_mutexes threads_mutexes.c)
  omp_threads_in_tiers(threads_waits threads_waits.c LINK Threads::Threads)
  omp_threads(threads_timers threads_timers.c)
endif()
omp_threads_in_tiers(threads_owner_c11 threads_owner_c11.c)
omp_threads_in_tiers(threads_shared threads_shared.cpp)
omp_threads_in_tiers(threads_get_id threads_get_id.cpp)
omp_threads_in_tiers(threads_identity threads_identity.c)
omp_threads_in_tiers(threads_libc threads_libc.c LINK ${CMAKE_DL_LIBS})
omp_threads_in_tiers(threads_destructors threads_destructors.cpp)
omp_threads_in_tiers(threads_vectors threads_vectors.c)
omp_threads_in_tiers(threads_leave threads_leave.c)

# Code on stacks: of the program, and of libraries that come at any time. Clang nests no functions.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  xylem_add_omp_test(threads_nested_functions LABELS threads
    SOURCES threads_nested_functions.c threads_nested_functions_plugin.c LINK ${CMAKE_DL_LIBS})
  omp_again_with_members(threads_nested_functions)
  foreach(tier IN ITEMS 1 2 3 thread)
    omp_nightly(threads_nested_functions tier_${tier} ENV XYLEM_TLS=${tier} LABELS threads)
  endforeach()
  add_library(omp_threads_nested_functions_plugin MODULE threads_nested_functions_plugin.c)
  set_target_properties(omp_threads_nested_functions_plugin PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/omp")
  omp_threads(threads_nested_late threads_nested_functions.c LINK ${CMAKE_DL_LIBS}
    ARGS $<TARGET_FILE:omp_threads_nested_functions_plugin> first)
  foreach(when IN ITEMS between inside)
    omp_again(threads_nested_late ${when} LABELS threads
      ARGS $<TARGET_FILE:omp_threads_nested_functions_plugin> ${when})
  endforeach()
endif()

# Locks, and waiting for each other.
omp_threads_in_tiers(threads_robust threads_robust.c)
omp_threads_in_tiers(threads_inherit threads_inherit.c)
omp_threads_in_tiers(threads_waits_cxx threads_waits_cxx.cpp LINK Threads::Threads)

# Thread-local data of libraries, there from the start or opened at any time.
add_library(omp_threads_models_library SHARED threads_models_library.c)
target_compile_options(omp_threads_models_library PRIVATE -ftls-model=global-dynamic)
add_library(omp_threads_models_late MODULE threads_models_late.c)
add_library(omp_threads_models_descriptor MODULE threads_models_late.c)
target_compile_options(omp_threads_models_descriptor PRIVATE -mtls-dialect=gnu2)
set_target_properties(omp_threads_models_library omp_threads_models_late
  omp_threads_models_descriptor PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/omp")
omp_threads_in_tiers(threads_models threads_models.c LINK omp_threads_models_library
  ${CMAKE_DL_LIBS} ARGS $<TARGET_FILE:omp_threads_models_late>)
omp_again(threads_models descriptor LABELS threads
  ARGS $<TARGET_FILE:omp_threads_models_descriptor>)
add_library(omp_threads_late_tls_plugin MODULE threads_late_tls_plugin.c)
target_compile_options(omp_threads_late_tls_plugin PRIVATE -ftls-model=initial-exec)
add_library(omp_threads_late_tls_descriptor MODULE threads_late_tls_plugin.c)
target_compile_options(omp_threads_late_tls_descriptor PRIVATE -mtls-dialect=gnu2)
omp_threads_in_tiers(threads_late_tls threads_late_tls.c LINK ${CMAKE_DL_LIBS}
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> between)
# GCC 12's libasan knows no __cxa_throw that comes after it (github.com/google/sanitizers, issue 934).
if(NOT XYLEM_SANITIZE STREQUAL "address")
  add_library(omp_threads_exceptions_plugin MODULE threads_exceptions_plugin.cpp)
  omp_threads_in_tiers(threads_exceptions_local threads_exceptions_local.c LINK ${CMAKE_DL_LIBS}
    ARGS $<TARGET_FILE:omp_threads_exceptions_plugin> first)
  omp_again(threads_exceptions_local later LABELS threads
    ARGS $<TARGET_FILE:omp_threads_exceptions_plugin> later)
endif()
omp_again(threads_late_tls first LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> first)
omp_again(threads_late_tls first_tier_3 ENV XYLEM_TLS=3 LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> first)
omp_again(threads_late_tls inside LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> inside)
omp_again(threads_late_tls inside_descriptor LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_descriptor> inside)
omp_again(threads_late_tls often LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> often)
omp_again(threads_late_tls inside_tier_3 ENV XYLEM_TLS=3 LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> inside)
omp_again(threads_late_tls inside_kernel_threads ENV XYLEM_TLS=thread LABELS threads
  ARGS $<TARGET_FILE:omp_threads_late_tls_plugin> inside)

# What the kernel keeps for a thread, and what the program makes.
foreach(name IN ITEMS gettid sigmask sigwait kill affinity children_mask scheduling clocks
                      names children cgroup)
  omp_threads(threads_${name} threads_${name}.c)
endforeach()

# What Xylem does not see a program ask for: a kernel thread each, as docs/threads.md says.
xylem_add_omp_test(threads_raw SOURCES threads_raw.c ENV XYLEM_TLS=thread LABELS threads)
foreach(count IN ITEMS 2 16)
  omp_nightly(threads_raw members${count} ENV XYLEM_TLS=thread OMP_NUM_THREADS=${count}
    LABELS threads)
endforeach()

omp_threads_in_tiers(threads_setuid threads_setuid.c)
foreach(name IN ITEMS altstack recover perf trace)
  omp_threads(threads_${name} threads_${name}.c)
endforeach()
omp_threads(threads_stack threads_stack.c ENV ${own_faults})
omp_threads(threads_exit threads_exit.cpp)
omp_threads(threads_capabilities threads_capabilities.c)
omp_again(threads_capabilities some ARGS some LABELS threads)

# Not under the sanitizers, which have a malloc and system calls of their own and let nobody make
# thread blocks.
if(NOT XYLEM_SANITIZE)
  xylem_add_omp_test(threads_filtered SOURCES threads_filtered.c LABELS threads)
  if(TARGET xylem_wait)
    omp_again(threads_filtered interposed LABELS threads ENV LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
  endif()
  omp_again(threads_filtered kernel_threads LABELS threads ENV XYLEM_TLS=thread)
  omp_threads_in_tiers(threads_malloc threads_malloc.c)
  xylem_add_omp_test(threads_setuid_away SOURCES threads_setuid_away.c ARGS away LABELS threads
    ENV XYLEM_TLS=3 XYLEM_MACHINE=pu:1)
endif()
