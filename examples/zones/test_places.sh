#!/bin/sh
# test_places.sh ZONES [LIBRARY...]
# 16 x 4 threads on a machine of four nodes with four processors each: with the loads told, policy
# `spread` must give each PU its share of the work within a tenth, and 9 of 10 accesses to the own node.
# The processors that the kernel chose must have theirs within a tenth too, by the median of three runs.
# Beside it, only shown: other loads, without stealing too, and the runtimes in the files LIBRARY.
set -eu
zones=$1
shift

field() { echo "$result" | sed "s/.*\"$1\": \([^,}]*\).*/\1/"; }
holds() { awk "BEGIN { exit !($1) }"; }

# row NAME STEPS LOADS NAME=VALUE...: one line of the table; leaves `result`.
row() {
  name=$1 steps=$2 loads=$3
  shift 3
  result=$(env "$@" "$zones" --class W --steps "$steps" --tell "$loads" --places --json)
  printf '%-28s %10.2f %10.2f %7.1f %%\n' "$name" "$(field imbalance_processors)" \
    "$(field imbalance_pus)" "$(field percent_local)"
}

echo "                             imbalance  of Xylem's   local"
echo "                             of proc.   PUs          accesses"
by_processors=
for run in 1 2 3; do
  row "loads told, run $run" 24 points XYLEM_POLICY=spread
  holds "$(field imbalance_pus) >= 1 && $(field imbalance_pus) <= 1.1" ||
    { echo "FAIL: more than a tenth above the mean: $result"; exit 1; }
  holds "$(field percent_local) >= 90" || { echo "FAIL: less than 90 % local: $result"; exit 1; }
  by_processors="$by_processors $(field imbalance_processors)"
done
median=$(printf '%s\n' $by_processors | sort -n | sed -n 2p)
holds "$median >= 1 && $median <= 1.1" ||
  { echo "FAIL: the kernel's processors are loaded more than a tenth above the mean:$by_processors"; exit 1; }
row "loads measured" 16 nothing XYLEM_POLICY=spread
row "none: all alike" 8 alike XYLEM_POLICY=spread
row "told, nobody steals" 8 points XYLEM_POLICY=spread XYLEM_STEAL_PATIENCE=-1
row "measured, nobody steals" 16 nothing XYLEM_POLICY=spread XYLEM_STEAL_PATIENCE=-1
row "told, policy cache" 8 points XYLEM_POLICY=cache
for library in "$@"; do
  ln -sf "$library" /tmp/libgomp.so.1
  row "${library##*/}" 3 nothing LD_LIBRARY_PATH=/tmp
done
