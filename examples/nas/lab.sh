#!/bin/sh
# lab.sh NAS_COUNTED: what the page engine reaches on-line in a machine with four nodes of its own, pages where the kernel
# says. Pages are dealt out round robin; from the third iteration on each code has nearly what it would have
# with each page where most of its accesses come from, and hydro and sparse 85% local accesses.
export XYLEM_ENGINES=pages XYLEM_VERBOSE=true OMP_PROC_BIND=close OMP_NUM_THREADS=16
status=0
check() { # LEAST ITERATIONS PROGRAM ARGUMENTS...: the least percentage of local accesses
  least=$1 iterations=$2
  shift 2
  "$@" --placed round-robin --accounts --iterations "$iterations" >/tmp/shares 2>/tmp/said || status=1
  grep 'pages move' /tmp/said
  awk -v least="$least" -v iterations="$iterations" '
    /^iteration/ {
      local = 100 * $4 / ($4 + $6); best = 100 * $9 / ($4 + $6)
      printf "%s: %.1f%% local, %.1f%% at best\n", $2, local, best
      if ($2 == 1 && local > 40) { print "FAIL: round robin gave more than 40%"; wrong = 1 }
      if ($2 > 2 && (local < least || local < best - 1)) { print "FAIL: too few"; wrong = 1 }
      ++seen
    }
    END { exit wrong || seen != iterations }' /tmp/shares || status=1
  tail -n 1 /tmp/shares
}
check 85 10 "$1" hydro W
check 85 10 "$1" sparse W
check 70 4 "$1" cg W
exit $status
