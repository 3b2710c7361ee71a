# Owns which Fortran programs are run on the runtime, and the check that together they call every
# entry point that Fortran has. Included by CMakeLists.txt, which looks for gfortran.
# In C, as gfortran cannot ask for old versions of a name; C's own are in it too.
xylem_add_omp_test(fortran_locks_old SOURCES fortran_locks_old.c LABELS semantics)

if(NOT CMAKE_Fortran_COMPILER_ID MATCHES "^(GNU|LLVMFlang)$")
  message(STATUS "xylem: no Fortran tests: there is no gfortran and no flang")
  return()
endif()
if(XYLEM_SANITIZE)
  return() # libgfortran is not instrumented
endif()

# fortran_NAME as a test, with the checks they share; further words are xylem_add_omp_test's.
function(omp_fortran name)
  xylem_add_omp_test(fortran_${name} SOURCES fortran_${name}.F90 fortran_expect.F90
                     LABELS semantics ${ARGN})
  omp_fortran_modules(omp_fortran_${name})
endfunction()

# The same program where integers and logicals are 8 bytes unless it says otherwise.
function(omp_fortran_long name)
  cmake_parse_arguments(arg "" "" "OPTIONS" ${ARGN})
  xylem_add_omp_test(fortran_${name}_long SOURCES fortran_${name}.F90 fortran_expect.F90
                     LABELS semantics OPTIONS -fdefault-integer-8 ${arg_OPTIONS}
                     ${arg_UNPARSED_ARGUMENTS})
  omp_fortran_modules(omp_fortran_${name}_long)
endfunction()

# Every program has its own compilation of the modules, with its own options.
function(omp_fortran_modules target)
  set_target_properties(${target} PROPERTIES
    Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}.modules")
endfunction()

function(omp_fortran_nightly name suffix)
  omp_nightly(fortran_${name} ${suffix} LABELS semantics ENV ${ARGN})
endfunction()

omp_fortran(common)
omp_fortran_nightly(common threads16 OMP_NUM_THREADS=16)
# The modules of memory.h and bubble.h, compiled with the program as its users do.
if(TARGET xylem)
  xylem_add_omp_test(fortran_bubble LABELS semantics beyond LINK xylem
    SOURCES ../../include/xylem/bubble.f90 fortran_expect.F90 fortran_bubble.F90)
  omp_fortran_modules(omp_fortran_bubble)
  xylem_add_omp_test(fortran_load SOURCES fortran_load.F90 fortran_expect.F90
    LABELS semantics beyond LINK xylem ENV OMP_WAIT_POLICY=active XYLEM_STEAL_PATIENCE=60000000
      XYLEM_POLICY=spread "XYLEM_MACHINE=node:4 core:2 pu:1")
  omp_fortran_modules(omp_fortran_load)
  xylem_add_omp_test(fortran_memory LABELS semantics beyond LINK xylem
    SOURCES ../../include/xylem/memory.f90 fortran_expect.F90 fortran_memory.F90)
  omp_fortran_modules(omp_fortran_memory)
  omp_again(fortran_memory drawn LABELS semantics beyond ENV "XYLEM_MACHINE=node:4 core:1 pu:1")
endif()

omp_fortran(places ENV OMP_PLACES=threads OMP_PROC_BIND=spread,close OMP_NUM_THREADS=2)
omp_again(fortran_places none LABELS semantics ENV OMP_NUM_THREADS=2)
omp_fortran(allocators)
omp_fortran_nightly(allocators threads4 OMP_NUM_THREADS=4)
omp_fortran(threadprivate)
omp_fortran_nightly(threadprivate passive OMP_WAIT_POLICY=passive)
omp_fortran_nightly(threadprivate one_worker XYLEM_MACHINE=pu:1)
omp_fortran_nightly(threadprivate own_block XYLEM_TLS=3)
if(NOT CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
  omp_fortran(locks)
  # The others, and why not by Flang 19. routines, include: routines with 8-byte integers, or that LLVM's
  # module and file have not. misc: cancel, reductions of teams. tasks: array sections in depend, declared
  # reductions. loops: doacross; its reduction of an array that begins at 0 is wrong, and crashes on stock libomp.
  # target: calls libomptarget. affinity_format: looks for lines on standard error, where libomp shows them on
  # standard output; stock libomp 19 stops in it, too, by an assertion (kmp_ftn_entry.h:441).
  return()
endif()
foreach(name IN ITEMS routines affinity_format)
  omp_fortran(${name})
  omp_fortran_long(${name})
  omp_fortran_nightly(${name} threads4 OMP_NUM_THREADS=4)
  omp_fortran_nightly(${name}_long threads4 OMP_NUM_THREADS=4)
endforeach()
# Without -falign-commons a lock in a common block is aligned to 4 bytes only.
omp_fortran(locks OPTIONS -fno-align-commons)
omp_fortran_long(locks OPTIONS -fno-align-commons)
omp_fortran_nightly(locks passive OMP_WAIT_POLICY=passive)
omp_fortran_nightly(locks one_worker XYLEM_MACHINE=pu:1)
omp_fortran(target)
omp_fortran_nightly(target threads4 OMP_NUM_THREADS=4)
foreach(name IN ITEMS loops tasks)
  omp_fortran(${name})
  omp_fortran_nightly(${name} passive OMP_WAIT_POLICY=passive)
  omp_fortran_nightly(${name} one_worker XYLEM_MACHINE=pu:1)
  omp_fortran_nightly(${name} own_block XYLEM_TLS=3)
endforeach()
omp_fortran(misc ENV OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=7)
omp_again(fortran_misc off LABELS semantics ENV OMP_CANCELLATION=false)
xylem_add_omp_test(fortran_include SOURCES fortran_include.F LABELS semantics)

set(table "${CMAKE_CURRENT_SOURCE_DIR}/../../src/abi/symbols.table")
if(Python3_FOUND AND EXISTS "${table}")
  set(programs "")
  foreach(name IN ITEMS fortran_routines fortran_routines_long fortran_affinity_format fortran_locks
                        fortran_locks_old fortran_places fortran_allocators fortran_target
                        fortran_misc fortran_include task_detach_fortran fortran_load)
    list(APPEND programs $<TARGET_FILE:omp_${name}>)
  endforeach()
  add_test(NAME ${family}.fortran_reach
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/fortran_reach.py" "${table}"
                   "${CMAKE_Fortran_COMPILER}" ${programs})
  set_tests_properties(${family}.fortran_reach PROPERTIES LABELS "${family};semantics"
                       ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
