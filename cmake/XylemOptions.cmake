# Owns the options a user may set and the compile flags every target gets.
option(XYLEM_CHECK "Compile the invariants (XYLEM_ASSERT and the check() walks) in" OFF)
option(XYLEM_WERROR "Treat warnings as errors" OFF)
option(XYLEM_HEADER_CHECK "Have the target xylem_header_check, which compiles headers alone" OFF)
option(XYLEM_PRECOMPILE "Precompile the headers that most files include" ON)
set(XYLEM_SANITIZE "" CACHE STRING "address or thread: build library and tests with that sanitizer")
option(XYLEM_DEBIAN "Install what a Debian package holds beside the program" OFF)
set(XYLEM_ZSH_FOLDER zsh/site-functions CACHE STRING
    "Where below share/ the completion of zsh is installed; Debian's zsh looks in zsh/vendor-completions")
set_property(CACHE XYLEM_SANITIZE PROPERTY STRINGS "" address thread)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# RelWithDebInfo means -O2 -g here, and assertions are ours (XYLEM_CHECK), not NDEBUG's.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

# Frame pointers keep fiber stacks readable by gdb, perf and the watchdog.
add_compile_options(-fno-omit-frame-pointer)
if(XYLEM_SANITIZE)
  add_compile_options(-fsanitize=${XYLEM_SANITIZE})
  add_link_options(-fsanitize=${XYLEM_SANITIZE})
endif()
# What every test's environment gets under a sanitizer. The runtime keeps its pools to the end of the
# process on purpose, and leak detection needs ptrace, which containers often forbid: so no leak check.
set(XYLEM_SANITIZE_ENV "")
set(XYLEM_SANITIZE_WRAPPER "")
if(XYLEM_SANITIZE STREQUAL "address")
  # verify_asan_link_order=0: `xylem run` also brings the library into programs built without it.
  set(XYLEM_SANITIZE_ENV "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0")
elseif(XYLEM_SANITIZE STREQUAL "thread")
  # die_after_fork=0: a child that starts threads is what fork_after tests. atexit_sleep_ms: for how long
  # other threads go on at the end, to be seen racing; workers sleep long before.
  set(XYLEM_SANITIZE_ENV
      "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=100:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  # gcc 12's tsan dies where the kernel randomizes addresses by more than 28 bits.
  set(random_bits 0)
  if(EXISTS /proc/sys/vm/mmap_rnd_bits)
    file(READ /proc/sys/vm/mmap_rnd_bits random_bits)
  endif()
  find_program(XYLEM_SETARCH setarch)
  if(random_bits GREATER 28 AND XYLEM_SETARCH)
    set(XYLEM_SANITIZE_WRAPPER "${XYLEM_SETARCH}" -R)
  endif()
endif()

# Warnings of the project's own code; targets ask for them by linking xylem_warnings.
add_library(xylem_warnings INTERFACE)
target_compile_options(xylem_warnings INTERFACE -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(xylem_warnings INTERFACE -Wthread-safety -Werror=thread-safety)
endif()
if(XYLEM_WERROR)
  target_compile_options(xylem_warnings INTERFACE -Werror)
endif()
if(XYLEM_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc does not model std::atomic_thread_fence for tsan; the code annotates such places by hand.
  target_compile_options(xylem_warnings INTERFACE -Wno-tsan)
endif()
if(XYLEM_CHECK)
  add_compile_definitions(XYLEM_CHECK=1)
endif()
