#!/bin/sh
# ompt_archer.sh PROGRAM ARCHER: Archer stays quiet on the right program, and sees the race. It is found
# by its name, and by itself where the loader finds it.
set -u
program=$1
named=$2
export OMP_TOOL_LIBRARIES=$named OMP_MAX_ACTIVE_LEVELS=2 ARCHER_OPTIONS=verbose=1
# Without address randomisation, which old runtimes of the sanitizer do not stand.
run() { setarch -R env TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=0" "$program" "$@" 2>&1; }

quiet=$(run) || { echo "FAIL: the program failed: $quiet"; exit 1; }
echo "$quiet" | grep -q "Archer detected OpenMP application with TSan" || { echo "FAIL: no Archer: $quiet"; exit 1; }
if echo "$quiet" | grep -q "WARNING: ThreadSanitizer"; then echo "FAIL: no race is there: $quiet"; exit 1; fi
echo "$quiet" | grep -q "^3945 105 40$" || { echo "FAIL: a wrong result: $quiet"; exit 1; }
found=$(run race) || { echo "FAIL: the program failed: $found"; exit 1; }
echo "$found" | grep -q "ompt_archer.c:$(grep -n 'raced += 1' "$(dirname "$0")/ompt_archer.c" | cut -d: -f1)" ||
  { echo "FAIL: the race is not seen: $found"; exit 1; }
unset OMP_TOOL_LIBRARIES
alone=$(LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:$(dirname "$named") run) || { echo "FAIL: found alone: $alone"; exit 1; }
echo "$alone" | grep -q "Archer detected OpenMP application with TSan" || { echo "FAIL: not found alone: $alone"; exit 1; }
if echo "$alone" | grep -q "WARNING: ThreadSanitizer"; then echo "FAIL: found alone, a race: $alone"; exit 1; fi
off=$(LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:$(dirname "$named") OMP_TOOL=disabled run)
if echo "$off" | grep -q "Archer detected"; then echo "FAIL: tools are not wanted: $off"; exit 1; fi
