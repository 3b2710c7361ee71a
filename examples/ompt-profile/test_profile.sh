#!/bin/sh
# test_profile.sh PROGRAM TOOL: the profile of a program with nested regions has its lines.
set -u
profile=$(mktemp)
OMPT_PROFILE=$profile OMP_TOOL_LIBRARIES=$2 OMP_NUM_THREADS=4 "$1" > /dev/null 2>&1 ||
  { echo "FAIL: the program failed"; exit 1; }
head -1 "$profile" | grep -q "calls  threads" || { echo "FAIL: no profile: $(cat "$profile")"; exit 1; }
# Shares add up to all, places differ, and some region had several threads.
awk 'NR > 1 { all += $1; threads = $4 > threads ? $4 : threads; if (seen[$6]++ || $3 < 1 || $5 + 0 > 100.1) bad = 1 }
     END { exit !(NR > 2 && all > 99 && all < 101 && threads > 1 && !bad) }' "$profile" ||
  { echo "FAIL: a profile that cannot be: $(cat "$profile")"; exit 1; }
rm -f "$profile"
