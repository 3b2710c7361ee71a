# Owns how calls that block a thread are tried: as libc has them and with the interposing library, with
# as many threads as processors and more, in each tier. Only where each fiber has a block of its own
# does a lock know its owner.
#
# Under a sanitizer nobody has such a block: what asks for tier 3 has kernel threads, which sleep where
# they wait, and fibers share errno.

# What the test program is to expect of a tier; `suspends`: the interposing library is there.
function(omp_blocking_words words part tier suspends)
  set(list ${part})
  if(tier EQUAL 3)
    list(APPEND list own_identity)
  elseif(XYLEM_SANITIZE)
    list(APPEND list shared_errno)
  endif()
  # Under libtsan a worker waits for its locks too, and another one comes for it.
  if(suspends AND NOT (XYLEM_SANITIZE AND tier EQUAL 3) AND NOT XYLEM_SANITIZE STREQUAL "thread")
    list(APPEND list suspends)
  endif()
  set(${words} ${list} PARENT_SCOPE)
endfunction()

function(omp_blocking_interposed part)
  foreach(threads IN ITEMS 2 16)
    foreach(tier IN ITEMS 1 2 3)
      if(part STREQUAL rwlock AND XYLEM_SANITIZE AND NOT tier EQUAL 3)
        continue() # libc takes a kernel thread's fibers for one thread, which has the lock
      endif()
      set(add omp_nightly)
      if(threads EQUAL 16 AND NOT tier EQUAL 2)
        set(add omp_again)
      endif()
      omp_blocking_words(words ${part} ${tier} TRUE)
      cmake_language(CALL ${add} blocking ${part}.interposed${threads}.tier${tier}
        LABELS hang beyond ARGS ${words}
        ENV OMP_NUM_THREADS=${threads} XYLEM_TLS=${tier} LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
    endforeach()
  endforeach()
  omp_blocking_words(words ${part} 3 TRUE)
  omp_nightly(blocking ${part}.one_worker LABELS hang beyond ARGS ${words}
    ENV OMP_NUM_THREADS=16 XYLEM_TLS=3 XYLEM_MACHINE=pu:1 LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
endfunction()

set(blocking_parts yield sleep mutex condition barrier semaphore rwlock c11 beside handler around)
if(XYLEM_SANITIZE STREQUAL "thread") # it goes around the tool on purpose
  list(REMOVE_ITEM blocking_parts around)
endif()
foreach(part IN LISTS blocking_parts)
  omp_blocking_words(words ${part} 1 FALSE)
  set(env OMP_NUM_THREADS=16)
  if(part STREQUAL rwlock AND XYLEM_SANITIZE)
    list(APPEND env XYLEM_TLS=thread)
  endif()
  if(part STREQUAL yield)
    xylem_add_omp_test(blocking SOURCES blocking.c LABELS hang ARGS ${words}
      LINK Threads::Threads ${CMAKE_DL_LIBS} ENV ${env})
  elseif(NOT part STREQUAL c11 OR NOT XYLEM_SANITIZE STREQUAL "thread") # GCC 12's libtsan knows no mtx_lock
    omp_again(blocking ${part} LABELS hang ARGS ${words} ENV ${env})
  endif()
  if(TARGET xylem_wait)
    omp_blocking_interposed(${part})
  endif()
endforeach()

xylem_add_omp_test(mutex_starves SOURCES mutex_starves.c LABELS hang beyond LINK Threads::Threads)
if(TARGET xylem_wait)
  omp_again(mutex_starves interposed LABELS hang beyond ENV LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
  omp_again(mutex_starves one_worker LABELS hang beyond
    ENV XYLEM_MACHINE=pu:1 LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
endif()

# As libc has the calls, and with the interposing library.
function(omp_blocking_program name)
  xylem_add_omp_test(${name} SOURCES ${name}.c LABELS hang LINK Threads::Threads)
  if(TARGET xylem_wait)
    foreach(tier IN ITEMS 1 3)
      omp_again(${name} interposed.tier${tier} LABELS hang beyond
        ENV XYLEM_TLS=${tier} LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
    endforeach()
  endif()
endfunction()

omp_blocking_program(yield_to_kernel)
if(NOT XYLEM_SANITIZE) # it brings a malloc of its own
  omp_blocking_program(blocking_malloc)
endif()

# Who runs for moments between its waits stands with the others on one processor. Under a sanitizer
# nobody runs for moments alone.
if(TARGET xylem_wait)
  set(four_pus XYLEM_MACHINE=pu:4 XYLEM_SHARE=false LD_PRELOAD=$<TARGET_FILE:xylem_wait>)
  set(no_thieves ${four_pus} XYLEM_STEAL_PATIENCE=-1)
  xylem_add_omp_test(gathered SOURCES gathered.c LABELS hang beyond ARGS barrier apart
    LINK Threads::Threads ENV ${four_pus})
  foreach(part IN ITEMS condition semaphore)
    omp_again(gathered ${part}.apart LABELS hang beyond ARGS ${part} apart ENV ${four_pus})
  endforeach()
  if(NOT XYLEM_SANITIZE)
    omp_again(gathered tier1 LABELS hang beyond ARGS barrier together
      ENV XYLEM_TLS=1 ${no_thieves})
    foreach(part IN ITEMS barrier condition semaphore)
      omp_again(gathered ${part} LABELS hang beyond ARGS ${part} together
        ENV XYLEM_TLS=3 ${no_thieves})
    endforeach()
  endif()
endif()

# What another sanitizer's program does by the interposing library, its sanitizer sees. Without address
# randomisation, which old runtimes of ThreadSanitizer do not stand.
find_program(XYLEM_SETARCH setarch)
if(TARGET xylem_wait AND XYLEM_SETARCH AND NOT XYLEM_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  xylem_add_omp_program(omp_condition_seen C condition_seen.c Threads::Threads "-fsanitize=thread;-g")
  target_link_options(omp_condition_seen PRIVATE -fsanitize=thread)
  set(seen "${XYLEM_SETARCH}" -R env LD_PRELOAD=$<TARGET_FILE:xylem_wait> $<TARGET_FILE:omp_condition_seen>)
  xylem_add_watched_test(omp.condition_seen 60 "omp;process" "" ${seen})
  # Members are started by other members.
  xylem_add_watched_test(omp.condition_seen.gang 60 "omp;process" XYLEM_POLICY=gang ${seen})
endif()
